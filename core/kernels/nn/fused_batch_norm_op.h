// SPDX-License-Identifier: Apache-2.0
// Computes statistics of channels and normalises batches by them, on floats;
// parallel, with results that do not depend on the number of threads.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_H_

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/util/tensor_format.h"

namespace tensorwright {
namespace batch_norm {

// An image batch seen as [outer, channels, inner]: inner is 1 for NHWC and the
// size of space for NCHW.
struct Extent {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  Extent(const TensorShape& shape, TensorFormat format);
  // The number of elements of a channel.
  int64_t count() const { return outer * inner; }
};

// Computes mean and variance (divided by the count) of each channel of x, in
// one pass over memory.  Pieces that fit the cache get their own mean first, so
// that a large mean does not cost a small variance its digits.
Status Moments(OpKernelContext* ctx, const Extent& e, const float* x,
               float* mean, float* variance);

// y = (x - mean) * scale + offset; all but x and y are [channels].
void Apply(OpKernelContext* ctx, const Extent& e, const float* x,
           const float* mean, const float* scale, const float* offset,
           float* y);

// sum[c] = sum of dy, products[c] = sum of dy * (x - mean).
Status GradSums(OpKernelContext* ctx, const Extent& e, const float* dy,
                const float* x, const float* mean, double* sum,
                double* products);

// dx = scale * (dy - shift - (x - mean) * slope).
void ApplyGrad(OpKernelContext* ctx, const Extent& e, const float* dy,
               const float* x, const float* mean, const float* scale,
               const float* shift, const float* slope, float* dx);

}  // namespace batch_norm
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_H_
