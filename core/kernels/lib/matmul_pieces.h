// SPDX-License-Identifier: Apache-2.0
// Products of float matrices whose bits do not depend on the number of threads.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_PIECES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_PIECES_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

// MatMulFloat in pieces that the sizes decide, each by one call of dnnl_sgemm
// on one thread.  A product with few rows and columns is divided along k, and
// its pieces are added in their order.
Status MatMulInPieces(OpKernelContext* ctx, const MatMulArgs& args,
                      const float* a, const float* b, float* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_PIECES_H_
