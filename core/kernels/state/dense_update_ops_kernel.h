// SPDX-License-Identifier: Apache-2.0
// The kernel of AssignAdd, AssignSub and their forms behind handles, for all
// devices: ref += value, ref -= value.
#ifndef TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_KERNEL_H_
#define TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_KERNEL_H_

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// Update::Run(ctx, value, &ref) changes the variable's tensor, which has the
// value's dtype, T, and shape, in the device's memory; it may have no elements.
// FailedPrecondition: the variable has no value; InvalidArgument: the shapes
// differ.
template <typename T, class Update>
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
    Update::Run(ctx, value, &ref);
  }

 private:
  bool use_locking_ = false;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_KERNEL_H_
