// SPDX-License-Identifier: Apache-2.0
// Kernels of Sum and Mean.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/reduction_ops.h"

namespace tensorwright {

template <typename T>
class MeanOp final : public ReductionOpBase {
 public:
  explicit MeanOp(OpKernelConstruction* ctx)
      : ReductionOpBase(ctx, MeanLoopsOf<T>(), /*is_mean=*/true) {}
};

REGISTER_KERNEL_FOR_TYPES(
    Name("Sum").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    Reduction<SumReducer>::Op, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("Mean").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    MeanOp, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double, complex64, complex128);

}  // namespace tensorwright
