// SPDX-License-Identifier: Apache-2.0
// GpuDevice: a session's GPU.
//
// A kernel enqueues its work in the card's compute stream and returns; the
// memory of its inputs may be given back at once, since memory has that
// stream's order (pool_allocator.h).  Copies have streams of their own and end
// when the host has seen them end.  Tensors of host memory are pinned.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_DEVICE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_DEVICE_H_

#include <string>

#include "core/common_runtime/device.h"
#include "core/common_runtime/gpu/gpu_card.h"

namespace tensorwright {

class SessionThreads;

class GpuDevice final : public Device {
 public:
  // `card` and `threads` outlive it.
  GpuDevice(const std::string& name, GpuCard* card, SessionThreads* threads);

  Allocator* GetAllocator(AllocatorAttributes attributes) override {
    return attributes.on_host() ? card_->host_allocator()
                                : card_->device_allocator();
  }
  bool memory_is_host() override { return false; }
  DeviceContext* ContextFor(const NodeDef&) override {
    return card_->context();
  }
  const GpuDeviceInfo* tensorflow_gpu_device_info() const override {
    return &gpu_info_;
  }

  void Compute(OpKernel* kernel, OpKernelContext* context) override;
  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                    AsyncOpKernel::DoneCallback done) override;
  Status Sync() override { return card_->Sync(); }
  void CopyFromHost(const Tensor& host, DeviceContext* context, Tensor* device,
                    StatusCallback done) override;
  void CopyToHost(const Tensor& device, DeviceContext* context, Tensor* host,
                  StatusCallback done) override;

 private:
  // False, with an error in the context, if the card does not work.
  bool Begin(OpKernelContext* context);

  GpuCard* const card_;
  GpuDeviceInfo gpu_info_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_DEVICE_H_
