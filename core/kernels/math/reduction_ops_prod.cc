// SPDX-License-Identifier: Apache-2.0
// Kernels of Prod.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(
    Name("Prod").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    Reduction<ProdReducer>::Op, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double, complex64,
    complex128);

}  // namespace tensorwright
