// SPDX-License-Identifier: Apache-2.0
// Kernels of RMSProp, plain and centered.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyRMSPropOp = ApplyOp<T, RMSPropRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyRMSProp").Device(DEVICE_CPU), "T",
                          ApplyRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyRMSProp").Device(DEVICE_CPU), "T",
                          ApplyRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
template <typename T>
using SparseApplyRMSPropOp = ApplyOp<T, SparseRMSPropRule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyRMSProp").Device(DEVICE_CPU), "T",
                          SparseApplyRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceSparseApplyRMSProp").Device(DEVICE_CPU),
                          "T", SparseApplyRMSPropOp, half, bfloat16, float,
                          double, complex64, complex128);

template <typename T>
using ApplyCenteredRMSPropOp = ApplyOp<T, CenteredRMSPropRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyCenteredRMSProp").Device(DEVICE_CPU), "T",
                          ApplyCenteredRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceApplyCenteredRMSProp").Device(DEVICE_CPU), "T",
    ApplyCenteredRMSPropOp, half, bfloat16, float, double, complex64,
    complex128);
template <typename T>
using SparseApplyCenteredRMSPropOp =
    ApplyOp<T, SparseCenteredRMSPropRule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyCenteredRMSProp").Device(DEVICE_CPU),
                          "T", SparseApplyCenteredRMSPropOp, half, bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyCenteredRMSProp").Device(DEVICE_CPU), "T",
    SparseApplyCenteredRMSPropOp, half, bfloat16, float, double, complex64,
    complex128);

}  // namespace
}  // namespace tensorwright
