// SPDX-License-Identifier: Apache-2.0
// Kernels of Adagrad and of Adagrad with an epsilon.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyAdagradOp = ApplyOp<T, AdagradRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdagrad").Device(DEVICE_CPU), "T",
                          ApplyAdagradOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdagrad").Device(DEVICE_CPU), "T",
                          ApplyAdagradOp, half, bfloat16, float, double,
                          complex64, complex128);
template <typename T>
using SparseApplyAdagradOp = ApplyOp<T, AdagradRule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyAdagrad").Device(DEVICE_CPU), "T",
                          SparseApplyAdagradOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceSparseApplyAdagrad").Device(DEVICE_CPU),
                          "T", SparseApplyAdagradOp, half, bfloat16, float,
                          double, complex64, complex128);

template <typename T>
using ApplyAdagradV2Op = ApplyOp<T, AdagradV2Rule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdagradV2").Device(DEVICE_CPU), "T",
                          ApplyAdagradV2Op, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdagradV2").Device(DEVICE_CPU),
                          "T", ApplyAdagradV2Op, half, bfloat16, float, double,
                          complex64, complex128);
template <typename T>
using SparseApplyAdagradV2Op = ApplyOp<T, AdagradV2Rule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyAdagradV2").Device(DEVICE_CPU), "T",
                          SparseApplyAdagradV2Op, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyAdagradV2").Device(DEVICE_CPU), "T",
    SparseApplyAdagradV2Op, half, bfloat16, float, double, complex64,
    complex128);

}  // namespace
}  // namespace tensorwright
