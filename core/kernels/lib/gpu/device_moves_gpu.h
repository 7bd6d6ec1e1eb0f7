// SPDX-License-Identifier: Apache-2.0
// Moves of elements by strides on a GPU, for the host's side of kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_H_

#include <cstdint>

#include "core/kernels/lib/gpu/device_moves_types.h"
#include "core/lib/core/status.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// Element [i0, i1, ...] moves from src[i0 * from[0] + ...] to dst[i0 * to[0] +
// ...]; strides and sizes are in elements.
struct GpuStridedMove {
  static constexpr int kMaxRank = 12;
  int rank = 0;
  int64_t sizes[kMaxRank];
  int64_t from[kMaxRank];
  int64_t to[kMaxRank];
};

// Enqueues the move of elements of `size` bytes: 1, 2, 4, 8 or 16.  The two
// regions do not overlap, and no size is 0.
Status GpuMove(CUstream_st* stream, const GpuStridedMove& move, int64_t size,
               const void* src, void* dst);

// dst[0, n) = the value of `size` bytes in the host's memory.
Status GpuFill(CUstream_st* stream, const void* host_value, int64_t n,
               int64_t size, void* dst);

Status GpuGather(CUstream_st* stream, const GatherMove& move);
Status GpuGatherNd(CUstream_st* stream, const GatherNdMove& move);
Status GpuOneHot(CUstream_st* stream, const OneHotMove& move);
Status GpuSelect(CUstream_st* stream, const SelectMove& move);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_H_
