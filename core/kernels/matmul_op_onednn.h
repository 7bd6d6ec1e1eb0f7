// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 matrices by oneDNN: private to matmul_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATMUL_OP_ONEDNN_H_
#define TENSORWRIGHT_CORE_KERNELS_MATMUL_OP_ONEDNN_H_

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/matmul_op.h"

namespace tensorwright {

// As MatMulFloat, on a processor that multiplies bfloat16 itself: sums are of
// floats, rounded once.  Unimplemented on others, and where floats are quicker.
Status MatMulBfloat16(OpKernelContext* ctx, const MatMulArgs& args,
                      const Eigen::bfloat16* a, const Eigen::bfloat16* b,
                      Eigen::bfloat16* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATMUL_OP_ONEDNN_H_
