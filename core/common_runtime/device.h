// SPDX-License-Identifier: Apache-2.0
// Device: something in this process that runs kernels, with its memory and its
// resources.
//
// Its DeviceInfo describes it to all processes; everything else here can be
// used in this process only.  Owned by a DeviceMgr.  Thread safe: runs share
// it.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_

#include <memory>
#include <string>

#include "core/common_runtime/device_info.h"
#include "core/framework/device_attributes.pb.h"
#include "core/framework/device_base.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {

class Device : public DeviceBase {
 public:
  // `attributes` come from BuildDeviceAttributes; a name that is no full device
  // name ends the process.
  Device(Env* env, DeviceAttributes attributes);
  ~Device() override;

  const DeviceInfo& info() const { return info_; }
  const std::string& name() const override { return info_.name(); }
  const DeviceNameUtils::ParsedName& parsed_name() const {
    return info_.parsed_name();
  }
  const std::string& device_type() const { return info_.type(); }
  const DeviceAttributes& attributes() const override {
    return info_.attributes();
  }

  // Runs a kernel that the plan assigned to this device.
  // An exception of the kernel is an Internal error of the run.
  virtual void Compute(OpKernel* kernel, OpKernelContext* context);
  virtual void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                            AsyncOpKernel::DoneCallback done);
  // Waits for work that kernels left running on the device.
  virtual Status Sync() { return OkStatus(); }

  // Holds variables, stacks and the like.
  ResourceMgr* resource_manager() override { return resource_manager_.get(); }
  // Uses the resources of `other` from here on, which is the same device under
  // another name.  Call it before the device is used.
  void ShareResources(const Device& other) {
    resource_manager_ = other.resource_manager_;
  }

  // Can the host read and write the memory that this device's kernels compute
  // in? If not, plans copy values at the edges (memory_copies.h), and the
  // runtime looks into a tensor only if its memory type is HOST_MEMORY.
  virtual bool memory_is_host();
  // The object that the kernel of a node gets as its op_device_context(), such
  // as a stream; asked once, when a plan is compiled.  Owned by the device.
  // Null: none.
  virtual DeviceContext* ContextFor(const NodeDef& node);
  // Copy between the two memories, if the device's is not the host's.  The
  // tensors have one dtype and shape, and live until `done`, which is called
  // once, from any thread.  `context` belongs to the kernel at the device's
  // end, or is null.
  virtual void CopyFromHost(const Tensor& host, DeviceContext* context,
                            Tensor* device, StatusCallback done);
  virtual void CopyToHost(const Tensor& device, DeviceContext* context,
                          Tensor* host, StatusCallback done);
  // Makes a tensor in the device's memory, or in the host's with on_host().
  Status MakeTensorFromProto(const TensorProto& proto,
                             AllocatorAttributes attributes,
                             Tensor* tensor) override;

  // The attributes get an incarnation of their own, which tells one life of a
  // device from the next in rendezvous keys; never 0.
  static DeviceAttributes BuildDeviceAttributes(
      const std::string& name, const DeviceType& type, int64_t memory_limit,
      const std::string& description,
      const DeviceLocality& locality = DeviceLocality());

 private:
  const DeviceInfo info_;
  std::shared_ptr<ResourceMgr> resource_manager_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_H_
