// SPDX-License-Identifier: Apache-2.0
// The inner loops of batch normalisation with the widest vectors the processor
// has (Highway, chosen at run time).
//
// All run over `rows` rows of `width` floats that follow each other; vectors of
// parameters and sums have `width` floats.  Any alignment.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_SIMD_H_

#include <cstdint>

namespace tensorwright {
namespace batch_norm {

// sum[j] += x[r, j] over all rows.
void AddRows(const float* x, int64_t rows, int64_t width, float* sum);

// sum[j] += (x[r, j] - mean[j])^2.
void AddSquares(const float* x, const float* mean, int64_t rows, int64_t width,
                float* sum);

// sum[j] += dy[r, j];  products[j] += dy[r, j] * (x[r, j] - mean[j]).
void AddProducts(const float* dy, const float* x, const float* mean,
                 int64_t rows, int64_t width, float* sum, float* products);

// y[r, j] = (x[r, j] - mean[j]) * scale[j] + offset[j].  y may be x.
void Normalize(const float* x, const float* mean, const float* scale,
               const float* offset, int64_t rows, int64_t width, float* y);

// dx[r, j] = scale[j] * (dy[r, j] - shift[j] - (x[r, j] - mean[j]) * slope[j]).
// dx may be dy or x.
void InputGrad(const float* dy, const float* x, const float* mean,
               const float* scale, const float* shift, const float* slope,
               int64_t rows, int64_t width, float* dx);

}  // namespace batch_norm
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_FUSED_BATCH_NORM_OP_SIMD_H_
