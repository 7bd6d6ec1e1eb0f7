// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's convolution (conv_ops_winograd.h) with the
// widest vectors the processor has (Highway, chosen at run time).
//
// Points of a tile are numbered 0 ... 35, row by row.  A transformed array
// keeps the points apart: a loop writes point i `stride` floats after point i -
// 1.  Channel counts are multiples of kChannelStep.  Any alignment.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_SIMD_H_

#include <cstdint>

#include "core/kernels/nn/conv_ops_product.h"

namespace tensorwright {
namespace winograd {

inline constexpr int kTile = 6;  // The rows and columns of a tile of the input.
inline constexpr int kPoints = kTile * kTile;
inline constexpr int kChannelStep = kProductColumns;

// Returns the size of an output tile for a filter of `taps` x `taps` (3 or 5)
// pixels.
constexpr int OutputTile(int taps) { return kTile + 1 - taps; }

// Transforms filter[taps, taps], each tap n floats and `tap_stride` floats
// after the last, into `to`.
void TransformFilter(int taps, const float* filter, int64_t tap_stride,
                     int64_t n, float* to, int64_t stride);
// Applies the transpose of that to the gradients of the points' n floats, which
// gives the filter's gradient.  False if any is infinite or NaN.
bool TransformFilterGrad(int taps, const float* from, int64_t stride, int64_t n,
                         float* filter_grad, int64_t tap_stride);

// Transforms a tile into `to`; pixels[i] has the n channels of point i.
void TransformInput(const float* const* pixels, int64_t n, float* to,
                    int64_t stride);

// Transforms points into the n channels of pixels[OutputTile(taps)^2], and adds
// bias[n] unless that is null.  False if any is infinite or NaN.
bool TransformOutput(int taps, const float* from, int64_t stride, int64_t n,
                     const float* bias, float* const* pixels);
// Applies the transpose of that: pixels[OutputTile(taps)^2] -> the points.
void TransformOutputGrad(int taps, const float* const* pixels, int64_t n,
                         float* to, int64_t stride);

}  // namespace winograd
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_SIMD_H_
