// SPDX-License-Identifier: Apache-2.0
// AddN on a GPU, for the host's side of the kernel.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_AGGREGATE_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_AGGREGATE_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

struct GpuAddends {
  static constexpr int kMost = 16;
  int count = 0;
  const void* in[kMost];
};

// out[i] = in[0][i] + in[1][i] + ..., from left to right; out may be in[0].
template <typename T>
Status GpuAddN(CUstream_st* stream, const GpuAddends& addends, int64_t n,
               void* out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_AGGREGATE_OPS_GPU_H_
