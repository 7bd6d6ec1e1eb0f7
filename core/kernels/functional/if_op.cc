// SPDX-License-Identifier: Apache-2.0
// If and Case: one of several functions makes the outputs.

#include <utility>
#include <vector>

#include "core/kernels/functional/call_function.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The types of the inputs after the first, which chooses.
DataTypeSlice Passed(OpKernelConstruction* ctx) {
  return DataTypeSlice(ctx->input_types()).subspan(1);
}

class IfOp final : public AsyncOpKernel {
 public:
  explicit IfOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(
        ctx, then_.Init(ctx, "then_branch", Passed(ctx), ctx->output_types()));
    OP_REQUIRES_OK(
        ctx, else_.Init(ctx, "else_branch", Passed(ctx), ctx->output_types()));
    OP_REQUIRES_OK(ctx, OutputShapes(ctx, &shapes_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    bool holds = false;
    OP_REQUIRES_OK_ASYNC(ctx, ToBool(ctx->input(0), &holds), done);
    CallWithInputs(ctx, holds ? then_ : else_, 1, shapes_, std::move(done));
  }

 private:
  CalledFunction then_;
  CalledFunction else_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("If").Device(DEVICE_CPU), IfOp);
REGISTER_KERNEL_BUILDER(Name("StatelessIf").Device(DEVICE_CPU), IfOp);

class CaseOp final : public AsyncOpKernel {
 public:
  explicit CaseOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    std::vector<NameAttrList> branches;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("branches", &branches));
    branches_.resize(branches.size());
    for (size_t i = 0; i < branches.size(); ++i) {
      OP_REQUIRES_OK(ctx, branches_[i].Init(ctx, "branches", branches[i],
                                            Passed(ctx), ctx->output_types()));
    }
    OP_REQUIRES_OK(ctx, OutputShapes(ctx, &shapes_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const int32_t index = *ctx->input(0).base<int32_t>();
    const auto last = static_cast<int32_t>(branches_.size()) - 1;
    CallWithInputs(ctx, branches_[index < 0 || index > last ? last : index], 1,
                   shapes_, std::move(done));
  }

 private:
  std::vector<CalledFunction> branches_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("Case").Device(DEVICE_CPU), CaseOp);
REGISTER_KERNEL_BUILDER(Name("StatelessCase").Device(DEVICE_CPU), CaseOp);

}  // namespace
}  // namespace tensorwright
