// SPDX-License-Identifier: Apache-2.0
// Products of many small matrices: private to matmul_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

// Whether MatMulSmall takes these sizes, and is the quickest for many of them.
bool IsSmallMatMul(const MatMulArgs& args);

// As MatMulFloat, for float and double.
template <typename T>
void MatMulSmall(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                 const T* b, T* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_
