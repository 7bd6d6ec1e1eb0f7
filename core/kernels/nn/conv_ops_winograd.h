// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution of floats: filters of 3x3 and 5x5 pixels with stride
// 1, in NHWC.
//
// It transforms tiles of 6x6 input pixels, 36 numbers for each channel.
// Convolution then becomes 36 matrix products, one for each of these numbers.
// That is a quarter of the multiplications for 3x3 filters (36 instead of 144
// for 4x4 outputs) and about a third for 5x5 (36 instead of 100 for 2x2).
// Rounding errors are about six times those of the plain sum, of the order of
// 1e-6 of the largest output; CanWinograd (conv_ops_choose.h) accepts sizes for
// which the speed is worth that.  Infinities and NaNs in the input would spread
// over whole tiles; the functions then return Unimplemented, and the caller
// uses another algorithm.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// Do what Conv2DForward, Conv2DBackwardInput and Conv2DBackwardFilter
// (conv_ops.h) do, for sizes that CanWinograd accepts.  If the result is not
// finite they return Unimplemented, and the output holds arbitrary values.
// `bias` [out depth] may be null.
Status WinogradForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                       const float* input, const float* filter,
                       const float* bias, float* output);
Status WinogradBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                             const float* filter, const float* output_grad,
                             float* input_grad);
Status WinogradBackwardFilter(OpKernelContext* ctx,
                              const Conv2DDimensions& dims, const float* input,
                              const float* output_grad, float* filter_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_H_
