// SPDX-License-Identifier: Apache-2.0
// AssignAdd and AssignSub, on references and behind handles: ref += value, ref
// -= value.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/state/dense_update_ops_kernel.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename T, bool kSubtracts>
struct UpdateOnCpu {
  static void Run(OpKernelContext* ctx, const Tensor& value, Tensor* ref) {
    const T* x = value.base<T>();
    T* y = ref->base<T>();
    ParallelFor(ctx, value.NumElements(), /*cost_per_unit=*/1,
                [x, y](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    y[i] =
                        static_cast<T>(kSubtracts ? y[i] - x[i] : y[i] + x[i]);
                  }
                });
  }
};

template <typename T>
using AssignAddOp = DenseUpdateOp<T, UpdateOnCpu<T, false>>;
template <typename T>
using AssignSubOp = DenseUpdateOp<T, UpdateOnCpu<T, true>>;

REGISTER_KERNEL_FOR_TYPES(Name("AssignAdd").Device(DEVICE_CPU), "T",
                          AssignAddOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("AssignSub").Device(DEVICE_CPU), "T",
                          AssignSubOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("AssignAddVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", AssignAddOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("AssignSubVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    "dtype", AssignSubOp, float, double, half, bfloat16, int8_t, int16_t,
    int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
    complex128);

}  // namespace
}  // namespace tensorwright
