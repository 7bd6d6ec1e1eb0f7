// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 matrices by oneDNN: private to matmul_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

// Whether products of bfloat16 are quicker than those of floats, conversions
// included: on a processor that multiplies bfloat16 itself, of some size.
bool Bfloat16IsQuicker(const MatMulArgs& args);

// As MatMulFloat; sums are of floats, rounded once.  Only where
// Bfloat16IsQuicker.
Status MatMulBfloat16(OpKernelContext* ctx, const MatMulArgs& args,
                      const Eigen::bfloat16* a, const Eigen::bfloat16* b,
                      Eigen::bfloat16* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_BFLOAT16_H_
