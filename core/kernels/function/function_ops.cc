// SPDX-License-Identifier: Apache-2.0
// _Arg and _Retval: the arguments and results of a call.

#include <utility>

#include "core/framework/function.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

class ArgOp final : public OpKernel {
 public:
  explicit ArgOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("index", &index_));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->call_frame() != nullptr,
                errors::Internal("_Arg: there is no call frame"));
    Tensor value;
    OP_REQUIRES_OK(ctx, ctx->call_frame()->GetArg(index_, &value));
    OP_REQUIRES(
        ctx, value.dtype() == output_type(0),
        errors::InvalidArgument("Type mismatch: argument ", index_, " is ",
                                DataTypeString(value.dtype()), ", expected ",
                                DataTypeString(output_type(0))));
    ctx->set_output(0, std::move(value));
  }
  bool IsExpensive() override { return false; }

 private:
  int index_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("_Arg").Device(DEVICE_CPU), ArgOp);

class RetvalOp final : public OpKernel {
 public:
  explicit RetvalOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("index", &index_));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->call_frame() != nullptr,
                errors::Internal("_Retval: there is no call frame"));
    OP_REQUIRES_OK(ctx, ctx->call_frame()->SetRetval(index_, ctx->input(0)));
  }
  bool IsExpensive() override { return false; }

 private:
  int index_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("_Retval").Device(DEVICE_CPU), RetvalOp);

}  // namespace
}  // namespace tensorwright
