// SPDX-License-Identifier: Apache-2.0
// KernelCache.
#include "core/common_runtime/kernel_cache.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "core/common_runtime/function.h"
#include "core/common_runtime/running_kernel.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_def.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int kGraphDefVersion = 24;

// Attrs that tell the runtime something, and the kernel nothing.
bool IsHint(const std::string& attr) { return attr[0] == '_'; }

int CountOfAttrs(const NodeDef& def) {
  return static_cast<int>(absl::c_count_if(
      def.attr(), [](const auto& attr) { return !IsHint(attr.first); }));
}

// Can a kernel that was made for `known` serve a node of that name with the
// definition `def`?  The op may be another one: a client of a server names
// nodes as it likes.
bool IsSameKernel(const NodeDef& known, const NodeDef& def) {
  if (known.op() != def.op() || CountOfAttrs(known) != CountOfAttrs(def)) {
    return false;
  }
  return absl::c_all_of(known.attr(), [&def](const auto& attr) {
    if (IsHint(attr.first)) return true;
    const auto it = def.attr().find(attr.first);
    return it != def.attr().end() &&
           AreAttrValuesEqual(attr.second, it->second);
  });
}

}  // namespace

Status KernelCache::Create(const Node& node, Device* device,
                           std::shared_ptr<OpKernel>* kernel) const {
  OpKernel* made = nullptr;
  const KernelConstructionScope constructing(node.def());
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
  // The names of nodes that the runtime adds belong to their plan only.
  if (!node.op_def().is_stateful() || node.name()[0] == '_' ||
      node.type_string()[0] == '_') {
    return Create(node, device, kernel);
  }
  absl::MutexLock lock(&mu_);
  Stateful& known = stateful_[{device, node.name()}];
  const int64_t reloads = KernelReloads();
  if (known.kernel == nullptr ||
      !IsSameKernel(known.kernel->def(), node.def()) ||
      (known.reloads != reloads &&
       AnyReloadedSince({node.type_string()}, known.reloads))) {
    std::shared_ptr<OpKernel> made;
    TF_RETURN_IF_ERROR(Create(node, device, &made));
    known.kernel = std::move(made);
  }
  known.reloads = reloads;
  *kernel = known.kernel;
  return OkStatus();
}

}  // namespace tensorwright
