// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU: Sum and Mean of elements, and of squares.

#include "core/kernels/lib/gpu/reduction_ops_gpu.cu.h"

namespace tensorwright {

TW_GPU_REDUCE_FLOATS(Sum);
TW_GPU_REDUCE(Sum, int64_t);
TW_GPU_REDUCE_FLOATS(Mean);
TW_GPU_REDUCE(Mean, int64_t);
TW_GPU_REDUCE_FLOATS(L2Loss);
TW_GPU_REDUCE_FLOATS(EuclideanNorm);

}  // namespace tensorwright
