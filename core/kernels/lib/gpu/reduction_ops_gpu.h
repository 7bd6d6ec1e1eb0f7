// SPDX-License-Identifier: Apache-2.0
// Reductions on a GPU, for the host's side of kernels.  Results do not depend
// on the device or on timing: no atomic operations, and pieces by size alone.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_H_

#include <algorithm>
#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// One pass over x seen as [outer, reduce, inner]: out[o, p, i] is the reduction
// of piece p of x[o, :, i].
struct GpuReducePass {
  int64_t outer, reduce, inner;
  int64_t pieces = 1;
  // x holds sums of a pass before, in the type that elements are computed in.
  bool from_sums = false;
  // The pass is the last: out holds elements, after the op's last step with the
  // number of elements reduced.
  bool to_result = true;
  int64_t count = 1;
};
using GpuReduceFn = Status (*)(CUstream_st* stream, const GpuReducePass& pass,
                               const void* x, void* out);

// R is a class of reduction_ops_gpu.cu.h, which nvcc alone need know.
template <template <typename> class R, typename T>
Status GpuReduce(CUstream_st* stream, const GpuReducePass& pass, const void* x,
                 void* out);

namespace gpu_reducer {
template <typename T>
struct Sum;
template <typename T>
struct Mean;
template <typename T>
struct Prod;
template <typename T>
struct Max;
template <typename T>
struct Min;
template <typename T>
struct All;
template <typename T>
struct Any;
template <typename T>
struct L2Loss;
template <typename T>
struct EuclideanNorm;
}  // namespace gpu_reducer

// In how many pieces to reduce first, so that few results of many elements keep
// a device busy.
inline int64_t GpuReducePieces(int64_t outer, int64_t reduce, int64_t inner) {
  constexpr int64_t kPiece = 1024, kMostPieces = 512, kEnough = 512;
  const int64_t results = outer * (inner == 1 ? 1 : (inner + 31) / 32);
  if (results >= kEnough || reduce < 4 * kPiece) return 1;
  const int64_t wanted = std::min(kMostPieces, 2 * kEnough / results);
  return std::max<int64_t>(1, std::min(wanted, reduce / kPiece));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_H_
