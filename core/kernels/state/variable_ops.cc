// SPDX-License-Identifier: Apache-2.0
// Variables: Variable, VariableV2, TemporaryVariable, and ops that say whether
// one has a value.
#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/kernels/lib/variables.h"

namespace tensorwright {
namespace {

// Returns attr "shape" if it is fully known, and otherwise [].
Status GetInitialShape(OpKernelConstruction* ctx, TensorShape* shape) {
  PartialTensorShape partial;
  TF_RETURN_IF_ERROR(ctx->GetAttr("shape", &partial));
  if (!partial.AsTensorShape(shape)) *shape = TensorShape();
  return OkStatus();
}

class VariableOp final : public OpKernel {
 public:
  explicit VariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, GetInitialShape(ctx, &shape_));
    dtype_ = BaseType(output_type(0));
  }

  ~VariableOp() override {
    if (LegacyVar* var = var_.load()) var->Unref();
  }

  void Compute(OpKernelContext* ctx) override {
    LegacyVar* var = var_.load(std::memory_order_acquire);
    if (var == nullptr) {
      OP_REQUIRES_OK(ctx, FindOrMake(ctx, &var));
    }
    ctx->set_output_ref(0, var->mu(), var->tensor());
  }
  bool IsExpensive() override { return false; }

 private:
  // The kernel lives no longer than its session's ResourceMgr, so it looks its
  // variable up only once.
  Status FindOrMake(OpKernelContext* ctx, LegacyVar** var) {
    mutex_lock l(init_mu_);
    *var = var_.load(std::memory_order_relaxed);
    if (*var != nullptr) return OkStatus();
    ContainerInfo info;
    TF_RETURN_IF_ERROR(info.Init(ctx->resource_manager(), def(),
                                 /*use_node_name_as_default=*/true));
    TF_RETURN_IF_ERROR(ctx->resource_manager()->LookupOrCreate<LegacyVar>(
        info.container(), info.name(), var, [this](LegacyVar** made) {
          *made = new LegacyVar(dtype_, shape_);
          return OkStatus();
        }));
    const DataType found = (*var)->tensor()->dtype();
    if (found != dtype_) {
      (*var)->Unref();
      return errors::InvalidArgument(
          "Trying to access variable ", info.name(), " of type ",
          DataTypeString(found), " as one of type ", DataTypeString(dtype_));
    }
    var_.store(*var, std::memory_order_release);
    return OkStatus();
  }

  DataType dtype_;
  TensorShape shape_;
  mutex init_mu_;
  std::atomic<LegacyVar*> var_{nullptr};  // One reference.
};
REGISTER_KERNEL_BUILDER(Name("Variable").Device(DEVICE_CPU), VariableOp);
REGISTER_KERNEL_BUILDER(Name("Variable")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        VariableOp);
REGISTER_KERNEL_BUILDER(Name("VariableV2").Device(DEVICE_CPU), VariableOp);
REGISTER_KERNEL_BUILDER(Name("VariableV2")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        VariableOp);

// Lives in the run's container from its op until DestroyTemporaryVariable.
class TemporaryVar final : public ResourceBase {
 public:
  explicit TemporaryVar(const Tensor& value) : tensor(value) {}
  std::string DebugString() override { return tensor.DebugString(); }

  mutex mu;
  Tensor tensor;
};

std::string TemporaryVarName(absl::string_view name,
                             const FrameAndIter& frame_iter) {
  if (frame_iter == FrameAndIter(0, 0)) return std::string(name);
  return absl::StrCat(name, "/frame:", frame_iter.frame_id,
                      "/iter:", frame_iter.iter_id);
}

class TemporaryVariableOp final : public OpKernel {
 public:
  explicit TemporaryVariableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("var_name", &var_name_));
    if (var_name_.empty()) var_name_ = name();
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(
        ctx, ctx->step_container() != nullptr,
        errors::Internal("TemporaryVariable: the run has no container"));
    Tensor value;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(dtype_, shape_, &value));
    TemporaryVar* var = new TemporaryVar(value);
    core::ScopedUnref unref(var);
    var->Ref();  // The container's reference.
    OP_REQUIRES_OK(ctx,
                   ctx->resource_manager()->Create(
                       ctx->step_container()->name(),
                       TemporaryVarName(var_name_, ctx->frame_iter()), var));
    ctx->set_output_ref(0, &var->mu, &var->tensor);
  }

 private:
  TensorShape shape_;
  DataType dtype_;
  std::string var_name_;
};
REGISTER_KERNEL_BUILDER(Name("TemporaryVariable").Device(DEVICE_CPU),
                        TemporaryVariableOp);
REGISTER_KERNEL_BUILDER(Name("TemporaryVariable")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        TemporaryVariableOp);

class DestroyTemporaryVariableOp final : public OpKernel {
 public:
  explicit DestroyTemporaryVariableOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("var_name", &var_name_));
    OP_REQUIRES(ctx, !var_name_.empty(),
                errors::InvalidArgument("DestroyTemporaryVariable: var_name "
                                        "must name a variable, got ''"));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(
        ctx, ctx->step_container() != nullptr,
        errors::Internal("DestroyTemporaryVariable: the run has no container"));
    ctx->set_output(0, ctx->mutable_input(0, /*lock_held=*/false));
    OP_REQUIRES_OK(ctx, ctx->resource_manager()->Delete<TemporaryVar>(
                            ctx->step_container()->name(),
                            TemporaryVarName(var_name_, ctx->frame_iter())));
  }

 private:
  std::string var_name_;
};
REGISTER_KERNEL_BUILDER(Name("DestroyTemporaryVariable").Device(DEVICE_CPU),
                        DestroyTemporaryVariableOp);
REGISTER_KERNEL_BUILDER(Name("DestroyTemporaryVariable")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("T", TypesInGpuMemory()),
                        DestroyTemporaryVariableOp);

class IsVariableInitializedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<bool>() =
        ctx->mutable_input(0, /*lock_held=*/false).IsInitialized();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("IsVariableInitialized").Device(DEVICE_CPU),
                        IsVariableInitializedOp);
REGISTER_KERNEL_BUILDER(Name("IsVariableInitialized")
                            .Device(DEVICE_GPU)
                            .HostMemory("is_initialized")
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        IsVariableInitializedOp);

}  // namespace
}  // namespace tensorwright
