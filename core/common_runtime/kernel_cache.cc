// SPDX-License-Identifier: Apache-2.0
// KernelCache.
#include "core/common_runtime/kernel_cache.h"

#include "core/framework/kernel_registry.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int kGraphDefVersion = 24;

Status Create(const Node& node, Device* device,
              std::shared_ptr<OpKernel>* kernel) {
  OpKernel* made = nullptr;
  Status status = CreateOpKernel(DeviceType(device->device_type()), device,
                                 device->GetAllocator(AllocatorAttributes()),
                                 /*flib=*/nullptr, node.properties(),
                                 kGraphDefVersion, &made);
  if (status.ok()) {
    kernel->reset(made);
    return status;
  }
  // TensorFlow's placer reports a missing kernel as an invalid argument.
  if (errors::IsNotFound(status) &&
      !KernelDefAvailable(DeviceType(device->device_type()),
                          node.type_string())) {
    status = Status(error::INVALID_ARGUMENT, status.message());
  }
  return errors::AttachNode(std::move(status), node.name());
}

}  // namespace

Status KernelCache::GetOrCreate(const Node& node, Device* device,
                                std::shared_ptr<OpKernel>* kernel) {
  // Nodes that the runtime adds have names of their plan only.
  if (!node.op_def().is_stateful() || node.name()[0] == '_') {
    return Create(node, device, kernel);
  }
  absl::MutexLock lock(&mu_);
  std::shared_ptr<OpKernel>& known = stateful_[{device, node.name()}];
  if (known == nullptr) TF_RETURN_IF_ERROR(Create(node, device, &known));
  *kernel = known;
  return OkStatus();
}

}  // namespace tensorwright
