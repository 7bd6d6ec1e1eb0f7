// SPDX-License-Identifier: Apache-2.0
// RegexFullMatch and StaticRegexFullMatch: they say which strings a pattern
// matches.

#include <memory>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"
#include "re2/re2.h"

namespace tensorwright {
namespace {

Status Compile(const std::string& pattern, std::unique_ptr<RE2>* compiled) {
  // The returned error tells what is wrong with a pattern, so the log need not.
  *compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  if ((*compiled)->ok()) return OkStatus();
  return errors::InvalidArgument("Invalid pattern: ", pattern,
                                 ", error: ", (*compiled)->error());
}

void Match(OpKernelContext* ctx, const RE2& pattern) {
  const Tensor& input = ctx->input(0);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
  const auto strings = Flat<std::string>(input);
  const auto matches = Flat<bool>(output);
  constexpr int64_t kCycles = 1000;
  ParallelFor(ctx, input.NumElements(), kCycles,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  matches[i] = RE2::FullMatch(strings[i], pattern);
                }
              });
}

class RegexFullMatchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    std::unique_ptr<RE2> pattern;
    OP_REQUIRES_OK(
        ctx, Compile(ctx->input(1).scalar_value<std::string>(), &pattern));
    Match(ctx, *pattern);
  }
};
REGISTER_KERNEL_BUILDER(Name("RegexFullMatch").Device(DEVICE_CPU),
                        RegexFullMatchOp);

class StaticRegexFullMatchOp final : public OpKernel {
 public:
  explicit StaticRegexFullMatchOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string pattern;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pattern", &pattern));
    OP_REQUIRES_OK(ctx, Compile(pattern, &pattern_));
  }

  void Compute(OpKernelContext* ctx) override { Match(ctx, *pattern_); }

 private:
  std::unique_ptr<RE2> pattern_;
};
REGISTER_KERNEL_BUILDER(Name("StaticRegexFullMatch").Device(DEVICE_CPU),
                        StaticRegexFullMatchOp);

}  // namespace
}  // namespace tensorwright
