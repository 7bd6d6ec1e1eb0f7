// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU: Max and Min; All and Any.

#include "core/kernels/lib/gpu/reduction_ops_gpu.cu.h"

namespace tensorwright {

TW_GPU_REDUCE_FLOATS(Max);
TW_GPU_REDUCE(Max, int64_t);
TW_GPU_REDUCE_FLOATS(Min);
TW_GPU_REDUCE(Min, int64_t);
TW_GPU_REDUCE(All, bool);
TW_GPU_REDUCE(Any, bool);

}  // namespace tensorwright
