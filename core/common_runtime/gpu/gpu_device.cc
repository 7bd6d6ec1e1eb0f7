// SPDX-License-Identifier: Apache-2.0
// GpuDevice.
#include "core/common_runtime/gpu/gpu_device.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/common_runtime/memory_in_use.h"
#include "core/common_runtime/session_threads.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

std::string Describe(int number, const gpu::DeviceDescription& d) {
  return absl::StrCat("device: ", number, ", name: ", d.name,
                      ", pci bus id: ", d.pci_bus_id,
                      ", compute capability: ", d.major, ".", d.minor);
}

}  // namespace

GpuDevice::GpuDevice(const std::string& name, GpuCard* card,
                     SessionThreads* threads)
    : Device(Env::Default(),
             BuildDeviceAttributes(name, DEVICE_GPU, card->memory_limit(),
                                   Describe(card->id(), card->description()))),
      card_(card) {
  // Kernels that compute on the host use them.
  set_tensorflow_cpu_worker_threads(threads->cpu_worker_threads());
  set_eigen_cpu_device(threads->eigen_device());
  gpu_info_.gpu_id = card->id();
  gpu_info_.default_context = card->context();
}

bool GpuDevice::Begin(OpKernelContext* context) {
  Status status = card_->broken();
  if (status.ok()) status = gpu::Current()->SetDevice(card_->id());
  if (!status.ok()) context->SetStatus(status);
  return status.ok();
}

void GpuDevice::Compute(OpKernel* kernel, OpKernelContext* context) {
  if (!Begin(context)) return;
  {
    const AllocatingOp op(&kernel->name(), &kernel->type_string());
    Device::Compute(kernel, context);
  }
  card_->NoteLaunch(kernel->name(), kernel->type_string());
  Status status = gpu::Current()->LaunchError(card_->id());
  if (status.ok() && GpuCard::Blocking()) {
    status = gpu::Current()->Synchronize(card_->compute());
  }
  if (!status.ok()) context->SetStatus(card_->Check(status));
}

void GpuDevice::ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                             AsyncOpKernel::DoneCallback done) {
  if (!Begin(context)) return done();
  const AllocatingOp op(&kernel->name(), &kernel->type_string());
  Device::ComputeAsync(kernel, context, std::move(done));
}

// All that is enqueued in the compute stream once `done` was called comes after
// the copy, because the host has seen that end: no stream need wait for it.
void GpuDevice::CopyFromHost(const Tensor& host, DeviceContext*, Tensor* device,
                             StatusCallback done) {
  const size_t bytes = host.TotalBytes();
  if (bytes == 0) return done(card_->broken());
  card_->to_device()->Copy(
      card_->compute(),
      [&](CUstream_st* stream) {
        return gpu::Current()->CopyToDevice(stream, device->data(), host.data(),
                                            bytes);
      },
      std::move(done));
}

void GpuDevice::CopyToHost(const Tensor& device, DeviceContext*, Tensor* host,
                           StatusCallback done) {
  const size_t bytes = device.TotalBytes();
  if (bytes == 0) return done(card_->broken());
  card_->to_host()->Copy(
      card_->compute(),
      [&](CUstream_st* stream) {
        return gpu::Current()->CopyToHost(stream, host->data(), device.data(),
                                          bytes);
      },
      std::move(done));
}

}  // namespace tensorwright
