// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's gpu_device_functions.h that our own kernels do not
// need.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_DEVICE_FUNCTIONS_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_DEVICE_FUNCTIONS_H_

#if GOOGLE_CUDA

#include <cuda_runtime.h>

#include "core/util/gpu_device_functions.h"

namespace tensorwright {

// The thread's position in its warp, whatever the dimensions of the block.
__device__ inline unsigned GpuLaneId() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ inline unsigned CudaLaneId() { return GpuLaneId(); }
__device__ inline void GpuSyncWarp(unsigned mask = kGpuWarpAll) {
  __syncwarp(mask);
}
__device__ inline void CudaSyncWarp(unsigned mask = kGpuWarpAll) {
  __syncwarp(mask);
}
__device__ inline unsigned GpuBallotSync(unsigned mask, int pred) {
  return __ballot_sync(mask, pred);
}
__device__ inline unsigned CudaBallotSync(unsigned mask, int pred) {
  return __ballot_sync(mask, pred);
}
__device__ inline int GpuAnySync(unsigned mask, int pred) {
  return __any_sync(mask, pred);
}
__device__ inline int GpuAllSync(unsigned mask, int pred) {
  return __all_sync(mask, pred);
}

template <typename T>
__device__ T GpuShuffleUpSync(unsigned mask, T value, unsigned delta,
                              int width = 32) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
__device__ T CudaShuffleUpSync(unsigned mask, T value, unsigned delta,
                               int width = 32) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
__device__ T CudaShuffleDownSync(unsigned mask, T value, unsigned delta,
                                 int width = 32) {
  return GpuShuffleDownSync(mask, value, delta, width);
}
template <typename T>
__device__ T CudaShuffleXorSync(unsigned mask, T value, int lane_mask,
                                int width = 32) {
  return GpuShuffleXorSync(mask, value, lane_mask, width);
}
template <typename T>
__device__ T CudaShuffleSync(unsigned mask, T value, int lane, int width = 32) {
  return GpuShuffleSync(mask, value, lane, width);
}

template <typename T>
__host__ __device__ inline T tf_min(const T& x, const T& y) {
  return y < x ? y : x;
}
template <typename T>
__host__ __device__ inline T tf_max(const T& x, const T& y) {
  return x < y ? y : x;
}

}  // namespace tensorwright

#endif  // GOOGLE_CUDA

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_DEVICE_FUNCTIONS_H_
