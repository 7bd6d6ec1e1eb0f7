// SPDX-License-Identifier: Apache-2.0
// Assert and Print.

#include <atomic>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

// "[1 2 3...] [a b]": a summary of inputs 1, 2, ...
std::string Summary(OpKernelContext* ctx, int summarize,
                    absl::string_view separator) {
  std::string text;
  for (int i = 1; i < ctx->num_inputs(); ++i) {
    absl::StrAppend(&text, i == 1 ? "" : separator, "[",
                    ctx->input(i).SummarizeValue(summarize), "]");
  }
  return text;
}

class AssertOp final : public OpKernel {
 public:
  explicit AssertOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("summarize", &summarize_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    OP_REQUIRES(ctx, condition.dims() == 0,
                errors::InvalidArgument("In[0] should be a scalar: ",
                                        condition.shape().DebugString()));
    if (*condition.base<bool>()) return;
    ctx->SetStatus(errors::InvalidArgument("assertion failed: ",
                                           Summary(ctx, summarize_, " ")));
  }
  bool IsExpensive() override { return false; }

 private:
  int summarize_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Assert").Device(DEVICE_CPU), AssertOp);
REGISTER_KERNEL_BUILDER(Name("Assert")
                            .Device(DEVICE_GPU)
                            .HostMemory("condition")
                            .HostMemory("data"),
                        AssertOp);

class PrintOp final : public OpKernel {
 public:
  explicit PrintOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("message", &message_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("first_n", &first_n_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("summarize", &summarize_));
  }

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input(0));
    if (first_n_ >= 0 && calls_.fetch_add(1) >= first_n_) return;
    // One write, so that lines of concurrent prints do not mix.
    std::cerr << absl::StrCat(message_, Summary(ctx, summarize_, ""), "\n")
              << std::flush;
  }

 private:
  std::string message_;
  int64_t first_n_ = -1;
  int summarize_ = 0;
  std::atomic<int64_t> calls_{0};
};
REGISTER_KERNEL_BUILDER(Name("Print").Device(DEVICE_CPU), PrintOp);

}  // namespace
}  // namespace tensorwright
