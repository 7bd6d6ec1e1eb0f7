// SPDX-License-Identifier: Apache-2.0
// StringFormat: prints the values of tensors within a text.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class StringFormatOp final : public OpKernel {
 public:
  explicit StringFormatOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string text, placeholder;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("template", &text));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("placeholder", &placeholder));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("summarize", &summarize_));
    if (placeholder.empty()) {
      between_ = {text};
    } else {
      between_ = absl::StrSplit(text, absl::ByString(placeholder));
    }
    OP_REQUIRES(ctx, static_cast<int>(between_.size()) - 1 == num_inputs(),
                errors::InvalidArgument(
                    "StringFormat: template has ", between_.size() - 1,
                    " placeholders, but there are ", num_inputs(), " inputs"));
  }

  void Compute(OpKernelContext* ctx) override {
    std::string text = between_[0];
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      text += ctx->input(i).SummarizeValue(summarize_, /*print_v2=*/true);
      text += between_[static_cast<size_t>(i) + 1];
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &output));
    output->scalar_value<std::string>() = std::move(text);
  }

 private:
  std::vector<std::string> between_;  // The text around the placeholders.
  int64_t summarize_;
};
REGISTER_KERNEL_BUILDER(Name("StringFormat").Device(DEVICE_CPU),
                        StringFormatOp);

}  // namespace
}  // namespace tensorwright
