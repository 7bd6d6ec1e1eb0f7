// SPDX-License-Identifier: Apache-2.0
// Registered kernels: made from what registers them, and as text for errors.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_registry_internal.h"
#include "core/framework/node_def_util.h"
#include "core/framework/symbol_name.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace kernel_registry_internal {
namespace {

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

}  // namespace

Status Make(const PendingKernel& pending, KernelRegistration* made) {
  pending.builder.Fill(&made->def);
  made->class_name = pending.class_name;
  if (pending.primitive != nullptr) {
    made->primitive = TypeName(*pending.primitive);
  }
  made->location = pending.location;
  made->factory = pending.factory;
  made->library = pending.library;
  made->overrides = pending.overrides;
  if (!made->def.device_type().empty()) return OkStatus();
  return errors::InvalidArgument("Kernel ", made->class_name, " for op ",
                                 made->def.op(), " is registered wrongly at ",
                                 At(made->location),
                                 ": it says no Device(...)");
}

std::string DescribeKernels(Kernels kernels) {
  if (kernels.empty()) return "  none\n";
  std::string text;
  for (const auto& kernel : kernels) {
    absl::StrAppend(&text, DescribeKernel(*kernel), "\n");
  }
  return text;
}

std::string DescribeChoice(Kernels kernels, const AttrSlice& attrs) {
  std::vector<std::string> parts;
  for (const auto& kernel : kernels) {
    for (const auto& constraint : kernel->def.constraint()) {
      const AttrValue* value = attrs.Find(constraint.name());
      if (value == nullptr) continue;
      parts.push_back(absl::StrCat(constraint.name(), "=",
                                   value->value_case() == AttrValue::kType
                                       ? DataTypeString(value->type())
                                       : SummarizeAttrValue(*value)));
    }
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const std::string& label = GetNodeAttrString(attrs, kKernelAttr);
  if (!label.empty()) parts.push_back(absl::StrCat("label='", label, "'"));
  return absl::StrJoin(parts, ", ");
}

}  // namespace kernel_registry_internal
}  // namespace tensorwright
