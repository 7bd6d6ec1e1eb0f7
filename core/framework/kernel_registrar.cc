// SPDX-License-Identifier: Apache-2.0
// Registering a kernel: at once, or on the stage of the library that is loaded.
#include <string>
#include <typeinfo>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/staged_registrations.h"

namespace tensorwright {
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
