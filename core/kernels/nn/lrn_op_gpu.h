// SPDX-License-Identifier: Apache-2.0
// Local response normalisation on a GPU.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_LRN_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_LRN_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

struct GpuLrn {
  int64_t pixels, depth, radius;
  float bias, alpha, beta;
};

// Enqueue their work on images [pixels, depth] in the device's memory.  T:
// Half, Bfloat16, float.
template <typename T>
Status GpuLrnForward(CUstream_st* stream, const GpuLrn& lrn, const void* x,
                     void* y);
template <typename T>
Status GpuLrnGrad(CUstream_st* stream, const GpuLrn& lrn, const void* dy,
                  const void* x, const void* y, void* dx);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_LRN_OP_GPU_H_
