// SPDX-License-Identifier: Apache-2.0
// The kernel registry: keeps an op's registrations as they are until the op is
// first looked up.
#include "core/framework/kernel_registry.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_registry_internal.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/op_registration.h"
#include "core/framework/staged_registrations.h"
#include "core/framework/symbol_name.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using kernel_registry_internal::Allows;
using kernel_registry_internal::At;
using kernel_registry_internal::CheckAgainstOp;
using kernel_registry_internal::DescribeChoice;
using kernel_registry_internal::DescribeKernels;
using kernel_registry_internal::Kernels;
using kernel_registry_internal::kKernelAttr;
using kernel_registry_internal::Make;
using kernel_registry_internal::Types;

// The kernels of one op.
struct OpKernels {
  std::vector<PendingKernel> pending;
  std::vector<std::unique_ptr<const KernelRegistration>> ready;
  // The first mistake among them; look-ups for the op return it.
  Status status;
};

Kernels ReadyOf(const OpKernels* kernels) {
  return kernels == nullptr ? Kernels() : Kernels(kernels->ready);
}

class KernelRegistry {
 public:
  static KernelRegistry* Global() {
    static KernelRegistry* const registry = new KernelRegistry;
    return registry;
  }

  void Add(PendingKernel pending) {
    absl::MutexLock lock(&mu_);
    kernels_[pending.builder.op()].pending.push_back(std::move(pending));
  }

  // Adds a library's, in the place of those of library `replaced`; returns the
  // ops of both.
  std::vector<std::string> Add(std::vector<PendingKernel> kernels,
                               int replaced) {
    std::vector<std::string> ops;
    absl::MutexLock lock(&mu_);
    if (replaced != 0) {
      for (auto& [op, of_op] : kernels_) {
        if (Retire(&of_op, replaced)) ops.push_back(op);
      }
    }
    for (PendingKernel& pending : kernels) {
      has_libraries_ = true;
      if (pending.overrides) has_overrides_ = true;
      ops.push_back(pending.builder.op());
      kernels_[ops.back()].pending.push_back(std::move(pending));
    }
    return ops;
  }

  // Is one there, or has one been?
  bool has_libraries() const { return has_libraries_; }
  bool has_overrides() const { return has_overrides_; }

  void Hide(const std::string& op) {
    absl::MutexLock lock(&mu_);
    auto it = kernels_.find(op);
    if (it == kernels_.end()) return;
    hidden_.push_back(std::move(it->second));
    kernels_.erase(it);
  }

  // Runs `fn` on the op's kernels, all ready; on null if it has none.
  template <typename F>
  auto With(absl::string_view op, F fn) {
    {
      absl::ReaderMutexLock lock(&mu_);
      auto it = kernels_.find(op);
      if (it == kernels_.end()) return fn(nullptr);
      if (it->second.pending.empty()) return fn(&it->second);
    }
    absl::MutexLock lock(&mu_);
    auto it = kernels_.find(op);
    // The op is hidden for the moment.
    if (it == kernels_.end()) return fn(nullptr);
    MakeReady(op, &it->second);
    return fn(&it->second);
  }

  std::vector<std::string> Ops() {
    absl::ReaderMutexLock lock(&mu_);
    std::vector<std::string> ops;
    for (const auto& entry : kernels_) ops.push_back(entry.first);
    std::sort(ops.begin(), ops.end());
    return ops;
  }

 private:
  // Takes a library's kernels away; whether there were any.
  bool Retire(OpKernels* kernels, int library)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const size_t pending = std::erase_if(
        kernels->pending,
        [library](const PendingKernel& k) { return k.library == library; });
    const auto retired = std::stable_partition(
        kernels->ready.begin(), kernels->ready.end(),
        [library](const auto& k) { return k->library != library; });
    const bool found = pending > 0 || retired != kernels->ready.end();
    std::move(retired, kernels->ready.end(), std::back_inserter(retired_));
    kernels->ready.erase(retired, kernels->ready.end());
    return found;
  }

  static void MakeReady(absl::string_view op, OpKernels* kernels) {
    std::vector<PendingKernel> pending;
    pending.swap(kernels->pending);
    // A kernel may be linked without its op, for a graph that never has it;
    // then the op's look-up fails, not this.
    const OpRegistrationData* op_data = OpRegistry::Global()->LookUp(op);
    for (PendingKernel& p : pending) {
      auto made = std::make_unique<KernelRegistration>();
      Status status = Make(p, made.get());
      if (!status.ok()) {
        kernels->status.Update(status);
        continue;
      }
      if (op_data != nullptr) {
        kernels->status.Update(
            CheckAgainstOp(*made, op_data->op_def, Types::kAny));
      }
      kernels->ready.push_back(std::move(made));
    }
  }

  absl::Mutex mu_;
  absl::flat_hash_map<std::string, OpKernels> kernels_ ABSL_GUARDED_BY(mu_);
  // The kernels of ops that a loaded library replaced; callers that found one
  // still hold it.
  std::vector<OpKernels> hidden_ ABSL_GUARDED_BY(mu_);
  // The same of libraries that were loaded again.
  std::vector<std::unique_ptr<const KernelRegistration>> retired_
      ABSL_GUARDED_BY(mu_);
  std::atomic<bool> has_libraries_ = false;
  std::atomic<bool> has_overrides_ = false;
};

