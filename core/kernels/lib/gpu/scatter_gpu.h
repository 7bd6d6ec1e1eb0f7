// SPDX-License-Identifier: Apache-2.0
// Rows that are combined with those that indices name, on a GPU, for the host's
// side of ScatterNd, UnsortedSegmentSum and their kin.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_SCATTER_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_SCATTER_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

enum class GpuCombine { kAdd, kSub, kMul, kMax, kMin, kAssign };

// out[slice s of row r] = its combination with updates[r], where s is at the
// coordinates in row r of indices, [rows, depth]; a row whose coordinates are
// out of range changes nothing.  Rows of one slice are combined in any order,
// by atomic operations, as on TensorFlow's GPUs: sums of floats may differ in
// their last digits from run to run.
struct GpuScatter {
  static constexpr int kMaxDepth = 8;
  GpuCombine combine = GpuCombine::kAdd;
  const void* indices;
  int64_t index_bytes;  // 4 or 8, signed.
  int64_t rows, slice;
  int depth;
  int64_t limits[kMaxDepth];
  int64_t strides[kMaxDepth];  // In slices.
  const void* updates;
  void* out;
};

// half, bfloat16, float, double, int32, int64.
template <typename T>
Status GpuScatterRows(CUstream_st* stream, const GpuScatter& scatter);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_SCATTER_GPU_H_
