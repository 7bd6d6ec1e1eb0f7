// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's input that has few channels, as the first
// layer's: oneDNN fills vectors with the channels of a pixel and leaves most of
// them empty.  Here products with the whole filter fill them, as patches that
// are then added up where they overlap.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// As Conv2DBackwardInput (conv_ops.h), for sizes such that CanNarrow
// (conv_ops_choose.h).
Status NarrowBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                           const float* filter, const float* output_grad,
                           float* input_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_
