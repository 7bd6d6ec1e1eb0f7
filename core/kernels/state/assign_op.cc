// SPDX-License-Identifier: Apache-2.0
// Assign: gives a variable a value.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/kernels/lib/variables.h"

namespace tensorwright {
namespace {

// The value is always copied, never shared: it may be fed memory, a constant's
// or a planned buffer, which a variable may neither keep nor write.
class AssignOp final : public OpKernel {
 public:
  explicit AssignOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_shape", &validate_shape_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_locking_));
    OP_REQUIRES(ctx, IsRefType(input_type(0)),
                errors::InvalidArgument("lhs input needs to be a ref type"));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    ctx->forward_ref_input_to_ref_output(0, 0);
    Tensor target;
    {
      mutex_lock l(*ctx->input_ref_mutex(0));
      OP_REQUIRES_OK(ctx, PrepareTarget(ctx, value, &target));
      if (use_locking_) {
        OP_REQUIRES_OK(ctx, CopyElements(ctx, value, &target));
        return;
      }
    }
    OP_REQUIRES_OK(ctx, CopyElements(ctx, value, &target));
  }

 private:
  // Returns the variable's own buffer in the value's shape: the present one if
  // it has the right size, else a new one.
  Status PrepareTarget(OpKernelContext* ctx, const Tensor& value,
                       Tensor* target) {
    const Tensor old = ctx->mutable_input(0, /*lock_held=*/true);
    const bool same_shape = old.shape().IsSameSize(value.shape());
    if (validate_shape_ && !same_shape) {
      return errors::InvalidArgument(
          "Assign requires shapes of both tensors to match. lhs shape= ",
          old.shape().DebugString(),
          " rhs shape= ", value.shape().DebugString());
    }
    if (old.IsInitialized() && same_shape) {
      *target = old;
      return OkStatus();
    }
    if (old.IsInitialized() && old.NumElements() == value.NumElements()) {
      if (!target->CopyFrom(old, value.shape())) {
        return errors::Internal("Assign: cannot reshape the variable");
      }
    } else {
      PersistentTensor persistent;
      Tensor* fresh = nullptr;
      TF_RETURN_IF_ERROR(ctx->allocate_persistent(value.dtype(), value.shape(),
                                                  &persistent, &fresh));
      *target = *fresh;
    }
    ctx->replace_ref_input(0, *target, /*lock_held=*/true);
    return OkStatus();
  }

  bool validate_shape_ = true;
  bool use_locking_ = true;
};
REGISTER_KERNEL_BUILDER(Name("Assign").Device(DEVICE_CPU), AssignOp);
REGISTER_KERNEL_BUILDER(
    Name("Assign").Device(DEVICE_GPU).TypeConstraint("T", TypesInGpuMemory()),
    AssignOp);

}  // namespace
}  // namespace tensorwright
