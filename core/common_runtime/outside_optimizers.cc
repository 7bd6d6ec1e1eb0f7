// SPDX-License-Identifier: Apache-2.0
// The registry of outside optimizers, and the order in which they run.
#include "core/common_runtime/outside_optimizers.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/graph/passes/graph_passes.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

constexpr int kMinNodes = 4;
constexpr int64_t kTimeoutMs = 5 * 60 * 1000;

struct Registry {
  absl::Mutex mu;
  std::map<std::string, OutsideOptimizerFactory> factories ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

bool IsRegistered(const std::string& name) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  return registry->factories.contains(name);
}

// One that the config names, ready to run.
struct Named {
  std::string name;
  std::unique_ptr<OutsideOptimizer> optimizer;
};

// Says which optimizer failed.
Status WithName(Status status, const std::string& name) {
  return Status(status.code(),
                absl::StrCat("Graph optimizer ", name, ": ", status.message()));
}

// The error of the run if the config asks for that; else OK and a warning.
Status Judge(const RewriterConfig& rewrite, const Status& failed) {
  if (rewrite.fail_on_optimizer_errors()) return failed;
  LOG(WARNING) << failed.message()
               << " (the graph runs without it;"
                  " rewrite_options.fail_on_optimizer_errors makes this an"
                  " error)";
  return OkStatus();
}

Status Add(const std::string& name, const ConfigProto& config,
           const RewriterConfig::CustomGraphOptimizer* entry,
           std::vector<Named>* named) {
  std::unique_ptr<OutsideOptimizer> optimizer = NewOutsideOptimizer(name);
  if (optimizer == nullptr) return OkStatus();
  const Status status = optimizer->Init(config, entry);
  if (!status.ok()) {
    return Judge(config.graph_options().rewrite_options(),
                 WithName(status, name));
  }
  named->push_back({name, std::move(optimizer)});
  return OkStatus();
}

int64_t NowUsec() { return absl::ToUnixMicros(absl::Now()); }

// When the optimizers have to be done; 0 for never.
int64_t DeadlineUsec(const RewriterConfig& rewrite) {
  const int64_t ms = rewrite.meta_optimizer_timeout_ms();
  if (ms < 0) return 0;
  return NowUsec() + 1000 * (ms == 0 ? kTimeoutMs : ms);
}

Status RunOne(const Named& one, int64_t deadline_usec, OutsideItem* item,
              bool* changed) {
  GraphDef optimized;
  Status status = one.optimizer->Optimize(*item, deadline_usec, &optimized);
  if (errors::IsAborted(status)) return OkStatus();
  if (status.ok() && deadline_usec > 0 && NowUsec() > deadline_usec) {
    status = errors::DeadlineExceeded(
        "it took longer than"
        " meta_optimizer_timeout_ms allows");
  }
  if (!status.ok()) return WithName(status, one.name);
  item->graph = std::move(optimized);
  *changed = true;
  return OkStatus();
}

}  // namespace

void RegisterOutsideOptimizer(const std::string& name,
                              OutsideOptimizerFactory factory) {
  NoteOtherOptimizer(name);
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  OutsideOptimizerFactory& slot = registry->factories[name];
  LOG_IF(WARNING, slot != nullptr)
      << "Graph optimizer " << name
      << " is registered again: the later registration counts";
  slot = std::move(factory);
}

std::unique_ptr<OutsideOptimizer> NewOutsideOptimizer(const std::string& name) {
  OutsideOptimizerFactory factory;
  {
    Registry* registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    const auto it = registry->factories.find(name);
    if (it == registry->factories.end()) return nullptr;
    factory = it->second;
  }
  return factory();
}

std::vector<std::string> OutsideOptimizerNames() {
  std::vector<std::string> names;
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  for (const auto& [name, factory] : registry->factories) names.push_back(name);
  return names;
}

bool WantsOutsideOptimizers(const ConfigProto& config) {
  const RewriterConfig& rewrite = config.graph_options().rewrite_options();
  if (rewrite.disable_meta_optimizer()) return false;
  bool wants = false;
  // GraphPassOptions warns of names in `optimizers` that nobody has.
  for (const std::string& name : rewrite.optimizers()) {
    wants |= IsRegistered(name);
  }
  for (const auto& entry : rewrite.custom_optimizers()) {
    if (IsRegistered(entry.name())) {
      wants = true;
      continue;
    }
    LOG(WARNING) << "rewrite_options.custom_optimizers: no loaded library"
                    " registers the graph optimizer "
                 << entry.name() << "; registered are ["
                 << absl::StrJoin(OutsideOptimizerNames(), ", ") << "]";
  }
  return wants;
}

Status RunOutsideOptimizers(const ConfigProto& config, OutsideItem* item,
                            bool* changed) {
  *changed = false;
  const RewriterConfig& rewrite = config.graph_options().rewrite_options();
  std::vector<Named> named;
  for (const std::string& name : rewrite.optimizers()) {
    TF_RETURN_IF_ERROR(Add(name, config, nullptr, &named));
  }
  for (const auto& entry : rewrite.custom_optimizers()) {
    TF_RETURN_IF_ERROR(Add(entry.name(), config, &entry, &named));
  }
  const int min_nodes =
      rewrite.min_graph_nodes() == 0 ? kMinNodes : rewrite.min_graph_nodes();
  const int iterations =
      rewrite.meta_optimizer_iterations() == RewriterConfig::ONE ? 1 : 2;
  const int64_t deadline = DeadlineUsec(rewrite);
  for (int i = 0; i < iterations; ++i) {
    if (item->graph.node_size() < min_nodes) break;
    for (const Named& one : named) {
      const Status status = RunOne(one, deadline, item, changed);
      if (!status.ok()) TF_RETURN_IF_ERROR(Judge(rewrite, status));
      if (deadline > 0 && NowUsec() > deadline) return OkStatus();
    }
  }
  return OkStatus();
}

}  // namespace tensorwright
