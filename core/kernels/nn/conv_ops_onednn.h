// SPDX-License-Identifier: Apache-2.0
// Convolutions of floats by oneDNN.  Images stay where and as they are (NHWC or
// NCHW); filters are reordered into the layout the primitive wants, which is
// small work beside the convolution.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_ONEDNN_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_ONEDNN_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// As Conv2DForwardFloat, Conv2DBackwardInput and Conv2DBackwardFilter
// (conv_ops.h).  Unimplemented, and nothing done, where oneDNN has nothing for
// the sizes.
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
