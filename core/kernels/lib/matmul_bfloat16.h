// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 matrices by oneDNN: private to matmul*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

// Does the processor multiply bfloat16 itself?
bool MultipliesBfloat16();

// As MatMulFloat; sums are floats, rounded once.  Call it only if ChooseMatMul
// (matmul_choose.h) returns kBfloat16.
Status MatMulBfloat16(OpKernelContext* ctx, const MatMulArgs& args,
                      const Eigen::bfloat16* a, const Eigen::bfloat16* b,
                      Eigen::bfloat16* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_
