// SPDX-License-Identifier: Apache-2.0
// The language that kernels for GPUs are written in: CUDA C++ less its launch
// syntax.  nvcc compiles it for a card.  Under TENSORWRIGHT_GPU_STAND_IN the
// host's compiler does, for a stand-in that runs blocks on the CPU (blocks.h).
//
// Beyond CUDA's words, for both worlds:
//   GPU_SHARED(T, name, n);    // `name`: n elements that the block shares.
//   SharedMemory<T>()          // The launch's dynamic shared memory.
//   TW_UNROLL for (...)        // A loop of a few constant steps.
// Kernels are started by Launch of launch.h.  A kernel's source includes this
// header after those of the host.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_H_
#define TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_H_

#include <cstdint>

#if defined(__CUDACC__)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define GPU_SHARED(T, name, n) __shared__ T name[n]
#define TW_UNROLL _Pragma("unroll")

namespace tensorwright {
namespace gpu {

template <typename T>
__device__ inline T* SharedMemory() {
  extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

}  // namespace gpu
}  // namespace tensorwright

#else

#include "core/lib/gpu/language_emulated.h"

#endif

namespace tensorwright {
namespace gpu {

// Every lane of a warp.
inline constexpr unsigned kAllLanes = 0xffffffff;
inline constexpr int kWarp = 32;

// The number of the first element of a grid-stride loop, and its step.
template <typename Index>
__device__ inline Index GridFirst() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
template <typename Index>
__device__ inline Index GridStep() {
  return static_cast<Index>(gridDim.x) * blockDim.x;
}

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_H_
