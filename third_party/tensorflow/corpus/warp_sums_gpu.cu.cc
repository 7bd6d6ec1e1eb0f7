// SPDX-License-Identifier: Apache-2.0
// Sums of rows, a warp a row, in the words of both generations.
#if GOOGLE_CUDA

#define EIGEN_USE_GPU

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/util/cuda_kernel_helper.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

typedef Eigen::GpuDevice GPUDevice;

template <typename T>
__global__ void CorpusWarpSumsKernel(const int rows, const int cols,
                                     const T* in, T* sums, T* largest) {
  for (int row : CudaGridRangeY(rows)) {
    T sum = T(0);
    for (int col = threadIdx.x; col < cols; col += 32) {
      sum += ldg(in + row * cols + col);
      CudaAtomicMax(largest, in[row * cols + col]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      sum += CudaShuffleDownSync(kCudaWarpAll, sum, offset);
    }
    CudaSyncWarp();
    if (GpuLaneId() == 0) sums[row] = tf_max(sum, T(0));
  }
}

template <typename T>
void CorpusWarpSums(OpKernelContext* context, const GPUDevice& d,
                    typename TTypes<T>::ConstMatrix in,
                    typename TTypes<T>::Flat sums, T* largest) {
  const int rows = in.dimension(0), cols = in.dimension(1);
  GpuLaunchConfig config = GetGpuLaunchConfig(rows, d);
  OP_REQUIRES_OK(context, GpuLaunchKernel(SetZero<T>, config.block_count,
                                          config.thread_per_block, 0,
                                          d.stream(), 1, largest));
  CorpusWarpSumsKernel<T>
      <<<dim3(1, config.block_count), dim3(32, 4), 0, d.stream()>>>(
          rows, cols, in.data(), sums.data(), largest);
  OP_REQUIRES(context, cudaGetLastError() == cudaSuccess,
              errors::Internal("CorpusWarpSums: no launch"));
}

template void CorpusWarpSums<float>(OpKernelContext*, const GPUDevice&,
                                    TTypes<float>::ConstMatrix,
                                    TTypes<float>::Flat, float*);

}  // namespace tensorflow

#endif  // GOOGLE_CUDA
