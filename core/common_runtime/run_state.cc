// SPDX-License-Identifier: Apache-2.0
// SessionResources.
#include "core/common_runtime/run_state.h"

#include <utility>

#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/function.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/session_policy.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kNamePrefix[] = "/job:localhost/replica:0/task:0";

}  // namespace

SessionResources::~SessionResources() {
  if (devices == nullptr || devices.use_count() > 1) return;
  for (Device* device : devices->devices()) {
    device->resource_manager()->Clear();
  }
}

bool SessionResources::MustRepeat() const {
  return policy != nullptr && policy->proto().deterministic();
}

StatusOr<std::shared_ptr<SessionResources>> SessionResources::New(
    const ConfigProto& config,
    std::shared_ptr<const FunctionLibraryDefinition> library) {
  std::shared_ptr<const SessionPolicy> policy;
  TF_RETURN_IF_ERROR(SessionPolicy::FromConfig(config, &policy));
  std::shared_ptr<SessionThreads> threads;
  TF_RETURN_IF_ERROR(SessionThreads::ForConfig(config, &threads));
  std::vector<std::unique_ptr<Device>> devices;
  TF_RETURN_IF_ERROR(
      DeviceFactory::AddDevices(config, kNamePrefix, threads.get(), &devices));
  return OnDevices(std::move(threads),
                   std::make_shared<DeviceMgr>(std::move(devices)), config,
                   std::move(library));
}

std::shared_ptr<SessionResources> SessionResources::OnDevices(
    std::shared_ptr<SessionThreads> threads, std::shared_ptr<DeviceMgr> devices,
    const ConfigProto& config,
    std::shared_ptr<const FunctionLibraryDefinition> library) {
  auto made = std::make_shared<SessionResources>();
  // Whoever made the devices has seen that the policy is good.
  SessionPolicy::FromConfig(config, &made->policy).IgnoreError();
  made->threads = std::move(threads);
  made->devices = std::move(devices);
  made->placeable = made->devices->device_set();
  if (library != nullptr) {
    made->functions = NewFunctionLibraryRuntime(
        std::move(library), made.get(), PlanOptions::FromConfig(config));
    made->kernels.set_functions(made->functions.get());
  }
  return made;
}

}  // namespace tensorwright
