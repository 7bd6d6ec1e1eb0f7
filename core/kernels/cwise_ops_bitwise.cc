// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels on the bits of integers.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(Name("BitwiseAnd").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseAnd>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("BitwiseOr").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseOr>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("BitwiseXor").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseXor>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("Invert").Device(DEVICE_CPU), "T",
                          Unary<functor::Invert>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);

}  // namespace tensorwright
