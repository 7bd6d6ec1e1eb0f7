// SPDX-License-Identifier: Apache-2.0
// DeviceFactory and its registry.
#include "core/common_runtime/device_factory.h"

#include <map>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "core/common_runtime/gpu_library.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

struct Entry {
  std::unique_ptr<DeviceFactory> factory;
  int priority;
};

struct Registry {
  absl::Mutex mu;
  std::map<std::string, Entry> factories ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

}  // namespace

void DeviceFactory::Register(const std::string& device_type,
                             std::unique_ptr<DeviceFactory> factory,
                             int priority) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  auto [it, is_new] = registry->factories.try_emplace(device_type);
  if (is_new || it->second.priority < priority) {
    it->second = {std::move(factory), priority};
  }
}

int DeviceFactory::Priority(const std::string& device_type) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  auto it = registry->factories.find(device_type);
  return it == registry->factories.end() ? -1 : it->second.priority;
}

Status DeviceFactory::AddDevices(
    const ConfigProto& config, const std::string& name_prefix,
    SessionThreads* threads, std::vector<std::unique_ptr<Device>>* devices) {
  for (const auto& [type, count] : config.device_count()) {
    if (count < 0 || (type == "CPU" && count == 0)) {
      return errors::InvalidArgument(
          "ConfigProto: device_count['", type, "'] must be ",
          type == "CPU" ? ">= 1" : ">= 0", ", got ", count);
    }
  }
  TF_RETURN_IF_ERROR(LoadGpuLibrary());
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  auto cpu = registry->factories.find("CPU");
  if (cpu == registry->factories.end()) {
    return errors::NotFound("No CPU device is linked into this program");
  }
  TF_RETURN_IF_ERROR(cpu->second.factory->CreateDevices(config, name_prefix,
                                                        threads, devices));
  for (const auto& [type, entry] : registry->factories) {
    if (type == "CPU") continue;
    TF_RETURN_IF_ERROR(
        entry.factory->CreateDevices(config, name_prefix, threads, devices));
  }
  return OkStatus();
}

}  // namespace tensorwright
