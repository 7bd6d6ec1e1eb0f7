// SPDX-License-Identifier: Apache-2.0
// Computes how many blocks and threads a kernel needs, and starts it.  For
// custom ops' .cu.cc files; code of this tree has core/kernels/*_gpu.cu.h.
#ifndef TENSORWRIGHT_CORE_UTIL_GPU_LAUNCH_CONFIG_H_
#define TENSORWRIGHT_CORE_UTIL_GPU_LAUNCH_CONFIG_H_

#if GOOGLE_CUDA

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorwright {

using gpuStream_t = cudaStream_t;
using gpuError_t = cudaError_t;
using gpuEvent_t = cudaEvent_t;

// For kernels that loop over their work with GPU_1D_KERNEL_LOOP.
struct GpuLaunchConfig {
  int virtual_thread_count = -1;  // The number of elements of work.
  int thread_per_block = -1;
  int block_count = -1;
};
using CudaLaunchConfig = GpuLaunchConfig;

// The same in two or three dimensions.
struct Gpu2DLaunchConfig {
  dim3 virtual_thread_count = dim3(0, 0, 0);
  dim3 thread_per_block = dim3(0, 0, 0);
  dim3 block_count = dim3(0, 0, 0);
};
using Cuda2DLaunchConfig = Gpu2DLaunchConfig;
using Gpu3DLaunchConfig = Gpu2DLaunchConfig;
using Cuda3DLaunchConfig = Gpu2DLaunchConfig;

namespace gpu_launch {

inline int CeilOfRatio(int a, int b) { return a / b + (a % b != 0); }

}  // namespace gpu_launch

// Enough blocks to fill the device, and no more than there is work.
// `work_element_count` > 0.
inline GpuLaunchConfig GetGpuLaunchConfig(int work_element_count,
                                          const Eigen::GpuDevice& d) {
  CHECK_GT(work_element_count, 0);
  GpuLaunchConfig config;
  config.virtual_thread_count = work_element_count;
  const int resident =
      d.getNumGpuMultiProcessors() * d.maxGpuThreadsPerMultiProcessor();
  config.thread_per_block = std::min(1024, d.maxGpuThreadsPerBlock());
  const int threads = std::min(resident, work_element_count);
  config.block_count =
      std::min(gpu_launch::CeilOfRatio(threads, config.thread_per_block),
               d.getNumGpuMultiProcessors());
  return config;
}

// As the occupancy calculator recommends for that kernel.
template <typename DeviceFunc>
GpuLaunchConfig GetGpuLaunchConfig(int work_element_count,
                                   const Eigen::GpuDevice& /*d*/,
                                   DeviceFunc func,
                                   size_t dynamic_shared_memory_size,
                                   int block_size_limit) {
  CHECK_GT(work_element_count, 0);
  int blocks = 0, threads = 0;
  const cudaError_t error = cudaOccupancyMaxPotentialBlockSize(
      &blocks, &threads, func, dynamic_shared_memory_size, block_size_limit);
  CHECK_EQ(error, cudaSuccess) << cudaGetErrorString(error);
  GpuLaunchConfig config;
  config.virtual_thread_count = work_element_count;
  config.thread_per_block = threads;
  config.block_count =
      std::min(blocks, gpu_launch::CeilOfRatio(work_element_count, threads));
  return config;
}

// The same for kernels without a loop: blocks of that size, one thread for each
// element.
template <typename DeviceFunc>
GpuLaunchConfig GetGpuLaunchConfigFixedBlockSize(
    int work_element_count, const Eigen::GpuDevice& /*d*/, DeviceFunc func,
    size_t dynamic_shared_memory_size, int fixed_block_size) {
  CHECK_GT(work_element_count, 0);
  int per_processor = 0, device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_processor, func, fixed_block_size, dynamic_shared_memory_size);
  CHECK_EQ(error, cudaSuccess) << cudaGetErrorString(error);
  GpuLaunchConfig config;
  config.virtual_thread_count = work_element_count;
  config.thread_per_block = fixed_block_size;
  config.block_count =
      std::min(per_processor * processors,
               gpu_launch::CeilOfRatio(work_element_count, fixed_block_size));
  return config;
}

