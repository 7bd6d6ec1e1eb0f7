// SPDX-License-Identifier: Apache-2.0
// The primitives of cond and while_loop.  Frames and deadness are the
// executor's business; kernels only pass tensors on.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

// Output `to` becomes input `from`, a variable if the output is one.
void PassOn(OpKernelContext* ctx, int from, int to) {
  if (IsRefType(ctx->expected_output_dtype(to))) {
    ctx->forward_ref_input_to_ref_output(from, to);
  } else {
    ctx->set_output(to, ctx->input(from));
  }
}

class SwitchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& pred = ctx->input(1);
    OP_REQUIRES(ctx, pred.NumElements() == 1 && pred.dims() == 0,
                errors::InvalidArgument(
                    "The second input must be a scalar, but it has shape ",
                    pred.shape().DebugString()));
    PassOn(ctx, 0, *pred.base<bool>() ? 1 : 0);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("Switch").HostMemory("pred"), "T", SwitchOp,
                        "data", "output_false", "output_true");
REGISTER_PASSING_KERNEL(Name("RefSwitch").HostMemory("pred"), "T", SwitchOp,
                        "data", "output_false", "output_true");

class RefSelectOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& index_tensor = ctx->input(0);
    OP_REQUIRES(
        ctx, index_tensor.dims() == 0,
        errors::InvalidArgument("Index must be a scalar, but it has shape ",
                                index_tensor.shape().DebugString()));
    const int64_t index = *index_tensor.base<int32_t>();
    const int64_t n = ctx->num_inputs() - 1;
    OP_REQUIRES(ctx, index >= 0 && index < n,
                errors::InvalidArgument("Index must be in the range [0, ", n,
                                        ") but got ", index));
    ctx->forward_ref_input_to_ref_output(static_cast<int>(index) + 1, 0);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(
    Name("RefSelect").Device(DEVICE_CPU).HostMemory("index"), RefSelectOp);

class MergeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    int alive = -1;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      if (!ctx->has_input(i)) continue;
      OP_REQUIRES(
          ctx, alive < 0,
          errors::Internal("Merge can not have more than one valid input."));
      alive = i;
    }
    if (alive < 0) return;  // All inputs are dead, so the outputs are, too.
    PassOn(ctx, alive, 0);
    Tensor* value_index = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({}), &value_index));
    *value_index->base<int32_t>() = alive;
  }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("Merge").HostMemory("value_index"), "T", MergeOp,
                        "inputs", "output");
REGISTER_PASSING_KERNEL(Name("RefMerge").HostMemory("value_index"), "T",
                        MergeOp, "inputs", "output");

// Enter, Exit and NextIteration pass on the tensor, which belongs to another
// frame or iteration afterwards.
class FrameCrossingOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override { PassOn(ctx, 0, 0); }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("Enter"), "T", FrameCrossingOp, "data", "output");
REGISTER_PASSING_KERNEL(Name("RefEnter"), "T", FrameCrossingOp, "data",
                        "output");
REGISTER_PASSING_KERNEL(Name("Exit"), "T", FrameCrossingOp, "data", "output");
REGISTER_PASSING_KERNEL(Name("RefExit"), "T", FrameCrossingOp, "data",
                        "output");
REGISTER_PASSING_KERNEL(Name("NextIteration"), "T", FrameCrossingOp, "data",
                        "output");
REGISTER_PASSING_KERNEL(Name("RefNextIteration"), "T", FrameCrossingOp, "data",
                        "output");
REGISTER_CPU_AND_GPU_KERNEL(
    Name("LoopCond").HostMemory("input").HostMemory("output"), FrameCrossingOp);

// A graph must not end the process, so both forms end the run.
class AbortOp final : public OpKernel {
 public:
  explicit AbortOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("error_msg", &error_msg_));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("exit_without_error", &exit_without_error_));
  }

  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(exit_without_error_
                       ? errors::Cancelled("Abort: the graph asked to exit")
                       : errors::Aborted("Abort: ", error_msg_));
  }
  bool IsExpensive() override { return false; }

 private:
  std::string error_msg_;
  bool exit_without_error_ = false;
};
REGISTER_KERNEL_BUILDER(Name("Abort").Device(DEVICE_CPU), AbortOp);

}  // namespace
}  // namespace tensorwright
