// SPDX-License-Identifier: Apache-2.0
// Kernels that compute each row of a matrix by a team of threads: a warp for
// short rows, a block for long ones.  For device code.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_ROWS_GPU_CU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_ROWS_GPU_CU_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/lib/gpu/collectives.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {

// A row of at most this many elements is a warp's.
inline constexpr int64_t kWarpRow = 1024;

template <int kTeam>
struct RowTeam {
  static_assert(kTeam == kWarp || kTeam == kThreads);
  static constexpr int kTeams = kThreads / kTeam;

  // The rows of this team are First(), First() + Step(), ...
  __device__ static int64_t First() {
    return int64_t{blockIdx.x} * kTeams + threadIdx.x / kTeam;
  }
  __device__ static int64_t Step() { return int64_t{gridDim.x} * kTeams; }
  __device__ static int Member() {
    return static_cast<int>(threadIdx.x % kTeam);
  }
  // The combination of the members' values, in every member.
  template <typename T, class Combine>
  __device__ static T Reduce(T value, T empty, Combine combine) {
    if constexpr (kTeam == kWarp) {
      return WarpReduce(value, combine);
    } else {
      return BlockReduce<kTeam>(value, empty, combine);
    }
  }
};

struct SumOf {
  template <typename T>
  __device__ T operator()(T x, T y) const {
    return x + y;
  }
};
// A NaN loses.
struct LargerOf {
  template <typename T>
  __device__ T operator()(T x, T y) const {
    return x > y || y != y ? x : y;
  }
};

// Starts warps(arguments...) or blocks(arguments...), whichever suits rows of
// `n` elements.
template <typename... P, typename... A>
Status LaunchRows(LaunchStream stream, int64_t rows, int64_t n,
                  void (*warps)(P...), void (*blocks)(P...), A... arguments) {
  if (n <= kWarpRow) {
    return Launch(stream, Blocks(rows * kWarp), kThreads, 0, warps,
                  arguments...);
  }
  return Launch(stream, Blocks(rows, 1), kThreads, 0, blocks, arguments...);
}

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_ROWS_GPU_CU_H_
