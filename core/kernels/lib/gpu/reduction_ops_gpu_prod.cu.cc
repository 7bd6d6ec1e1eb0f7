// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU: Prod.

#include "core/kernels/lib/gpu/reduction_ops_gpu.cu.h"

namespace tensorwright {

TW_GPU_REDUCE_FLOATS(Prod);
TW_GPU_REDUCE(Prod, int64_t);

}  // namespace tensorwright
