// SPDX-License-Identifier: Apache-2.0
// Device.
#include "core/common_runtime/device.h"

#include <exception>
#include <random>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {

Device::Device(Env* env, DeviceAttributes attributes)
    : DeviceBase(env),
      attributes_(std::move(attributes)),
      resource_manager_(std::make_unique<ResourceMgr>()) {
  CHECK(DeviceNameUtils::ParseFullName(name(), &parsed_name_)) << name();
}

Device::~Device() = default;

void Device::Compute(OpKernel* kernel, OpKernelContext* context) {
  // Nothing of ours throws, but a user's kernel may call what does.
  try {
    kernel->Compute(context);
  } catch (const std::exception& e) {
    context->SetStatus(errors::Internal("The kernel of ", kernel->type_string(),
                                        " threw an exception: ", e.what()));
  } catch (...) {
    context->SetStatus(errors::Internal("The kernel of ", kernel->type_string(),
                                        " threw an exception"));
  }
}

DeviceAttributes Device::BuildDeviceAttributes(const std::string& name,
                                               const DeviceType& type,
                                               int64_t memory_limit,
                                               const std::string& description) {
  DeviceAttributes attributes;
  attributes.set_name(name);
  attributes.set_device_type(type.type());
  attributes.set_memory_limit(memory_limit);
  attributes.set_physical_device_desc(description);
  // Tells one life of a device from the next in rendezvous keys; never 0.
  std::random_device random;
  const uint64_t high = random();
  attributes.set_incarnation((high << 32 | random()) | 1);
  return attributes;
}

}  // namespace tensorwright
