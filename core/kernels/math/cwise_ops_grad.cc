// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise ops, from the op's result y and the gradient dy.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_half.h"
#include "core/kernels/math/cwise_ops_quotient.h"

namespace tensorwright {

template <typename C>
class ComplexSqrtGradOp final : public BinaryOpBase {
 public:
  explicit ComplexSqrtGradOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ComplexSqrtGradLoop<C>, "", /*cost=*/5) {}
};

template <typename C>
class ComplexRsqrtGradOp final : public BinaryOpBase {
 public:
  explicit ComplexRsqrtGradOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ComplexRsqrtGradLoop<C>, "", /*cost=*/3) {}
};

template <typename C>
class ComplexReciprocalGradOp final : public BinaryOpBase {
 public:
  explicit ComplexReciprocalGradOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ComplexReciprocalGradLoop<C>, "", /*cost=*/3) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("SqrtGrad").Device(DEVICE_CPU), "T",
                          ComplexSqrtGradOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("RsqrtGrad").Device(DEVICE_CPU), "T",
                          ComplexRsqrtGradOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ReciprocalGrad").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::ReciprocalGrad>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("ReciprocalGrad").Device(DEVICE_CPU), "T",
                          ComplexReciprocalGradOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("InvGrad").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::ReciprocalGrad>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("InvGrad").Device(DEVICE_CPU), "T",
                          ComplexReciprocalGradOp, complex64, complex128);

}  // namespace tensorwright

#define TW_ROWS TW_GRAD_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"