inline Gpu2DLaunchConfig GetGpu2DLaunchConfig(int xdim, int ydim,
                                              const Eigen::GpuDevice& d) {
  Gpu2DLaunchConfig config;
  if (xdim <= 0 || ydim <= 0) return config;
  constexpr int kThreads = 256;
  const int columns = std::min(xdim, kThreads);
  const int rows = std::max(kThreads / columns, 1);
  const int resident =
      d.getNumGpuMultiProcessors() * d.maxGpuThreadsPerMultiProcessor();
  const int max_blocks = std::max(resident / kThreads, 1);
  config.virtual_thread_count = dim3(xdim, ydim, 1);
  config.thread_per_block = dim3(columns, rows, 1);
  const int grid_x =
      std::min(gpu_launch::CeilOfRatio(xdim, columns), max_blocks);
  config.block_count =
      dim3(grid_x, std::min(max_blocks / grid_x, std::max(ydim / rows, 1)), 1);
  return config;
}
template <typename DeviceFunc>
Gpu2DLaunchConfig GetGpu2DLaunchConfig(int xdim, int ydim,
                                       const Eigen::GpuDevice& d, DeviceFunc,
                                       size_t, int) {
  return GetGpu2DLaunchConfig(xdim, ydim, d);
}

template <typename DeviceFunc>
Gpu3DLaunchConfig GetGpu3DLaunchConfig(int xdim, int ydim, int zdim,
                                       const Eigen::GpuDevice& d,
                                       DeviceFunc /*func*/,
                                       size_t /*dynamic_shared_memory_size*/,
                                       int /*block_size_limit*/) {
  Gpu3DLaunchConfig config;
  if (xdim <= 0 || ydim <= 0 || zdim <= 0) return config;
  constexpr int kThreads = 256;
  const int x = std::min(xdim, kThreads);
  const int y = std::min(ydim, std::max(kThreads / x, 1));
  const int z = std::min(zdim, std::max(kThreads / (x * y), 1));
  const int resident =
      d.getNumGpuMultiProcessors() * d.maxGpuThreadsPerMultiProcessor();
  const int max_blocks = std::max(resident / kThreads, 1);
  const int bx = std::min(gpu_launch::CeilOfRatio(xdim, x), max_blocks);
  const int by =
      std::min(gpu_launch::CeilOfRatio(ydim, y), std::max(max_blocks / bx, 1));
  const int bz = std::min(gpu_launch::CeilOfRatio(zdim, z),
                          std::max(max_blocks / (bx * by), 1));
  config.virtual_thread_count = dim3(xdim, ydim, zdim);
  config.thread_per_block = dim3(x, y, z);
  config.block_count = dim3(bx, by, bz);
  return config;
}

// TensorFlow 1.x's names.
template <typename... Args>
GpuLaunchConfig GetCudaLaunchConfig(Args&&... args) {
  return GetGpuLaunchConfig(std::forward<Args>(args)...);
}
template <typename... Args>
Gpu2DLaunchConfig GetCuda2DLaunchConfig(Args&&... args) {
  return GetGpu2DLaunchConfig(std::forward<Args>(args)...);
}
template <typename... Args>
Gpu3DLaunchConfig GetCuda3DLaunchConfig(Args&&... args) {
  return GetGpu3DLaunchConfig(std::forward<Args>(args)...);
}

// Starts `function` with `arguments`, which are converted to its parameters'
// types.
template <typename... Ts, typename... Args>
Status GpuLaunchKernel(void (*function)(Ts...), dim3 grid_dim, dim3 block_dim,
                       size_t shared_memory_size_bytes, gpuStream_t stream,
                       Args... arguments) {
  static_assert(sizeof...(Ts) == sizeof...(Args));
  if (grid_dim.x * grid_dim.y * grid_dim.z == 0) return OkStatus();
  const cudaError_t error = [&](Ts... parameters) {
    void* pointers[] = {
        const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
    return cudaLaunchKernel(reinterpret_cast<const void*>(function), grid_dim,
                            block_dim, pointers, shared_memory_size_bytes,
                            stream);
  }(arguments...);
  if (error == cudaSuccess) return OkStatus();
  return errors::Internal("A GPU kernel did not start: ",
                          cudaGetErrorString(error));
}
template <typename... Ts, typename... Args>
Status CudaLaunchKernel(void (*function)(Ts...), dim3 grid_dim, dim3 block_dim,
                        size_t shared_memory_size_bytes, gpuStream_t stream,
                        Args... arguments) {
  return GpuLaunchKernel(function, grid_dim, block_dim,
                         shared_memory_size_bytes, stream, arguments...);
}

// The stream that the context's device runs kernels on.
inline gpuStream_t GetGpuStream(OpKernelContext* context) {
  return context->eigen_gpu_device().stream();
}
inline gpuStream_t GetCudaStream(OpKernelContext* context) {
  return GetGpuStream(context);
}

}  // namespace tensorwright

#endif  // GOOGLE_CUDA

#endif  // TENSORWRIGHT_CORE_UTIL_GPU_LAUNCH_CONFIG_H_
