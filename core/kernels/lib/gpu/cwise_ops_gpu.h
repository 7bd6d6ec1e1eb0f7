// SPDX-License-Identifier: Apache-2.0
// Elementwise loops on a GPU, which the device's sources offer to the host's
// kernel classes.  This header knows neither tensors nor CUDA's headers, so
// that nvcc and the host compiler both read it.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_CWISE_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_CWISE_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// How two inputs map to an output of `rank` dimensions; a stride of 0 stretches
// that input along a dimension.
struct GpuBroadcast {
  static constexpr int kMaxRank = 8;
  int rank = 0;
  int64_t sizes[kMaxRank];
  int64_t x_strides[kMaxRank];
  int64_t y_strides[kMaxRank];
};

// y[i] = F(x[i]), 0 <= i < n, enqueued on `stream`; device pointers of any
// alignment.
using GpuUnaryFn = Status (*)(CUstream_st* stream, const void* x, void* y,
                              int64_t n);
template <template <typename> class F, typename T>
Status GpuUnary(CUstream_st* stream, const void* x, void* y, int64_t n);

// z[i] = F(x[...], y[...]), 0 <= i < n.  `broadcast` null: element by element.
using GpuBinaryFn = Status (*)(CUstream_st* stream, const void* x,
                               const void* y, void* z, int64_t n,
                               const GpuBroadcast* broadcast);
template <template <typename> class F, typename T>
Status GpuBinary(CUstream_st* stream, const void* x, const void* y, void* z,
                 int64_t n, const GpuBroadcast* broadcast);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_CWISE_OPS_GPU_H_
