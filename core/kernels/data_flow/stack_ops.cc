// SPDX-License-Identifier: Apache-2.0
// Stack, StackPush, StackPop, StackClose and their V2: a loop's forward pass
// keeps values in them for its gradient.  The handles of V2 are resources, the
// others are references to strings.

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

// Lives in the run's container.
class StackResource final : public ResourceBase {
 public:
  // `max_size` < 0: no limit.
  StackResource(std::string name, DataType elem_type, int64_t max_size)
      : elem_type_(elem_type),
        max_size_(max_size),
        name_(std::move(name)),
        handle_(DT_STRING, TensorShape({2})) {
    handle_.base<std::string>()[0] = "_stacks";
    handle_.base<std::string>()[1] = name_;
  }

  // The Ref outputs of Stack refer to this.
  mutex* handle_mu() { return &handle_mu_; }
  Tensor* handle() { return &handle_; }

  Status Push(const Tensor& elem) {
    mutex_lock l(mu_);
    TF_RETURN_IF_ERROR(CheckOpen());
    if (elem.dtype() != elem_type_) {
      return errors::InvalidArgument("Must have type ",
                                     DataTypeString(elem_type_), " but got ",
                                     DataTypeString(elem.dtype()));
    }
    if (max_size_ >= 0 && static_cast<int64_t>(elems_.size()) >= max_size_) {
      return errors::InvalidArgument(
          "Stack[", name_, "] overflowed its max_size (", max_size_, ")");
    }
    elems_.push_back(elem);
    return OkStatus();
  }

  Status Pop(Tensor* elem) {
    mutex_lock l(mu_);
    TF_RETURN_IF_ERROR(CheckOpen());
    if (elems_.empty()) {
      return errors::InvalidArgument("Stack[", name_,
                                     "] is empty when calling Pop().");
    }
    *elem = std::move(elems_.back());
    elems_.pop_back();
    return OkStatus();
  }

  void Close() {
    mutex_lock l(mu_);
    elems_.clear();
    closed_ = true;
  }

  std::string DebugString() override {
    mutex_lock l(mu_);
    return absl::StrCat("Stack[", name_, "] of ", elems_.size());
  }

 private:
  Status CheckOpen() const TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!closed_) return OkStatus();
    return errors::InvalidArgument("Stack[", name_,
                                   "] has already been closed.");
  }

  const DataType elem_type_;
  const int64_t max_size_;
  const std::string name_;
  mutex handle_mu_;
  Tensor handle_;
  mutex mu_;
  bool closed_ TF_GUARDED_BY(mu_) = false;
  std::vector<Tensor> elems_ TF_GUARDED_BY(mu_);
};

// The stack that input 0 names; the caller owns a reference.
Status FindStack(OpKernelContext* ctx, StackResource** stack) {
  if (ctx->step_container() == nullptr) {
    return errors::Internal("Stack: the run has no container");
  }
  const Tensor& handle = ctx->input(0);
  if (handle.dtype() == DT_RESOURCE) {
    return LookupResource(ctx, HandleFromInput(ctx, 0), stack);
  }
  if (handle.dtype() != DT_STRING || handle.NumElements() != 2) {
    return errors::InvalidArgument(
        "Stack handle must have two elements, but had shape: ",
        handle.shape().DebugString());
  }
  return ctx->resource_manager()->Lookup(ctx->step_container()->name(),
                                         handle.base<std::string>()[1], stack);
}

class StackOp final : public OpKernel {
 public:
  explicit StackOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("elem_type", &elem_type_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("stack_name", &stack_name_));
    if (stack_name_.empty()) stack_name_ = name();
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->step_container() != nullptr,
                errors::Internal("Stack: the run has no container"));
    int64_t max_size = -1;
    if (num_inputs() > 0) {
      OP_REQUIRES(ctx, ctx->input(0).NumElements() == 1,
                  errors::InvalidArgument(
                      "StackV2: max_size must be a scalar, got shape ",
                      ctx->input(0).shape().DebugString()));
      max_size = *ctx->input(0).base<int32_t>();
    }
    static std::atomic<int64_t> counter{0};
    std::string unique = absl::StrCat(stack_name_, "_", counter.fetch_add(1));
    StackResource* stack = new StackResource(unique, elem_type_, max_size);
    core::ScopedUnref unref(stack);
    stack->Ref();  // The container's reference.
    OP_REQUIRES_OK(ctx, ctx->resource_manager()->Create(
                            ctx->step_container()->name(), unique, stack));
    if (IsRefType(output_type(0))) {
      ctx->set_output_ref(0, stack->handle_mu(), stack->handle());
      return;
    }
    Tensor* handle = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &handle));
    handle->scalar_value<ResourceHandle>() =
        MakePerStepResourceHandle<StackResource>(ctx, unique);
  }
  bool IsExpensive() override { return false; }

 private:
  DataType elem_type_;
  std::string stack_name_;
};
REGISTER_KERNEL_BUILDER(Name("Stack").Device(DEVICE_CPU), StackOp);
REGISTER_KERNEL_BUILDER(Name("StackV2").Device(DEVICE_CPU), StackOp);
REGISTER_KERNEL_BUILDER(Name("StackV2")
                            .Device(DEVICE_GPU)
                            .HostMemory("max_size")
                            .HostMemory("handle"),
                        StackOp);

class StackPushOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    StackResource* stack = nullptr;
    OP_REQUIRES_OK(ctx, FindStack(ctx, &stack));
    core::ScopedUnref unref(stack);
    OP_REQUIRES_OK(ctx, stack->Push(ctx->input(1)));
    ctx->set_output(0, ctx->input(1));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("StackPush").Device(DEVICE_CPU), StackPushOp);
REGISTER_PASSING_KERNEL(Name("StackPushV2").HostMemory("handle"), "T",
                        StackPushOp, "elem", "output");

class StackPopOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    StackResource* stack = nullptr;
    OP_REQUIRES_OK(ctx, FindStack(ctx, &stack));
    core::ScopedUnref unref(stack);
    Tensor elem;
    OP_REQUIRES_OK(ctx, stack->Pop(&elem));
    OP_REQUIRES(
        ctx, elem.dtype() == output_type(0),
        errors::InvalidArgument("Must have type ", DataTypeString(elem.dtype()),
                                " but got ", DataTypeString(output_type(0))));
    ctx->set_output(0, std::move(elem));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("StackPop").Device(DEVICE_CPU), StackPopOp);
REGISTER_PASSING_KERNEL(Name("StackPopV2").HostMemory("handle"), "elem_type",
                        StackPopOp, "elem");

// The resource itself is destroyed with the run: its handle may still be
// referred to.
class StackCloseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    StackResource* stack = nullptr;
    OP_REQUIRES_OK(ctx, FindStack(ctx, &stack));
    core::ScopedUnref unref(stack);
    stack->Close();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("StackClose").Device(DEVICE_CPU), StackCloseOp);
REGISTER_KERNEL_BUILDER(Name("StackCloseV2").Device(DEVICE_CPU), StackCloseOp);
REGISTER_KERNEL_BUILDER(
    Name("StackCloseV2").Device(DEVICE_GPU).HostMemory("handle"), StackCloseOp);

}  // namespace
}  // namespace tensorwright
