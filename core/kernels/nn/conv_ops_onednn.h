// SPDX-License-Identifier: Apache-2.0
// Convolutions of floats by oneDNN.  Images stay in their place and format
// (NHWC or NCHW); filters are reordered into the primitive's layout, which is
// little work beside the convolution.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_ONEDNN_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_ONEDNN_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// Do what Conv2DForwardFloat, Conv2DBackwardInput and Conv2DBackwardFilter
// (conv_ops.h) do.  Unimplemented, with nothing done, if oneDNN does not
// support the sizes.
Status OneDnnConvForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                         const float* input, const float* filter,
                         const Conv2DExtras& extras, float* output);
Status OneDnnConvBackwardInput(OpKernelContext* ctx,
                               const Conv2DDimensions& dims,
                               const float* filter, const float* output_grad,
                               float* input_grad);
Status OneDnnConvBackwardFilter(OpKernelContext* ctx,
                                const Conv2DDimensions& dims,
                                const float* input, const float* output_grad,
                                float* filter_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_ONEDNN_H_