// Sets *match to whether the attrs satisfy the kernel's constraints.
Status AttrsMatch(const AttrSlice& attrs, const KernelRegistration& kernel,
                  bool* match) {
  *match = false;
  for (const auto& constraint : kernel.def.constraint()) {
    const AttrValue* value = attrs.Find(constraint.name());
    if (value == nullptr) {
      return errors::InvalidArgument(
          "Op ", kernel.def.op(), ": attr '", constraint.name(),
          "', which kernel ", kernel.class_name, " (", At(kernel.location),
          ") asks for, is missing");
    }
    if (value->value_case() == AttrValue::kType) {
      if (!Allows(constraint, value->type())) return OkStatus();
    } else if (value->value_case() == AttrValue::kList) {
      for (int type : value->list().type()) {
        if (!Allows(constraint, type)) return OkStatus();
      }
    } else {
      return errors::InvalidArgument(
          "Op ", kernel.def.op(), ": attr '", constraint.name(),
          "' must be a type, got ", SummarizeAttrValue(*value));
    }
  }
  *match = true;
  return OkStatus();
}

// Is the node not meant for kernels that override?
bool WantsBuiltIn(const AttrSlice& attrs) {
  const AttrValue* value = attrs.Find(kBuiltInKernelAttr);
  return value != nullptr && value->b();
}

// Orders kernels that fit a node: the one with the higher rank runs.
std::pair<bool, int> Rank(const KernelRegistration& kernel) {
  return {kernel.overrides, kernel.def.priority()};
}

// The best kernel for the attrs on the device; null if none fits.
Status FindBestOnDevice(const OpKernels* kernels, absl::string_view device_type,
                        const AttrSlice& attrs,
                        const KernelRegistration** best) {
  *best = nullptr;
  if (kernels == nullptr) return OkStatus();
  TF_RETURN_IF_ERROR(kernels->status);
  const std::string& label = GetNodeAttrString(attrs, kKernelAttr);
  for (const auto& kernel : kernels->ready) {
    if (kernel->def.device_type() != device_type ||
        kernel->def.label() != label ||
        (kernel->overrides && WantsBuiltIn(attrs))) {
      continue;
    }
    bool match;
    TF_RETURN_IF_ERROR(AttrsMatch(attrs, *kernel, &match));
    if (!match) continue;
    if (*best == nullptr || Rank(*kernel) > Rank(**best)) {
      *best = kernel.get();
    } else if (Rank(*kernel) == Rank(**best)) {
      return errors::InvalidArgument(
          "Op ", kernel->def.op(), " has two kernels for device ", device_type,
          " and the same types, ", (*best)->class_name, " at ",
          At((*best)->location), " and ", kernel->class_name, " at ",
          At(kernel->location));
    }
  }
  return OkStatus();
}

// A kernel for DEVICE_DEFAULT runs on devices that have none of their own.
Status FindBest(const OpKernels* kernels, absl::string_view device_type,
                const AttrSlice& attrs, const KernelRegistration** best) {
  TF_RETURN_IF_ERROR(FindBestOnDevice(kernels, device_type, attrs, best));
  if (*best != nullptr) return OkStatus();
  return FindBestOnDevice(kernels, DEVICE_DEFAULT, attrs, best);
}

}  // namespace

std::vector<const KernelRegistration*> RegisteredKernelsForOp(
    absl::string_view op) {
  return KernelRegistry::Global()->With(op, [](const OpKernels* kernels) {
    std::vector<const KernelRegistration*> result;
    if (kernels != nullptr) {
      for (const auto& kernel : kernels->ready) result.push_back(kernel.get());
    }
    return result;
  });
}

std::vector<const KernelRegistration*> RegisteredKernels() {
  std::vector<const KernelRegistration*> result;
  for (const std::string& op : KernelRegistry::Global()->Ops()) {
    const auto kernels = RegisteredKernelsForOp(op);
    result.insert(result.end(), kernels.begin(), kernels.end());
  }
  return result;
}

