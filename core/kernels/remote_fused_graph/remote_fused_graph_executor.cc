// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/remote_fused_graph/remote_fused_graph_executor.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

struct Registry {
  mutex mu;
  std::map<std::string, RemoteFusedGraphExecutorFactory> factories;

  // Never destroyed: an executor that a library registers is used until the
  // process ends.
  static Registry* Get() {
    static Registry* const registry = new Registry;
    return registry;
  }
};

}  // namespace

Status RegisterRemoteFusedGraphExecutor(
    const std::string& name, RemoteFusedGraphExecutorFactory factory) {
  Registry* registry = Registry::Get();
  mutex_lock lock(registry->mu);
  if (registry->factories.emplace(name, std::move(factory)).second) {
    return OkStatus();
  }
  return errors::AlreadyExists("There is an executor of fused graphs named ",
                               name, " already");
}

void RegisterRemoteFusedGraphExecutorOrLog(
    const std::string& name, RemoteFusedGraphExecutorFactory factory) {
  const Status status =
      RegisterRemoteFusedGraphExecutor(name, std::move(factory));
  if (!status.ok()) LOG(ERROR) << status;
}

StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>>
MakeRemoteFusedGraphExecutor(const std::string& name) {
  RemoteFusedGraphExecutorFactory factory;
  {
    Registry* registry = Registry::Get();
    mutex_lock lock(registry->mu);
    const auto found = registry->factories.find(name);
    if (found != registry->factories.end()) factory = found->second;
  }
  if (factory) return factory();
  const std::vector<std::string> names = RemoteFusedGraphExecutorNames();
  return errors::NotFound(
      "There is no executor of fused graphs named '", name, "'; there ",
      names.empty() ? "are none"
                    : absl::StrCat("are: ", absl::StrJoin(names, ", ")));
}

std::vector<std::string> RemoteFusedGraphExecutorNames() {
  Registry* registry = Registry::Get();
  mutex_lock lock(registry->mu);
  std::vector<std::string> names;
  for (const auto& [name, factory] : registry->factories) {
    names.push_back(name);
  }
  return names;
}

}  // namespace tensorwright
