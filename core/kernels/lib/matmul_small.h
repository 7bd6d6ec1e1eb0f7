// SPDX-License-Identifier: Apache-2.0
// Products of many small matrices: private to matmul*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

// The longest dimension that is summed over here.
inline constexpr int64_t kMaxTileDepth = 64;

// As MatMulFloat, for float and double; k <= kMaxTileDepth.  CanTiles
// (matmul_choose.h) tells for which sizes it is the quickest.
template <typename T>
void MatMulSmall(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                 const T* b, T* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_SMALL_H_
