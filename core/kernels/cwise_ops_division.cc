// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of two arguments: quotients, remainders and powers.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/kernels/cwise_ops_quotient.h"

namespace tensorwright {

template <typename C>
class ComplexDivOp final : public BinaryOpBase {
 public:
  explicit ComplexDivOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ComplexQuotientLoop<C>, "", /*cost=*/5) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_CPU), "T",
                          Binary<functor::Div, 3>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_CPU), "T", ComplexDivOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("RealDiv").Device(DEVICE_CPU), "T",
                          Binary<functor::Div, 2>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("RealDiv").Device(DEVICE_CPU), "T", ComplexDivOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("FloorDiv").Device(DEVICE_CPU), "T",
                          Binary<functor::FloorDiv, 5>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateDiv").Device(DEVICE_CPU), "T",
                          Binary<functor::TruncateDiv, 5>::Op, int8, int16,
                          int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("FloorMod").Device(DEVICE_CPU), "T",
                          Binary<functor::FloorMod, 6>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Mod").Device(DEVICE_CPU), "T",
                          Binary<functor::Mod, 6>::Op, int32, int64_t,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateMod").Device(DEVICE_CPU), "T",
                          Binary<functor::Mod, 6>::Op, int32, int64_t,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Pow").Device(DEVICE_CPU), "T",
                          Binary<functor::Pow, 20>::Op, int8, int16, int32,
                          int64_t, Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);

}  // namespace tensorwright
