// SPDX-License-Identifier: Apache-2.0
// Device: something that runs kernels, with its memory and its resources.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_

#include <memory>
#include <string>

#include "core/framework/device_attributes.pb.h"
#include "core/framework/device_base.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {

// Owned by a DeviceMgr; thread safe.
class Device : public DeviceBase {
 public:
  Device(Env* env, DeviceAttributes attributes);
  ~Device() override;

  const std::string& name() const override { return attributes_.name(); }
  const DeviceNameUtils::ParsedName& parsed_name() const {
    return parsed_name_;
  }
  const std::string& device_type() const { return attributes_.device_type(); }
  const DeviceAttributes& attributes() const override { return attributes_; }

  // Runs a kernel that the plan assigned to this device.
  // An exception of the kernel is an Internal error of the run.
  virtual void Compute(OpKernel* kernel, OpKernelContext* context);
  virtual void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                            AsyncOpKernel::DoneCallback done);
  // Waits for what kernels left running on the device.
  virtual Status Sync() { return OkStatus(); }

  // What variables, stacks and the like live in.
  ResourceMgr* resource_manager() override { return resource_manager_.get(); }

  static DeviceAttributes BuildDeviceAttributes(const std::string& name,
                                                const DeviceType& type,
                                                int64_t memory_limit,
                                                const std::string& description);

 private:
  const DeviceAttributes attributes_;
  DeviceNameUtils::ParsedName parsed_name_;
  std::unique_ptr<ResourceMgr> resource_manager_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_
