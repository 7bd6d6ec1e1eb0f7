// SPDX-License-Identifier: Apache-2.0
// Reductions and scans over the threads of a warp or a block, for kernels'
// device code.  Combine is a functor of two values, associative up to rounding;
// their order depends on nothing but the number of threads.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_COLLECTIVES_H_
#define TENSORWRIGHT_CORE_LIB_GPU_COLLECTIVES_H_

#include <cstdint>
#include <type_traits>

#include "core/lib/gpu/language.h"

namespace tensorwright {
namespace gpu {

// The value of lane `own ^ bits`; T of any size that shuffles or whose words
// do.
template <typename T>
__device__ __forceinline__ T ShuffleXor(T value, int bits) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    return __shfl_xor_sync(kAllLanes, value, bits);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(
        __shfl_xor_sync(kAllLanes, static_cast<int>(value), bits));
  } else {
    return value.ShuffledXor(bits);
  }
}

// The combination of all lanes' values, in every lane.  All 32 lanes call.
template <class Combine, typename T>
__device__ __forceinline__ T WarpReduce(T value, Combine combine) {
  TW_UNROLL
  for (int bits = kWarp / 2; bits > 0; bits /= 2) {
    value = combine(value, ShuffleXor(value, bits));
  }
  return value;
}

// The combination of the values of all threads of the block, in every thread.
// The block has `kThreads` threads in one dimension, a multiple of 32; `empty`
// changes nothing when combined.
template <int kThreads, class Combine, typename T>
__device__ T BlockReduce(T value, T empty, Combine combine) {
  static_assert(kThreads % kWarp == 0 && kThreads <= 1024);
  constexpr int kWarps = kThreads / kWarp;
  value = WarpReduce(value, combine);
  if constexpr (kWarps > 1) {
    GPU_SHARED(T, parts, kWarps);
    // The threads may still read what the call before left there.
    __syncthreads();
    if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = value;
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    value = WarpReduce(lane < kWarps ? parts[lane] : empty, combine);
  }
  return value;
}

// The combination of the values of this lane and those before it.
template <class Combine, typename T>
__device__ __forceinline__ T WarpScan(T value, Combine combine) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  TW_UNROLL
  for (int step = 1; step < kWarp; step *= 2) {
    const T before = __shfl_up_sync(kAllLanes, value, step);
    if (lane >= step) value = combine(before, value);
  }
  return value;
}

// The combination of the values of this thread and those before it; *total is
// that of the block.
template <int kThreads, class Combine, typename T>
__device__ T BlockScan(T value, T empty, Combine combine, T* total) {
  constexpr int kWarps = kThreads / kWarp;
  static_assert(kThreads % kWarp == 0 && kWarps <= kWarp);
  GPU_SHARED(T, parts, kWarps);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  value = WarpScan(value, combine);
  __syncthreads();
  if (lane == kWarp - 1) parts[warp] = value;
  __syncthreads();
  T before = empty;
  *total = empty;
  for (int i = 0; i < kWarps; ++i) {
    if (i == warp) before = *total;
    *total = combine(*total, parts[i]);
  }
  return combine(before, value);
}

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_COLLECTIVES_H_
