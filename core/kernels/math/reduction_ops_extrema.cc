// SPDX-License-Identifier: Apache-2.0
// Kernels of Max, Min, All and Any.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/util/elementwise.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(
    Name("Max").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    Reduction<MaxReducer>::Op, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("Min").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    Reduction<MinReducer>::Op, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double);
const ElementwiseRegistrar max_traits("Max", ElementwiseKind::kReduce);
const ElementwiseRegistrar min_traits("Min", ElementwiseKind::kReduce);
REGISTER_KERNEL_BUILDER(
    Name("All").Device(DEVICE_CPU).HostMemory("reduction_indices"),
    Reduction<AllReducer>::Op<bool>);
REGISTER_KERNEL_BUILDER(
    Name("Any").Device(DEVICE_CPU).HostMemory("reduction_indices"),
    Reduction<AnyReducer>::Op<bool>);

}  // namespace tensorwright
