// SPDX-License-Identifier: Apache-2.0
// The registry of server factories.
#include "core/common_runtime/server.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/running_kernel.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/tensorflow_server.pb.h"

namespace tensorwright {
namespace {

struct Registry {
  absl::Mutex mu;
  // A factory that was replaced may still be in use.
  std::vector<std::unique_ptr<ServerFactory>> owned ABSL_GUARDED_BY(mu);
  std::map<std::string, ServerFactory*> by_protocol ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* const registry = new Registry;
  return registry;
}

}  // namespace

void ServerFactory::Register(const std::string& protocol,
                             std::unique_ptr<ServerFactory> factory) {
  Registry* const registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->by_protocol[protocol] = factory.get();
  registry->owned.push_back(std::move(factory));
}

StatusOr<std::unique_ptr<ServerInterface>> NewServer(const ServerDef& def) {
  ReportCrashesOfKernels();
  ServerFactory* factory = nullptr;
  {
    Registry* const registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    const auto it = registry->by_protocol.find(def.protocol());
    if (it == registry->by_protocol.end()) {
      return errors::NotFound(
          "No server factory registered for the given ServerDef: protocol '",
          def.protocol(), "'; this process knows ",
          absl::StrJoin(registry->by_protocol, ", ",
                        [](std::string* out, const auto& entry) {
                          absl::StrAppend(out, "'", entry.first, "'");
                        }));
    }
    factory = it->second;
  }
  return factory->NewServer(def);
}

}  // namespace tensorwright
