// SPDX-License-Identifier: Apache-2.0
// The input gradient of a convolution with few input channels, such as a
// network's first layer. oneDNN fills a vector with the channels of one pixel,
// which leaves most of the vector empty.  These functions multiply by the whole
// filter at once, which fills vectors, and then add up the resulting patches
// where they overlap.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// Does what Conv2DBackwardInput (conv_ops.h) does, for sizes that CanNarrow
// (conv_ops_choose.h) accepts.
Status NarrowBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                           const float* filter, const float* output_grad,
                           float* input_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_NARROW_H_
