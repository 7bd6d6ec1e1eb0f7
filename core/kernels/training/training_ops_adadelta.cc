// SPDX-License-Identifier: Apache-2.0
// Kernels of Adadelta.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyAdadeltaOp = ApplyOp<T, AdadeltaRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdadelta").Device(DEVICE_CPU), "T",
                          ApplyAdadeltaOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdadelta").Device(DEVICE_CPU), "T",
                          ApplyAdadeltaOp, half, bfloat16, float, double,
                          complex64, complex128);
template <typename T>
using SparseApplyAdadeltaOp = ApplyOp<T, AdadeltaRule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyAdadelta").Device(DEVICE_CPU), "T",
                          SparseApplyAdadeltaOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyAdadelta").Device(DEVICE_CPU), "T",
    SparseApplyAdadeltaOp, half, bfloat16, float, double, complex64,
    complex128);

}  // namespace
}  // namespace tensorwright
