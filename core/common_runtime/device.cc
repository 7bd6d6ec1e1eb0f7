// SPDX-License-Identifier: Apache-2.0
// Device.
#include "core/common_runtime/device.h"

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "core/framework/allocator.h"
#include "core/framework/tensor.pb.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

std::string Describe(const OpKernel& kernel) {
  return absl::StrCat("The kernel of ", kernel.type_string());
}

DeviceInfo InfoOf(DeviceAttributes attributes) {
  auto info = DeviceInfo::FromAttributes(std::move(attributes));
  TF_CHECK_OK(info.status());
  return *std::move(info);
}

}  // namespace

Device::Device(Env* env, DeviceAttributes attributes)
    : DeviceBase(env),
      info_(InfoOf(std::move(attributes))),
      resource_manager_(std::make_shared<ResourceMgr>()) {}

Device::~Device() = default;

void Device::Compute(OpKernel* kernel, OpKernelContext* context) {
  const Status status = CatchExceptions([&] { kernel->Compute(context); },
                                        [&] { return Describe(*kernel); });
  if (!status.ok()) context->SetStatus(status);
}

void Device::ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                          AsyncOpKernel::DoneCallback done) {
  // A kernel that throws may have called `done`, or kept it for later: it is
  // called once.
  struct Once {
    std::atomic<bool> called{false};
    AsyncOpKernel::DoneCallback done;
  };
  auto once = std::make_shared<Once>();
  once->done = std::move(done);
  const auto call = [once] {
    if (!once->called.exchange(true, std::memory_order_acq_rel)) once->done();
  };
  const Status status =
      CatchExceptions([&] { kernel->ComputeAsync(context, call); },
                      [&] { return Describe(*kernel); });
  if (status.ok()) return;
  if (once->called.exchange(true, std::memory_order_acq_rel)) return;
  context->SetStatus(status);
  once->done();
}

bool Device::memory_is_host() {
  return GetAllocator(AllocatorAttributes())->IsHostMemory();
}

DeviceContext* Device::ContextFor(const NodeDef&) { return nullptr; }

void Device::CopyFromHost(const Tensor&, DeviceContext*, Tensor*,
                          StatusCallback done) {
  done(errors::Unimplemented("Device ", name(), " cannot copy from the host"));
}

void Device::CopyToHost(const Tensor&, DeviceContext*, Tensor*,
                        StatusCallback done) {
  done(errors::Unimplemented("Device ", name(), " cannot copy to the host"));
}

Status Device::MakeTensorFromProto(const TensorProto& proto,
                                   AllocatorAttributes attributes,
                                   Tensor* tensor) {
  if (memory_is_host() || attributes.on_host()) {
    return Tensor::ParseProto(GetAllocator(attributes), proto, tensor);
  }
  Tensor host;
  TF_RETURN_IF_ERROR(Tensor::ParseProto(cpu_allocator(), proto, &host));
  TF_RETURN_IF_ERROR(Tensor::Allocate(GetAllocator(attributes), host.dtype(),
                                      host.shape(), tensor));
  Status status;
  absl::Notification copied;
  CopyFromHost(host, nullptr, tensor, [&](const Status& s) {
    status = s;
    copied.Notify();
  });
  copied.WaitForNotification();
  return status;
}

DeviceAttributes Device::BuildDeviceAttributes(const std::string& name,
                                               const DeviceType& type,
                                               int64_t memory_limit,
                                               const std::string& description,
                                               const DeviceLocality& locality) {
  DeviceAttributes attributes;
  attributes.set_name(name);
  attributes.set_device_type(type.type());
  attributes.set_memory_limit(memory_limit);
  attributes.set_physical_device_desc(description);
  *attributes.mutable_locality() = locality;
  std::random_device random;
  const uint64_t high = random();
  attributes.set_incarnation((high << 32 | random()) | 1);
  return attributes;
}

}  // namespace tensorwright
