// SPDX-License-Identifier: Apache-2.0
// Batched matrix products of tensors as a function, for MatMul, BatchMatMul and
// Einsum.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_MATMUL_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_MATMUL_OP_H_

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/matmul.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Multiplies the matrices in a and b into `product`.  All three have type T and
// as many elements as `args` says, in any shape, and share no memory.  Unlike
// in MatMulFloat, sizes may be 0.  T: float, half, bfloat16, double, int16,
// int32, int64, complex64, complex128.
template <typename T>
Status MatrixProducts(OpKernelContext* ctx, const MatMulArgs& args,
                      const Tensor& a, const Tensor& b, Tensor* product);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_MATMUL_OP_H_
