// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lib/gpu_registrations.h"

#include <iterator>

namespace tensorwright {

namespace {

constexpr DataType kTypes[] = {DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE,
                               DT_INT64, DT_BOOL, DT_INT8, DT_UINT8, DT_INT16,
                               DT_UINT16, DT_UINT32, DT_UINT64, DT_COMPLEX64,
                               DT_COMPLEX128,
                               // In host memory, or wherever a kernel wants it.
                               DT_INT32, DT_STRING, DT_RESOURCE};
constexpr size_t kNotInGpuMemory = 3;

}  // namespace

absl::Span<const DataType> TypesInGpuMemory() {
  return absl::MakeConstSpan(kTypes).first(std::size(kTypes) - kNotInGpuMemory);
}

absl::Span<const DataType> TypesOnGpuDevices() { return kTypes; }

PassingKernelRegistrar::PassingKernelRegistrar(
    const KernelDefBuilder& builder, const char* type, PassedArguments passed,
    absl::string_view class_name, kernel_factory::KernelFactory factory,
    SourceLocation location) {
  const auto add = [&](const KernelDefBuilder& with) {
    kernel_factory::OpKernelRegistrar(with, class_name, nullptr, factory,
                                      location);
  };
  add(KernelDefBuilder(builder).Device(DEVICE_CPU));
  add(KernelDefBuilder(builder)
          .Device(DEVICE_GPU)
          .TypeConstraint(type, TypesInGpuMemory()));
  KernelDefBuilder host(builder);
  host.Device(DEVICE_GPU)
      .TypeConstraint(type, absl::MakeConstSpan(kTypes).last(kNotInGpuMemory));
  for (const char* argument : passed) host.HostMemory(argument);
  add(host);
}

}  // namespace tensorwright
