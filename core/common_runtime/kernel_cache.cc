// SPDX-License-Identifier: Apache-2.0
// KernelCache.
#include "core/common_runtime/kernel_cache.h"

#include "core/common_runtime/function.h"
#include "core/framework/kernel_registry.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int kGraphDefVersion = 24;

}  // namespace

Status KernelCache::Create(const Node& node, Device* device,
                           std::shared_ptr<OpKernel>* kernel) const {
  OpKernel* made = nullptr;
  const bool is_call =
      functions_ != nullptr &&
      functions_->GetFunctionLibraryDefinition()->Contains(node.type_string());
  Status status =
      is_call
          ? MakeFunctionCallKernel(device, functions_, node.properties(), &made)
          : CreateOpKernel(DeviceType(device->device_type()), device,
                           device->GetAllocator(AllocatorAttributes()),
                           functions_, node.properties(), kGraphDefVersion,
                           &made);
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
