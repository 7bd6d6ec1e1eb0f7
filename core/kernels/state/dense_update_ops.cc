// SPDX-License-Identifier: Apache-2.0
// AssignAdd and AssignSub, on references and behind handles: ref += value, ref
// -= value.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename T>
struct AddTo {
  static void Run(const T* x, int64_t n, T* ref) {
    for (int64_t i = 0; i < n; ++i) ref[i] = static_cast<T>(ref[i] + x[i]);
  }
};

template <typename T>
struct SubtractFrom {
  static void Run(const T* x, int64_t n, T* ref) {
    for (int64_t i = 0; i < n; ++i) ref[i] = static_cast<T>(ref[i] - x[i]);
  }
};

template <typename T, typename Update>
class DenseUpdateOp : public OpKernel {
 public:
  explicit DenseUpdateOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    // AssignAddVariableOp lacks this attr, and always locks.
    if (!ctx->HasAttr("use_locking")) return;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_locking_));
  }

  void Compute(OpKernelContext* ctx) override {
    if (IsRefType(input_type(0))) ctx->forward_ref_input_to_ref_output(0, 0);
    WritableVariables variables;
    OP_REQUIRES_OK(
        ctx, variables.Open(ctx, {0}, DataTypeToEnum<T>::v(), use_locking_));
    Tensor& ref = variables[0];
    const Tensor& value = ctx->input(1);
    OP_REQUIRES(ctx, ref.IsInitialized(),
                errors::FailedPrecondition(
                    "Attempting to use uninitialized parameters: ",
                    requested_input(0)));
    OP_REQUIRES(
        ctx, ref.IsSameSize(value),
        errors::InvalidArgument(
            type_string(), ": ref and value must have one shape, got ",
            ref.shape().DebugString(), " and ", value.shape().DebugString()));
    const T* x = value.base<T>();
    T* y = ref.base<T>();
    ParallelFor(ctx, value.NumElements(), /*cost_per_unit=*/1,
                [x, y](int64_t begin, int64_t end) {
                  Update::Run(x + begin, end - begin, y + begin);
                });
  }

 private:
  bool use_locking_ = false;
};

template <typename T>
class AssignAddOp final : public DenseUpdateOp<T, AddTo<T>> {
 public:
  using DenseUpdateOp<T, AddTo<T>>::DenseUpdateOp;
};
template <typename T>
class AssignSubOp final : public DenseUpdateOp<T, SubtractFrom<T>> {
 public:
  using DenseUpdateOp<T, SubtractFrom<T>>::DenseUpdateOp;
};

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
