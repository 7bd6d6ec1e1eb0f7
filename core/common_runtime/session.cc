// SPDX-License-Identifier: Apache-2.0
// Session and the registry of session factories.
#include "core/common_runtime/session.h"

#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/running_kernel.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kSchemeEnd[] = "://";

struct Registry {
  absl::Mutex mu;
  // A factory that another one has replaced may still be in use.
  std::vector<std::unique_ptr<SessionFactory>> owned ABSL_GUARDED_BY(mu);
  std::map<std::string, SessionFactory*> by_scheme ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* const registry = new Registry;
  return registry;
}

// "grpc" of "grpc://host:port"; "" of ""; the whole of any other text, which is
// no target.
std::string SchemeOf(const std::string& target) {
  return target.substr(0, target.find(kSchemeEnd));
}

Status GetFactory(const std::string& target, SessionFactory** factory) {
  Registry* const registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  const auto it = registry->by_scheme.find(SchemeOf(target));
  const bool is_whole =
      target.empty() || target.find(kSchemeEnd) != std::string::npos;
  if (it != registry->by_scheme.end() && is_whole) {
    *factory = it->second;
    return OkStatus();
  }
  const std::string known = absl::StrJoin(
      registry->by_scheme, ", ", [](std::string* out, const auto& entry) {
        absl::StrAppend(out, "'", entry.first,
                        entry.first.empty() ? "" : kSchemeEnd, "'");
      });
  return errors::NotFound(
      "No session factory registered for the given session options: target '",
      target, "'; targets that this process knows start with ", known,
      " ('' alone is the devices of this process)");
}

}  // namespace

void SessionFactory::Register(const std::string& scheme,
                              std::unique_ptr<SessionFactory> factory) {
  Registry* const registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->by_scheme[scheme] = factory.get();
  registry->owned.push_back(std::move(factory));
}

Status Session::Create(const GraphDef& def) {
  if (graph_->version() > 0) {
    return errors::AlreadyExists(
        "Session::Create: the session's graph has nodes already; Extend adds "
        "more");
  }
  return Extend(def);
}

Status Session::Extend(const GraphDef& def) {
  TF_RETURN_IF_ERROR(CheckImport(def));
  return graph_->Import(def, ImportOptions()).status();
}

Status Session::Run(const std::vector<std::pair<std::string, Tensor>>& feeds,
                    const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets,
                    std::vector<Tensor>* fetched) {
  return RunNamed(nullptr, feeds, fetches, targets, fetched, nullptr);
}

Status Session::Run(const RunOptions& options,
                    const std::vector<std::pair<std::string, Tensor>>& feeds,
                    const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets,
                    std::vector<Tensor>* fetched, RunMetadata* metadata) {
  return RunNamed(&options, feeds, fetches, targets, fetched, metadata);
}

Status Session::RunNamed(
    const RunOptions* options,
    const std::vector<std::pair<std::string, Tensor>>& feeds,
    const std::vector<std::string>& fetches,
    const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
    RunMetadata* metadata) {
  RunSignature signature{{}, fetches, targets};
  std::vector<Tensor> values;
  for (const auto& [name, value] : feeds) {
    signature.feeds.push_back(name);
    values.push_back(value);
  }
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<const Callable> callable,
                      MakeCallable(signature, RunHooks()));
  return RunCallable(*callable, options, values, fetched, metadata, RunHooks());
}

StatusOr<std::unique_ptr<Session>> NewSession(
    const std::string& target, const ConfigProto& config,
    std::shared_ptr<LiveGraph> graph) {
  ReportCrashesOfKernels();
  SessionFactory* factory = nullptr;
  TF_RETURN_IF_ERROR(GetFactory(target, &factory));
  return factory->NewSession(target, config, std::move(graph));
}

Status ResetSessions(const std::string& target, const ConfigProto& config,
                     absl::Span<const std::string> containers) {
  SessionFactory* factory = nullptr;
  TF_RETURN_IF_ERROR(GetFactory(target, &factory));
  return factory->Reset(target, config, containers);
}

}  // namespace tensorwright
