// SPDX-License-Identifier: Apache-2.0
// Products of float matrices by oneDNN, for MatMul and BatchMatMul.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_H_

#include <cstdint>

#include "core/framework/op_kernel.h"

namespace tensorwright {

// c[i] = op(a[i]) x op(b[i]), 0 <= i < batch, all matrices row-major and next
// to each other: op(a[i]) [m, k], op(b[i]) [k, n], c[i] [m, n].  A transposed
// argument is stored as [k, m] or [n, k].  Every size is positive.
struct MatMulArgs {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

Status MatMulFloat(OpKernelContext* ctx, const MatMulArgs& args, const float* a,
                   const float* b, float* c);

// The same for every type that Gemm has.
template <typename T>
Status MatMulGeneric(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                     const T* b, T* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_H_
