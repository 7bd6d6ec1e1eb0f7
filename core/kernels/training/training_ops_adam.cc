// SPDX-License-Identifier: Apache-2.0
// Kernels of Adam, Amsgrad and AdaMax.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyAdamOp = ApplyOp<T, AdamRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdam").Device(DEVICE_CPU), "T",
                          ApplyAdamOp, half, bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdam").Device(DEVICE_CPU), "T",
                          ApplyAdamOp, half, bfloat16, float, double, complex64,
                          complex128);

template <typename T>
using ApplyAdamWithAmsgradOp = ApplyOp<T, AdamWithAmsgradRule, false>;
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceApplyAdamWithAmsgrad").Device(DEVICE_CPU), "T",
    ApplyAdamWithAmsgradOp, half, bfloat16, float, double);

template <typename T>
using ApplyAdaMaxOp = ApplyOp<T, AdaMaxRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdaMax").Device(DEVICE_CPU), "T",
                          ApplyAdaMaxOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdaMax").Device(DEVICE_CPU), "T",
                          ApplyAdaMaxOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
