// SPDX-License-Identifier: Apache-2.0
// Kernels of Relu, Relu6 and their gradients.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(Name("Relu").Device(DEVICE_CPU), "T",
                          Unary<functor::Relu>::Op, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Relu6").Device(DEVICE_CPU), "T",
                          Unary<functor::Relu6>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ReluGrad").Device(DEVICE_CPU), "T",
                          Binary<functor::ReluGrad>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Relu6Grad").Device(DEVICE_CPU), "T",
                          Binary<functor::Relu6Grad>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);

}  // namespace tensorwright
