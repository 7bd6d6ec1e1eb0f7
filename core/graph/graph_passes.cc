// SPDX-License-Identifier: Apache-2.0
// The registry of graph passes.
#include "core/graph/graph_passes.h"

#include <map>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace tensorwright {
namespace {

struct Registry {
  absl::Mutex mu;
  // By phase, then priority; equal ones in order of registration.
  std::multimap<std::pair<GraphPassPhase, int>, std::unique_ptr<GraphPass>>
      passes ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

}  // namespace

void RegisterGraphPass(GraphPassPhase phase, int priority,
                       std::unique_ptr<GraphPass> pass) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->passes.emplace(std::pair(phase, priority), std::move(pass));
}

Status RunGraphPasses(GraphPassPhase phase, Graph* graph) {
  std::vector<GraphPass*> passes;
  {
    Registry* registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    for (const auto& [key, pass] : registry->passes) {
      if (key.first == phase) passes.push_back(pass.get());
    }
  }
  for (GraphPass* pass : passes) TF_RETURN_IF_ERROR(pass->Run(graph));
  return OkStatus();
}

}  // namespace tensorwright
