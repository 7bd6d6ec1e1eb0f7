// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of two arguments: arithmetic and extrema.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_half.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(Name("Add").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Add>::Op, Eigen::half);
// AddV2, which later versions have, adds numbers only.
REGISTER_KERNEL_FOR_TYPES(Name("AddV2").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Add>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("AddV2").Device(DEVICE_CPU), "T",
                          Binary<functor::Add>::Op, Eigen::bfloat16, float,
                          double, uint8, uint16, uint32, uint64, int8, int16,
                          int32, int64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Sub").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Sub>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("Mul").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Mul>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("Maximum").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Maximum>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("Minimum").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Minimum>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(
    Name("Complex").Device(DEVICE_CPU).TypeConstraint<complex64>("Tout"), "T",
    Binary<functor::MakeComplex>::Op, float);
REGISTER_KERNEL_FOR_TYPES(
    Name("Complex").Device(DEVICE_CPU).TypeConstraint<complex128>("Tout"), "T",
    Binary<functor::MakeComplex>::Op, double);

}  // namespace tensorwright

#define TW_ROWS TW_BINARY_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"
