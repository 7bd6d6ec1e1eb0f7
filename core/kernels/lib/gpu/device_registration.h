// SPDX-License-Identifier: Apache-2.0
// Registers the kernels that only move elements on GPUs.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_REGISTRATION_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_REGISTRATION_H_

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"

namespace tensorwright {

// Registers Kernel on GPUs for each fixed-size dtype of attr `type`.  As in
// TensorFlow, int32 stays in the host's memory, because it is shapes and
// indices: argument `in` and output `out` are there then.  If `in` is null,
// int32 is like the others.
template <class Kernel>
class MoverRegistrar {
 public:
  MoverRegistrar(const char* type, KernelDefBuilder builder, const char* in,
                 const char* out, const char* class_name,
                 SourceLocation location) {
    builder.Device(DEVICE_GPU);
    if (in == nullptr) {
      Register(builder.TypeConstraint(type, kAll), class_name, location);
      return;
    }
    Register(KernelDefBuilder(builder).TypeConstraint(
                 type, absl::MakeConstSpan(kAll).subspan(1)),
             class_name, location);
    Register(
        builder.HostMemory(in).HostMemory(out).TypeConstraint(type, DT_INT32),
        class_name, location);
  }

 private:
  // int32 is the first.
  static constexpr DataType kAll[] = {
      DT_INT32,    DT_BOOL,   DT_INT8,   DT_INT16,     DT_INT64,
      DT_UINT8,    DT_UINT16, DT_UINT32, DT_UINT64,    DT_HALF,
      DT_BFLOAT16, DT_FLOAT,  DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128};

  static void Register(const KernelDefBuilder& builder, const char* class_name,
                       SourceLocation location) {
    kernel_factory::OpKernelRegistrar(builder, class_name, nullptr,
                                      &kernel_factory::MakeKernel<Kernel>,
                                      location);
  }
};

// At namespace scope.  `builder` starts with Name("Op") and names the
// arguments that are always in the host's memory.  A macro for the class's name
// and place, like REGISTER_KERNEL_BUILDER.
#define REGISTER_MOVER_ON_GPU(kernel, type, builder, in, out) \
  REGISTER_MOVER_ON_GPU_HELPER(__COUNTER__, kernel, type, builder, in, out)
#define REGISTER_MOVER_ON_GPU_HELPER(ctr, kernel, type, builder, in, out) \
  REGISTER_MOVER_ON_GPU_UNIQ(ctr, kernel, type, builder, in, out)
#define REGISTER_MOVER_ON_GPU_UNIQ(ctr, kernel, type, builder, in, out)        \
  [[maybe_unused]] static const ::tensorwright::MoverRegistrar<kernel>         \
      register_mover_##ctr(type, ::tensorwright::register_kernel::builder, in, \
                           out, #kernel,                                       \
                           ::tensorwright::SourceLocation{__FILE__, __LINE__})

// The same for a kernel that indices or conditions tell which elements to move:
// its int32 is on the device, too.
#define REGISTER_CHOOSER_ON_GPU(kernel, type, builder) \
  REGISTER_MOVER_ON_GPU(kernel, type, builder, nullptr, nullptr)

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_REGISTRATION_H_
