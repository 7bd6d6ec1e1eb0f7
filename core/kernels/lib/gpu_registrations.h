// SPDX-License-Identifier: Apache-2.0
// Registrations on GPUs of CPU kernels: of those that touch no element of a
// tensor, and of those that work on the host whatever the device.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REGISTRATIONS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REGISTRATIONS_H_

#include <initializer_list>

#include "core/framework/op_kernel.h"
#include "core/lib/core/source_location.h"

namespace tensorwright {

// The arguments of an op that a kernel only passes on.
using PassedArguments = std::initializer_list<const char*>;

// Registers a kernel on CPUs and GPUs, for what is in the GPU's memory and,
// with `passed` in host memory, for int32, strings and handles: on a GPU
// integers of 32 bits are shapes and indices, and host kernels compute them.
// Registers when it is constructed; never fails.
class PassingKernelRegistrar {
 public:
  // Attr `type` is the type of `passed`.
  PassingKernelRegistrar(const KernelDefBuilder& builder, const char* type,
                         PassedArguments passed, absl::string_view class_name,
                         kernel_factory::KernelFactory factory,
                         SourceLocation location);
};

// The types whose tensors live in a GPU's memory.
absl::Span<const DataType> TypesInGpuMemory();
// All types that nodes on a GPU take and give: those, int32, and what is in
// host memory whatever the device.
absl::Span<const DataType> TypesOnGpuDevices();

// At namespace scope, like REGISTER_KERNEL_BUILDER:
//   REGISTER_PASSING_KERNEL(Name("Identity"), "T", IdentityOp, "input",
//                           "output");
#define REGISTER_PASSING_KERNEL(builder, type, kernel, ...)               \
  REGISTER_PASSING_KERNEL_UNIQ_HELPER(__COUNTER__, builder, type, kernel, \
                                      __VA_ARGS__)
#define REGISTER_PASSING_KERNEL_UNIQ_HELPER(ctr, builder, type, kernel, ...) \
  REGISTER_PASSING_KERNEL_UNIQ(ctr, builder, type, kernel, __VA_ARGS__)
#define REGISTER_PASSING_KERNEL_UNIQ(ctr, builder, type, kernel, ...)         \
  [[maybe_unused]] static const PassingKernelRegistrar register_kernel_##ctr( \
      ::tensorwright::register_kernel::builder, type, {__VA_ARGS__}, #kernel, \
      &::tensorwright::kernel_factory::MakeKernel<kernel>,                    \
      ::tensorwright::SourceLocation{__FILE__, __LINE__})

// Registers a kernel on both, with nothing in common but the arguments that the
// builder has.
#define REGISTER_CPU_AND_GPU_KERNEL(builder, ...)                  \
  REGISTER_KERNEL_BUILDER(builder.Device(DEVICE_CPU), __VA_ARGS__) \
  REGISTER_KERNEL_BUILDER(builder.Device(DEVICE_GPU), __VA_ARGS__)
#define REGISTER_CPU_AND_GPU_KERNEL_FOR_TYPES(builder, attr_name, kernel, ...) \
  REGISTER_KERNEL_FOR_TYPES(builder.Device(DEVICE_CPU), attr_name, kernel,     \
                            __VA_ARGS__);                                      \
  REGISTER_KERNEL_FOR_TYPES(builder.Device(DEVICE_GPU), attr_name, kernel,     \
                            __VA_ARGS__)

// Registers a CPU kernel for int32 on GPUs.  The builder names by HostMemory
// all arguments that the kernel reads or makes.
#define REGISTER_HOST_INT32_ON_GPU(builder, type, ...) \
  REGISTER_KERNEL_BUILDER(                             \
      builder.Device(DEVICE_GPU).TypeConstraint<int32>(type), __VA_ARGS__)

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REGISTRATIONS_H_
