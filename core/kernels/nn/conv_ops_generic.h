// SPDX-License-Identifier: Apache-2.0
// Convolutions of any number type, as the matrix of the input's patches times
// the matrix of the filter.  They are correct for every geometry, and not fast.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GENERIC_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GENERIC_H_

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/conv_ops.h"

namespace tensorwright {

// Do what Conv2DForward, Conv2DBackwardInput and Conv2DBackwardFilter
// (conv_ops.h) do, for T: float, double, int32.  ResourceExhausted if there is
// no memory for the patches of one image.
template <typename T>
Status GenericConv2DForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                            const T* input, const T* filter, T* output);
template <typename T>
Status GenericConv2DBackwardInput(OpKernelContext* ctx,
                                  const Conv2DDimensions& dims, const T* filter,
                                  const T* output_grad, T* input_grad);
template <typename T>
Status GenericConv2DBackwardFilter(OpKernelContext* ctx,
                                   const Conv2DDimensions& dims, const T* input,
                                   const T* output_grad, T* filter_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GENERIC_H_
