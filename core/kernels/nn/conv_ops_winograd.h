// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution of floats: filters of 3x3 and 5x5 pixels that move by
// one pixel, in NHWC.
//
// Tiles of 6x6 input pixels, 36 numbers a channel, are transformed so that a
// convolution becomes 36 products of matrices, one a number: a quarter of the
// multiplications for 3x3 (36 instead of 144 for 4x4 outputs), about a third
// for 5x5 (36 instead of 100 for 2x2).  Rounding errors are some six times
// those of the plain sum, of the order of 1e-6 of the largest output: for sizes
// for which that is little to pay (CanWinograd, conv_ops_choose.h).  Inputs
// with infinities and NaNs, which would spread over tiles, are left to others.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_WINOGRAD_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// As Conv2DForward, Conv2DBackwardInput and Conv2DBackwardFilter (conv_ops.h).
// The sizes are such that CanWinograd.  Unimplemented, and anything in the
// output, if the result is not finite.  `bias` [out depth] may be null.
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
