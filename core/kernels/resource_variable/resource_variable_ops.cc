// SPDX-License-Identifier: Apache-2.0
// Variables behind resource handles: made, read, assigned, destroyed.

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class VarHandleOp final : public OpKernel {
 public:
  explicit VarHandleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("container", &container_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shared_name", &shared_name_));
    if (shared_name_.empty()) shared_name_ = name();
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<ResourceHandle>() =
        MakeResourceHandle<Var>(ctx, container_, shared_name_);
  }
  bool IsExpensive() override { return false; }

 private:
  std::string container_, shared_name_;
};
REGISTER_KERNEL_BUILDER(
    Name("VarHandleOp").Device(DEVICE_CPU).HostMemory("resource"), VarHandleOp);

// Shares the variable's buffer: whoever writes the variable afterwards gives it
// another one.
class ReadVariableOp final : public OpKernel {
 public:
  explicit ReadVariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    Var* var = nullptr;
    const Status found = LookupResource(ctx, handle, &var);
    OP_REQUIRES(ctx, found.ok(),
                errors::FailedPrecondition(
                    "Error while reading resource variable ", handle.name(),
                    " from container ", handle.container(),
                    ": it is not initialized. ", found.message()));
    core::ScopedUnref unref(var);
    mutex_lock l(*var->mu());
    OP_REQUIRES(ctx, var->is_initialized,
                errors::FailedPrecondition("Resource variable ", handle.name(),
                                           " is not initialized"));
    OP_REQUIRES(ctx, var->tensor()->dtype() == dtype_,
                errors::InvalidArgument(
                    "Trying to read variable ", handle.name(), " of type ",
                    DataTypeString(var->tensor()->dtype()), " as one of type ",
                    DataTypeString(dtype_)));
    ctx->set_output(0, *var->tensor());
  }
  bool IsExpensive() override { return false; }

 private:
  DataType dtype_ = DT_INVALID;
};
REGISTER_KERNEL_BUILDER(
    Name("ReadVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    ReadVariableOp);

// The value is always copied, never shared: it may be fed memory, a constant's,
// or a planned buffer, none of which a variable may keep or write.
class AssignVariableOp final : public OpKernel {
 public:
  explicit AssignVariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_shape", &validate_shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    const Tensor& value = ctx->input(1);
    Var* var = nullptr;
    OP_REQUIRES_OK(
        ctx, LookupOrCreateResource<Var>(ctx, handle, &var, [this](Var** made) {
          *made = new Var(dtype_);
          return OkStatus();
        }));
    core::ScopedUnref unref(var);
    mutex_lock l(*var->mu());
    OP_REQUIRES(ctx, var->tensor()->dtype() == dtype_,
                errors::InvalidArgument(
                    "Trying to assign variable ", handle.name(), " of type ",
                    DataTypeString(var->tensor()->dtype()), " a value of type ",
                    DataTypeString(dtype_)));
    const bool same_shape =
        var->is_initialized && var->tensor()->shape().IsSameSize(value.shape());
    OP_REQUIRES(
        ctx, !validate_shape_ || !var->is_initialized || same_shape,
        errors::InvalidArgument(
            "Trying to assign to variable with tensor with wrong shape. "
            "Expected ",
            var->tensor()->shape().DebugString(), " got ",
            value.shape().DebugString()));
    if (!same_shape || !var->tensor()->RefCountIsOne()) {
      PersistentTensor persistent;
      Tensor* fresh = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_persistent(dtype_, value.shape(),
                                                   &persistent, &fresh));
      *var->tensor() = *fresh;
    }
    OP_REQUIRES_OK(ctx, DispatchElement(dtype_, [&]<typename T>(ElementTag<T>) {
                     const T* from = value.base<T>();
                     T* to = var->tensor()->base<T>();
                     ParallelFor(ctx, value.NumElements(), MoveCost<T>(),
                                 [from, to](int64_t begin, int64_t end) {
                                   CopyRun(from + begin, end - begin,
                                           to + begin);
                                 });
                   }));
    var->is_initialized = true;
  }

 private:
  DataType dtype_ = DT_INVALID;
  bool validate_shape_ = false;
};
REGISTER_KERNEL_BUILDER(
    Name("AssignVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    AssignVariableOp);

class VarIsInitializedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    OP_REQUIRES_OK(ctx, ValidateHandle(ctx, handle, typeid(Var)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<bool>() = false;
    Var* var = nullptr;
    if (!LookupResource(ctx, handle, &var).ok()) return;
    core::ScopedUnref unref(var);
    mutex_lock l(*var->mu());
    *out->base<bool>() = var->is_initialized;
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(
    Name("VarIsInitializedOp").Device(DEVICE_CPU).HostMemory("resource"),
    VarIsInitializedOp);

class DestroyResourceOp final : public OpKernel {
 public:
  explicit DestroyResourceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("ignore_lookup_error", &ignore_lookup_error_));
  }

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    const Status status = DeleteResource(ctx, handle);
    if (ignore_lookup_error_ && status.code() == error::NOT_FOUND) return;
    OP_REQUIRES_OK(ctx, status);
  }
  bool IsExpensive() override { return false; }

 private:
  bool ignore_lookup_error_ = true;
};
REGISTER_KERNEL_BUILDER(
    Name("DestroyResourceOp").Device(DEVICE_CPU).HostMemory("resource"),
    DestroyResourceOp);

}  // namespace
}  // namespace tensorwright
