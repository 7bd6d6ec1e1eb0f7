// SPDX-License-Identifier: Apache-2.0
// Normalises batches on a GPU.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

// An image batch seen as [outer, channels, inner].
struct GpuBatchNorm {
  int64_t outer, channels, inner;
  float epsilon;
  // The share of the batch's statistics in the running ones.
  float factor;
};

// Statistics [channels] in the device's memory.
struct GpuBatchNormStatistics {
  const float* old_mean;  // Null if `factor` is 1.
  const float* old_variance;
  float* running_mean;
  float* running_variance;  // Divided by the count - 1.
  float* mean;
  float* variance;
};

// All enqueue their work.  T, of images: Half, Bfloat16, float.

// Computes the batch's statistics; NaN if it is empty.
template <typename T>
Status GpuMoments(CUstream_st* stream, const GpuBatchNorm& norm, const void* x,
                  const GpuBatchNormStatistics& statistics);
// y = (x - mean) * scale / sqrt(variance + epsilon) + offset.
template <typename T>
Status GpuNormalize(CUstream_st* stream, const GpuBatchNorm& norm,
                    const void* x, const float* mean, const float* variance,
                    const float* scale, const float* offset, void* y);
// dscale and doffset from all images, then dx by them; if not `training`, mean
// and variance do not depend on x.
template <typename T>
Status GpuBatchNormGrad(CUstream_st* stream, const GpuBatchNorm& norm,
                        bool training, const void* dy, const void* x,
                        const float* scale, const float* mean,
                        const float* variance, void* dx, float* dscale,
                        float* doffset);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_GPU_H_
