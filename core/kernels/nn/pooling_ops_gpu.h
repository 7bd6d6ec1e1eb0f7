// SPDX-License-Identifier: Apache-2.0
// Pools in two dimensions, or over channels, on a GPU.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

// One dimension of the windows, as WindowDim of core/util/window_geometry.h.
struct GpuPoolWindow {
  int64_t input, filter, output, stride, pad;
};

struct GpuPool {
  int64_t batch;
  GpuPoolWindow rows, cols, depth;
  bool channels_first;
};

// All take addresses in the device's memory and enqueue their work.  T: Half,
// Bfloat16, float, double.  Each element of a gradient collects from the
// windows that hold it, so results do not depend on an order.
template <typename T>
Status GpuMaxPool(CUstream_st* stream, const GpuPool& pool, const void* input,
                  void* output);
// A window's gradient goes to its first maximum.
template <typename T>
Status GpuMaxPoolGrad(CUstream_st* stream, const GpuPool& pool,
                      const void* input, const void* grad, void* input_grad);
template <typename T>
Status GpuAvgPool(CUstream_st* stream, const GpuPool& pool, const void* input,
                  void* output);
template <typename T>
Status GpuAvgPoolGrad(CUstream_st* stream, const GpuPool& pool,
                      const void* grad, void* input_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_GPU_H_