Status FindKernelRegistration(const DeviceType& device_type,
                              absl::string_view op, const AttrSlice& attrs,
                              const KernelRegistration** registration) {
  return KernelRegistry::Global()->With(
      op, [&](const OpKernels* kernels) -> Status {
        TF_RETURN_IF_ERROR(
            FindBest(kernels, device_type.type_string(), attrs, registration));
        if (*registration != nullptr) return OkStatus();
        const std::string choice = DescribeChoice(ReadyOf(kernels), attrs);
        return errors::NotFound(
            "Op ", op, " has no kernel for device ", device_type.type_string(),
            choice.empty() ? "" : " with ", choice, ". Its kernels:\n",
            DescribeKernels(ReadyOf(kernels)));
      });
}

bool IsOverridden(const DeviceType& device_type, absl::string_view op,
                  const AttrSlice& attrs) {
  if (!KernelRegistry::Global()->has_overrides()) return false;
  const KernelRegistration* kernel = nullptr;
  return FindKernelRegistration(device_type, op, attrs, &kernel).ok() &&
         kernel->overrides;
}

bool HasLibraryKernel(absl::string_view op) {
  if (!KernelRegistry::Global()->has_libraries()) return false;
  return absl::c_any_of(
      RegisteredKernelsForOp(op),
      [](const KernelRegistration* kernel) { return kernel->library != 0; });
}

Status FindKernelDef(const DeviceType& device_type, const NodeDef& node_def,
                     const KernelDef** def, std::string* kernel_class_name) {
  const KernelRegistration* kernel;
  TF_RETURN_IF_ERROR(
      FindKernelRegistration(device_type, node_def.op(), node_def, &kernel));
  if (def != nullptr) *def = &kernel->def;
  if (kernel_class_name != nullptr) *kernel_class_name = kernel->class_name;
  return OkStatus();
}

Status SupportedDeviceTypesForNode(
    const std::vector<DeviceType>& prioritized_types, const NodeDef& def,
    DeviceTypeVector* device_types) {
  const OpRegistrationData* op;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(def.op(), &op));
  const AttrSlice attrs(def);
  return KernelRegistry::Global()->With(
      def.op(), [&](const OpKernels* kernels) -> Status {
        for (const DeviceType& type : prioritized_types) {
          const KernelRegistration* kernel;
          TF_RETURN_IF_ERROR(
              FindBest(kernels, type.type_string(), attrs, &kernel));
          if (kernel != nullptr) device_types->push_back(type);
        }
        return OkStatus();
      });
}

bool KernelDefAvailable(const DeviceType& device_type, absl::string_view op) {
  for (const KernelRegistration* kernel : RegisteredKernelsForOp(op)) {
    const std::string& device = kernel->def.device_type();
    if (device == device_type.type_string() || device == DEVICE_DEFAULT) {
      return true;
    }
  }
  return false;
}

std::string KernelsRegisteredForOp(absl::string_view op) {
  return KernelRegistry::Global()->With(op, [](const OpKernels* kernels) {
    return DescribeKernels(ReadyOf(kernels));
  });
}

Status ValidateKernelRegistrations(const OpRegistryInterface& op_registry) {
  for (const std::string& op : KernelRegistry::Global()->Ops()) {
    const auto kernels = RegisteredKernelsForOp(op);
    TF_RETURN_IF_ERROR(KernelRegistry::Global()->With(
        op, [](const OpKernels* k) { return k->status; }));
    const OpRegistrationData* data;
    Status s = op_registry.LookUp(op, &data);
    if (!s.ok()) {
      return errors::InvalidArgument("Kernel ", kernels.front()->class_name,
                                     " at ", At(kernels.front()->location),
                                     ": ", s.message());
    }
    for (const KernelRegistration* kernel : kernels) {
      TF_RETURN_IF_ERROR(
          CheckAgainstOp(*kernel, data->op_def, Types::kAllowedOnly));
    }
  }
  return OkStatus();
}

void CommitKernel(PendingKernel kernel) {
  KernelRegistry::Global()->Add(std::move(kernel));
}

void CommitKernels(std::vector<PendingKernel> kernels, int replaced) {
  const std::vector<std::string> ops =
      KernelRegistry::Global()->Add(std::move(kernels), replaced);
  if (replaced != 0) NoteKernelReload(ops);
}

void HideKernels(const std::string& op) { KernelRegistry::Global()->Hide(op); }

}  // namespace tensorwright
