// SPDX-License-Identifier: Apache-2.0
// The kernel registry: keeps an op's registrations as they are until the op is
// first looked up.
#include "core/framework/kernel_registry.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
namespace kernel_registry_internal {

Status Make(const PendingKernel& pending, KernelRegistration* made) {
  pending.builder.Fill(&made->def);
  made->class_name = pending.class_name;
  if (pending.primitive != nullptr) {
    made->primitive = TypeName(*pending.primitive);
  }
  made->location = pending.location;
  made->factory = pending.factory;
  if (!made->def.device_type().empty()) return OkStatus();
  return errors::InvalidArgument("Kernel ", made->class_name, " for op ",
                                 made->def.op(), " is registered wrongly at ",
                                 At(made->location),
                                 ": it says no Device(...)");
}

}  // namespace kernel_registry_internal

namespace {

using kernel_registry_internal::Allows;
using kernel_registry_internal::At;
using kernel_registry_internal::CheckAgainstOp;
using kernel_registry_internal::Make;
using kernel_registry_internal::Types;

// The attr that chooses among kernels by label.
constexpr char kKernelAttr[] = "_kernel";

// The kernels of one op.
struct OpKernels {
  std::vector<PendingKernel> pending;
  std::vector<std::unique_ptr<const KernelRegistration>> ready;
  // The first mistake among them; look-ups for the op return it.
  Status status;
};

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

std::string DescribeKernel(const KernelRegistration& kernel) {
  std::string text = absl::StrCat("  device='", kernel.def.device_type(), "'");
  if (!kernel.def.label().empty()) {
    absl::StrAppend(&text, "; label='", kernel.def.label(), "'");
  }
  for (const auto& constraint : kernel.def.constraint()) {
    absl::StrAppend(
        &text, "; ", constraint.name(), " in [",
        absl::StrJoin(constraint.allowed_values().list().type(), ", ",
                      [](std::string* out, int type) {
                        out->append(
                            DataTypeString(static_cast<DataType>(type)));
                      }),
        "]");
  }
  return text;
}

std::string DescribeKernels(const OpKernels* kernels) {
  if (kernels == nullptr || kernels->ready.empty()) return "  none\n";
  std::string text;
  for (const auto& kernel : kernels->ready) {
    absl::StrAppend(&text, DescribeKernel(*kernel), "\n");
  }
  return text;
}

// The attrs that kernels choose by, as the node has them: "T=float".
std::string DescribeChoice(const OpKernels* kernels, const AttrSlice& attrs) {
  std::vector<std::string> parts;
  if (kernels != nullptr) {
    for (const auto& kernel : kernels->ready) {
      for (const auto& constraint : kernel->def.constraint()) {
        const AttrValue* value = attrs.Find(constraint.name());
        if (value == nullptr) continue;
        parts.push_back(absl::StrCat(constraint.name(), "=",
                                     value->value_case() == AttrValue::kType
                                         ? DataTypeString(value->type())
                                         : SummarizeAttrValue(*value)));
      }
    }
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const std::string& label = GetNodeAttrString(attrs, kKernelAttr);
  if (!label.empty()) parts.push_back(absl::StrCat("label='", label, "'"));
  return absl::StrJoin(parts, ", ");
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
        kernel->def.label() != label) {
      continue;
    }
    bool match;
    TF_RETURN_IF_ERROR(AttrsMatch(attrs, *kernel, &match));
    if (!match) continue;
    if (*best == nullptr || kernel->def.priority() > (*best)->def.priority()) {
      *best = kernel.get();
    } else if (kernel->def.priority() == (*best)->def.priority()) {
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
        const std::string choice = DescribeChoice(kernels, attrs);
        return errors::NotFound("Op ", op, " has no kernel for device ",
                                device_type.type_string(),
                                choice.empty() ? "" : " with ", choice,
                                ". Its kernels:\n", DescribeKernels(kernels));
      });
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
  return KernelRegistry::Global()->With(op, DescribeKernels);
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

void HideKernels(const std::string& op) { KernelRegistry::Global()->Hide(op); }

namespace kernel_factory {

OpKernelRegistrar::OpKernelRegistrar(const KernelDefBuilder& builder,
                                     absl::string_view class_name,
                                     const std::type_info* primitive,
                                     KernelFactory factory,
                                     SourceLocation location) {
  PendingKernel pending{builder, std::string(class_name), primitive, factory,
                        location};
  if (auto* staged = StagedRegistrations::Current()) {
    staged->kernels.push_back(std::move(pending));
  } else {
    CommitKernel(std::move(pending));
  }
}

void RegisterTypedKernels(const KernelDefBuilder& builder,
                          const char* attr_name, const char* class_name,
                          absl::Span<const TypedKernel> kernels,
                          SourceLocation location) {
  for (const TypedKernel& kernel : kernels) {
    KernelDefBuilder typed = builder;
    typed.TypeConstraint(attr_name, kernel.type);
    OpKernelRegistrar(
        typed, absl::StrCat(class_name, "<", DataTypeString(kernel.type), ">"),
        kernel.primitive, kernel.factory, location);
  }
}

}  // namespace kernel_factory
}  // namespace tensorwright
