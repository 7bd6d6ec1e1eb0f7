// SPDX-License-Identifier: Apache-2.0
// The functor for the GPU: launch configurations and loops of both generations.
#if GOOGLE_CUDA
#define EIGEN_USE_GPU

#include "scale_functor.h"
#include "tensorflow/core/util/cuda_kernel_helper.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

namespace tensorflow {
namespace functor {

typedef Eigen::GpuDevice GPUDevice;

// Any launch will do.
template <typename T>
__global__ void ScaleByStrides(const int size, const T* in, T* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size;
       i += blockDim.x * gridDim.x) {
    out[i] = 2 * ldg(in + i);
  }
}

template <typename T>
__global__ void ScaleInALoop(const int size, const T* in, T* out) {
  CUDA_1D_KERNEL_LOOP(i, size) { out[i] = 2 * in[i]; }
}

template <typename T>
__global__ void ScaleInAnotherLoop(int size, const T* __restrict__ in,
                                   T* __restrict__ out) {
  GPU_1D_KERNEL_LOOP(i, size) { CudaAtomicAdd(out + i, in[i]); }
  for (int i : GpuGridRangeX(size)) {
    GpuAtomicAdd(&out[i], in[i]);
    GpuAtomicMax(&out[i], in[i]);
  }
}

template <typename T>
__global__ void SumRows(Gpu2DLaunchConfig config, const T* in, T* out) {
  CUDA_AXIS_KERNEL_LOOP(x, config.virtual_thread_count.x, X) {
    GPU_AXIS_KERNEL_LOOP(y, config.virtual_thread_count.y, Y) {
      GpuAtomicAdd(out + y, in[y * config.virtual_thread_count.x + x]);
    }
  }
}

template <typename T>
void CorpusScaleFunctor<GPUDevice, T>::operator()(const GPUDevice& d, int size,
                                                  const T* in, T* out) {
  if (size == 0) return;
  ScaleByStrides<T><<<1024, 20, 0, d.stream()>>>(size, in, out);
  CudaLaunchConfig config = GetCudaLaunchConfig(size, d);
  ScaleInALoop<T>
      <<<config.block_count, config.thread_per_block, 0, d.stream()>>>(
          config.virtual_thread_count, in, out);
  GpuLaunchConfig cfg =
      GetGpuLaunchConfig(size, d, &ScaleInAnotherLoop<T>, 0, 0);
  TF_CHECK_OK(GpuLaunchKernel(SetZero<T>, cfg.block_count, cfg.thread_per_block,
                              0, d.stream(), size, out));
  TF_CHECK_OK(GpuLaunchKernel(ScaleInAnotherLoop<T>, cfg.block_count,
                              cfg.thread_per_block, 0, d.stream(), size, in,
                              out));
  Gpu2DLaunchConfig two = GetGpu2DLaunchConfig(1, size, d);
  (void)two;
}

template struct CorpusScaleFunctor<GPUDevice, float>;
template struct CorpusScaleFunctor<GPUDevice, int32>;

}  // namespace functor
}  // namespace tensorflow

#endif  // GOOGLE_CUDA
