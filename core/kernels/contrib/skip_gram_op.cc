// SPDX-License-Identifier: Apache-2.0
// SkipGramGenerateCandidates: pairs of tokens near each other (Mikolov et al.,
// 2013).

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/simple_philox.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

struct Range {
  int64_t begin, end;
};

// The rules in the scalar inputs.
struct Rules {
  int32_t min_skips, max_skips;
  Range tokens;
  bool with_self;
};

Status ReadRules(OpKernelContext* ctx, Rules* rules) {
  const auto number = [ctx](int i) { return *ctx->input(i).base<int32_t>(); };
  const int64_t size = ctx->input(0).NumElements();
  *rules = {number(1), number(2), {}, *ctx->input(5).base<bool>()};
  if (rules->min_skips < 0) {
    return errors::InvalidArgument(
        "SkipGramGenerateCandidates: min_skips must be >= 0, got ",
        rules->min_skips);
  }
  if (rules->max_skips < rules->min_skips) {
    return errors::InvalidArgument(
        "SkipGramGenerateCandidates: min_skips must be <= max_skips, got ",
        rules->min_skips, " and ", rules->max_skips);
  }
  const int32_t start = number(3), limit = number(4);
  if (start < 0 || start >= std::max<int64_t>(size, 1)) {
    return errors::InvalidArgument(
        "SkipGramGenerateCandidates: start must be in [0, ", size, "), got ",
        start);
  }
  const bool to_the_end = limit < 0 || size - start < limit;
  rules->tokens = {start, to_the_end ? size : start + int64_t{limit}};
  return OkStatus();
}

template <typename T>
class SkipGramGenerateCandidatesOp final : public OpKernel {
 public:
  explicit SkipGramGenerateCandidatesOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    Rules rules;
    OP_REQUIRES_OK(ctx, ReadRules(ctx, &rules));
    const int64_t self = rules.with_self ? 1 : 0;
    int64_t pairs = 0;
    std::vector<Range> near = Draw(rules);
    for (const Range& r : near) pairs += r.end - r.begin - 1 + self;
    Tensor* tokens = nullptr;
    Tensor* labels = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({pairs}), &tokens));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({pairs}), &labels));
    const T* input = ctx->input(0).base<T>();
    T* token = tokens->base<T>();
    T* label = labels->base<T>();
    for (size_t i = 0; i < near.size(); ++i) {
      const int64_t at = rules.tokens.begin + static_cast<int64_t>(i);
      for (int64_t j = near[i].begin; j < near[i].end; ++j) {
        if (j == at && !rules.with_self) continue;
        *token++ = input[at];
        *label++ = input[j];
      }
    }
  }

 private:
  // For each token, draws the positions from which its labels come, its own
  // among them.
  std::vector<Range> Draw(const Rules& rules) {
    const auto [begin, end] = rules.tokens;
    random::PhiloxRandom stream = generator_.ReserveSamples32(end - begin);
    random::SimplePhilox random(&stream);
    const uint32_t choices = static_cast<uint32_t>(rules.max_skips) -
                             static_cast<uint32_t>(rules.min_skips) + 1;
    std::vector<Range> near;
    near.reserve(end - begin);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t skips = int64_t{rules.min_skips} + random.Uniform(choices);
      near.push_back(
          {std::max(begin, i - skips), std::min(end, i + skips + 1)});
    }
    return near;
  }

  GuardedPhiloxRandom generator_;
};

REGISTER_KERNEL_FOR_TYPES(Name("SkipGramGenerateCandidates").Device(DEVICE_CPU),
                          "T", SkipGramGenerateCandidatesOp, std::string,
                          int64_t, int32_t, int16_t);

}  // namespace
}  // namespace tensorwright
