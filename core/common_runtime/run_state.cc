// SPDX-License-Identifier: Apache-2.0
// SessionResources.
#include "core/common_runtime/run_state.h"

#include <utility>

#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/function.h"
#include "core/common_runtime/plan.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kNamePrefix[] = "/job:localhost/replica:0/task:0";

}  // namespace

SessionResources::~SessionResources() {
  if (devices == nullptr) return;
  for (Device* device : devices->devices()) {
    device->resource_manager()->Clear();
  }
}

StatusOr<std::shared_ptr<SessionResources>> SessionResources::New(
    const ConfigProto& config,
    std::shared_ptr<const FunctionLibraryDefinition> library) {
  auto made = std::make_shared<SessionResources>();
  TF_RETURN_IF_ERROR(SessionThreads::ForConfig(config, &made->threads));
  std::vector<std::unique_ptr<Device>> devices;
  TF_RETURN_IF_ERROR(DeviceFactory::AddDevices(config, kNamePrefix,
                                               made->threads.get(), &devices));
  made->devices = std::make_unique<DeviceMgr>(std::move(devices));
  made->placeable = made->devices->device_set();
  if (library != nullptr) {
    made->functions = NewFunctionLibraryRuntime(
        std::move(library), made.get(), PlanOptions::FromConfig(config));
    made->kernels.set_functions(made->functions.get());
  }
  return made;
}

}  // namespace tensorwright
