// SPDX-License-Identifier: Apache-2.0
// Makes, reads, assigns and destroys variables behind resource handles.  The
// kernels of their other updates stand beside those of reference variables:
// dense_update_ops, scatter_op, count_up_to_op, scatter_nd_op, gather_op,
// training_ops.

#include <atomic>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/kernels/lib/variables.h"

namespace tensorwright {
namespace {

class VarHandleOp final : public OpKernel {
 public:
  explicit VarHandleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("container", &container_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shared_name", &shared_name_));
    if (shared_name_.empty()) shared_name_ = name();
  }

  // The handle is the same in every run of the kernel's session.
  void Compute(OpKernelContext* ctx) override {
    if (!is_made_.load(std::memory_order_acquire)) {
      OP_REQUIRES_OK(ctx, MakeHandle(ctx));
    }
    ctx->set_output(0, handle_);
  }
  bool IsExpensive() override { return false; }

 private:
  Status MakeHandle(OpKernelContext* ctx) {
    mutex_lock l(mu_);
    if (is_made_.load(std::memory_order_relaxed)) return OkStatus();
    AllocatorAttributes on_host;
    on_host.set_on_host(true);
    TF_RETURN_IF_ERROR(
        ctx->allocate_temp(DT_RESOURCE, TensorShape({}), &handle_, on_host));
    *handle_.base<ResourceHandle>() =
        MakeResourceHandle<Var>(ctx, container_, shared_name_);
    is_made_.store(true, std::memory_order_release);
    return OkStatus();
  }

  std::string container_, shared_name_;
  mutex mu_;
  std::atomic<bool> is_made_{false};
  Tensor handle_;  // Never changes once it is made.
};
REGISTER_KERNEL_BUILDER(
    Name("VarHandleOp").Device(DEVICE_CPU).HostMemory("resource"), VarHandleOp);
REGISTER_KERNEL_BUILDER(Name("VarHandleOp")
                            .Device(DEVICE_GPU)
                            .HostMemory("resource")
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        VarHandleOp);

// Shares the variable's buffer; an op that writes the variable afterwards gives
// it another one.
class ReadVariableOp final : public OpKernel {
 public:
  explicit ReadVariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }

  void Compute(OpKernelContext* ctx) override {
    ReadableVariable var;
    OP_REQUIRES_OK(ctx, var.Open(ctx, 0, dtype_));
    ctx->set_output(0, var.tensor());
  }
  bool IsExpensive() override { return false; }

 private:
  DataType dtype_ = DT_INVALID;
};
REGISTER_KERNEL_BUILDER(
    Name("ReadVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    ReadVariableOp);
REGISTER_KERNEL_BUILDER(Name("ReadVariableOp")
                            .Device(DEVICE_GPU)
                            .HostMemory("resource")
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        ReadVariableOp);

// Takes over the value's buffer if no one else needs it, and copies otherwise,
// because the value may be fed memory or a constant's, which a variable may
// neither keep nor write.
class AssignVariableOp final : public OpKernel {
 public:
  explicit AssignVariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_shape", &validate_shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    core::RefCountPtr<Var> var;
    OP_REQUIRES_OK(
        ctx, LookupOrCreateResource<Var>(ctx, handle, &var, [this](Var** made) {
          *made = new Var(dtype_);
          return OkStatus();
        }));
    mutex_lock l(*var->mu());
    const TensorShape& shape = ctx->input(1).shape();
    OP_REQUIRES(ctx, var->tensor()->dtype() == dtype_,
                errors::InvalidArgument(
                    "Trying to assign variable ", handle.name(), " of type ",
                    DataTypeString(var->tensor()->dtype()), " a value of type ",
                    DataTypeString(dtype_)));
    OP_REQUIRES(
        ctx,
        !validate_shape_ || !var->is_initialized ||
            var->tensor()->shape().IsSameSize(shape),
        errors::InvalidArgument("Trying to assign to variable ", handle.name(),
                                " a value of another shape: expected ",
                                var->tensor()->shape().DebugString(), ", got ",
                                shape.DebugString()));
    OP_REQUIRES_OK(ctx, Take(ctx, var->tensor(), var->is_initialized));
    var->is_initialized = true;
  }

 private:
  Status Take(OpKernelContext* ctx, Tensor* tensor, bool has_value) {
    const Tensor& value = ctx->input(1);
    if (auto taken = ctx->forward_input(1, -1, dtype_, value.shape(),
                                        DEVICE_MEMORY, AllocatorAttributes())) {
      *tensor = *taken;
      return OkStatus();
    }
    if (!has_value || !tensor->RefCountIsOne() ||
        !tensor->shape().IsSameSize(value.shape())) {
      PersistentTensor persistent;
      Tensor* fresh = nullptr;
      TF_RETURN_IF_ERROR(
          ctx->allocate_persistent(dtype_, value.shape(), &persistent, &fresh));
      TF_RETURN_IF_ERROR(CopyElements(ctx, value, fresh));
      *tensor = *fresh;
      return OkStatus();
    }
    return CopyElements(ctx, value, tensor);
  }

  DataType dtype_ = DT_INVALID;
  bool validate_shape_ = false;
};
REGISTER_KERNEL_BUILDER(
    Name("AssignVariableOp").Device(DEVICE_CPU).HostMemory("resource"),
    AssignVariableOp);
REGISTER_KERNEL_BUILDER(Name("AssignVariableOp")
                            .Device(DEVICE_GPU)
                            .HostMemory("resource")
                            .TypeConstraint("dtype", TypesInGpuMemory()),
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
REGISTER_KERNEL_BUILDER(Name("VarIsInitializedOp")
                            .Device(DEVICE_GPU)
                            .HostMemory("resource")
                            .HostMemory("is_initialized"),
                        VarIsInitializedOp);

// Reading a variable never copies it, so there is nothing to turn off.
class DisableCopyOnReadOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    OP_REQUIRES_OK(ctx, ValidateHandle(ctx, handle, typeid(Var)));
    Var* var = nullptr;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, handle, &var));
    var->Unref();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_CPU_AND_GPU_KERNEL(Name("DisableCopyOnRead").HostMemory("resource"),
                            DisableCopyOnReadOp);

template <typename T>
class VariableShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ReadableVariable var;
    OP_REQUIRES_OK(ctx, var.Open(ctx, 0, DT_INVALID));
    const TensorShape& shape = var.tensor().shape();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({shape.dims()}), &out));
    for (int d = 0; d < shape.dims(); ++d) {
      OP_REQUIRES(ctx, shape.dim_size(d) <= std::numeric_limits<T>::max(),
                  errors::InvalidArgument(
                      "VariableShape: dimension ", d, " is ", shape.dim_size(d),
                      ", more than out_type ",
                      DataTypeString(DataTypeToEnum<T>::v()), " holds"));
      out->base<T>()[d] = static_cast<T>(shape.dim_size(d));
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_FOR_TYPES(Name("VariableShape")
                              .Device(DEVICE_CPU)
                              .HostMemory("input")
                              .HostMemory("output"),
                          "out_type", VariableShapeOp, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("VariableShape")
                              .Device(DEVICE_GPU)
                              .HostMemory("input")
                              .HostMemory("output"),
                          "out_type", VariableShapeOp, int32_t, int64_t);

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
REGISTER_CPU_AND_GPU_KERNEL(Name("DestroyResourceOp").HostMemory("resource"),
                            DestroyResourceOp);

}  // namespace
}  // namespace tensorwright
