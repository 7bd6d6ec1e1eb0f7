// SPDX-License-Identifier: Apache-2.0
// Kernels of the smooth activations Elu, Softplus, Softsign and their
// gradients.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(Name("Elu").Device(DEVICE_CPU), "T",
                          Unary<functor::Elu, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Softplus").Device(DEVICE_CPU), "T",
                          Unary<functor::Softplus, 6>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Softsign").Device(DEVICE_CPU), "T",
                          Unary<functor::Softsign, 2>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("EluGrad").Device(DEVICE_CPU), "T",
                          Binary<functor::EluGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SoftplusGrad").Device(DEVICE_CPU), "T",
                          Binary<functor::SoftplusGrad, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SoftsignGrad").Device(DEVICE_CPU), "T",
                          Binary<functor::SoftsignGrad, 2>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);

}  // namespace tensorwright
