// SPDX-License-Identifier: Apache-2.0
// Cumsum and Cumprod on a GPU, for the host's side of the kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// out[o, i, j] combines x[o, 0..i, j]: a product if kProduct, else a sum.
// `exclusive`: without x[o, i, j]; `reverse`: from the end.
template <typename T, bool kProduct>
Status GpuScan(CUstream_st* stream, const void* x, int64_t outer, int64_t n,
               int64_t inner, bool exclusive, bool reverse, void* out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_GPU_H_
