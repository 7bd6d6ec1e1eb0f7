// SPDX-License-Identifier: Apache-2.0
// RegexReplace and StaticRegexReplace: they replace the parts of strings that a
// pattern matches.

#include <memory>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/string/unary_strings.h"
#include "core/lib/core/errors.h"
#include "re2/re2.h"

namespace tensorwright {
namespace {

// Compiles the pattern; InvalidArgument if the rewrite names a group that it
// lacks.
Status Compile(const std::string& pattern, const std::string& rewrite,
               std::unique_ptr<RE2>* compiled) {
  *compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (!(*compiled)->ok()) {
    return errors::InvalidArgument("Invalid pattern: ", pattern,
                                   ", error: ", (*compiled)->error());
  }
  std::string error;
  if (!(*compiled)->CheckRewriteString(rewrite, &error)) {
    return errors::InvalidArgument("Invalid rewrite: ", rewrite,
                                   ", error: ", error);
  }
  return OkStatus();
}

void Replace(OpKernelContext* ctx, const RE2& pattern,
             const std::string& rewrite, bool global) {
  constexpr int64_t kCycles = 2000;
  ChangeStrings(ctx, kCycles, [&](std::string* s) {
    if (global) {
      RE2::GlobalReplace(s, pattern, rewrite);
    } else {
      RE2::Replace(s, pattern, rewrite);
    }
  });
}

class RegexReplaceOp final : public OpKernel {
 public:
  explicit RegexReplaceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("replace_global", &global_));
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string& rewrite = ctx->input(2).scalar_value<std::string>();
    std::unique_ptr<RE2> pattern;
    OP_REQUIRES_OK(ctx, Compile(ctx->input(1).scalar_value<std::string>(),
                                rewrite, &pattern));
    Replace(ctx, *pattern, rewrite, global_);
  }

 private:
  bool global_;
};
REGISTER_KERNEL_BUILDER(Name("RegexReplace").Device(DEVICE_CPU),
                        RegexReplaceOp);

class StaticRegexReplaceOp final : public OpKernel {
 public:
  explicit StaticRegexReplaceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string pattern;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("replace_global", &global_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pattern", &pattern));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("rewrite", &rewrite_));
    OP_REQUIRES_OK(ctx, Compile(pattern, rewrite_, &pattern_));
  }

  void Compute(OpKernelContext* ctx) override {
    Replace(ctx, *pattern_, rewrite_, global_);
  }

 private:
  bool global_;
  std::string rewrite_;
  std::unique_ptr<RE2> pattern_;
};
REGISTER_KERNEL_BUILDER(Name("StaticRegexReplace").Device(DEVICE_CPU),
                        StaticRegexReplaceOp);

}  // namespace
}  // namespace tensorwright
