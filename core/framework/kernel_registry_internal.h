// SPDX-License-Identifier: Apache-2.0
// Helpers that the sources of the kernel registry share; for them only.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_INTERNAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_INTERNAL_H_

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/framework/kernel_def.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace kernel_registry_internal {

// "file:line".
inline std::string At(SourceLocation location) {
  return absl::StrCat(location.file, ":", location.line);
}

// The registration that `pending` asks for.  InvalidArgument if it names no
// device.
Status Make(const PendingKernel& pending, KernelRegistration* made);

// Does a registration fit its op?  A type that the op does not allow is a
// mistake in this library; in sources written for TensorFlow, which register
// lists of types, it only means a kernel that is never asked for.
enum class Types { kAny, kAllowedOnly };
Status CheckAgainstOp(const KernelRegistration& kernel, const OpDef& op_def,
                      Types types);

// The attr that chooses among kernels by label.
inline constexpr char kKernelAttr[] = "_kernel";

using Kernels = absl::Span<const std::unique_ptr<const KernelRegistration>>;

// A line for each; "  none" if there is none.
std::string DescribeKernels(Kernels kernels);

// The attrs that these kernels choose by, as a node has them: "T=float".
std::string DescribeChoice(Kernels kernels, const AttrSlice& attrs);

// Does the constraint allow this DataType?
inline bool Allows(const KernelDef::AttrConstraint& constraint, int type) {
  for (int allowed : constraint.allowed_values().list().type()) {
    if (allowed == type) return true;
  }
  return false;
}

}  // namespace kernel_registry_internal
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_INTERNAL_H_
