// SPDX-License-Identifier: Apache-2.0
// TopK on a GPU, for the host's side of the kernel.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// The k largest of each row of n, in descending order, and their places; of
// equals the earlier one comes first, and NaN counts as the largest.
template <typename T>
Status GpuTopK(CUstream_st* stream, const void* x, int64_t rows, int64_t n,
               int64_t k, int64_t index_bytes, void* values, void* indices);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_GPU_H_
