// SPDX-License-Identifier: Apache-2.0
// Kernels of AddSign and PowerSign.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules_regularized.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyAddSignOp = ApplyOp<T, AddSignRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAddSign").Device(DEVICE_CPU), "T",
                          ApplyAddSignOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAddSign").Device(DEVICE_CPU), "T",
                          ApplyAddSignOp, half, bfloat16, float, double);

template <typename T>
using ApplyPowerSignOp = ApplyOp<T, PowerSignRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyPowerSign").Device(DEVICE_CPU), "T",
                          ApplyPowerSignOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyPowerSign").Device(DEVICE_CPU),
                          "T", ApplyPowerSignOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
