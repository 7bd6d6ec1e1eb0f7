// SPDX-License-Identifier: Apache-2.0
// Copy, CopyHost, DebugIdentity, DebugNanCount and DebugNumericSummary.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/debug/debug_ops_numbers.h"
#include "core/kernels/debug/debug_ops_publish.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Copies to separate memory, so that debug ops see the value as it was.  If no
// debug op wants it, or it is not plain bytes, the tensor is shared.
class CopyOp final : public OpKernel {
 public:
  explicit CopyOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    std::vector<std::string> specs;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("debug_ops_spec", &specs));
    for (const std::string& spec : specs) {
      const std::vector<std::string> parts = absl::StrSplit(spec, ';');
      OP_REQUIRES(
          ctx, parts.size() == 3,
          errors::InvalidArgument(type_string(),
                                  ": debug_ops_spec must be of op;url;gated, "
                                  "got ",
                                  spec));
      is_wanted_ |= parts[2] != "1" || IsDebugGateOpen({parts[1]});
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    if (!is_wanted_ || !input.IsInitialized() ||
        !DataTypeCanUseMemcpy(input.dtype())) {
      ctx->set_output(0, input);
      return;
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const char* from = input.tensor_data().data();
    char* to = const_cast<char*>(output->tensor_data().data());
    ParallelFor(ctx, static_cast<int64_t>(input.TotalBytes()), 1,
                [&](int64_t begin, int64_t end) {
                  std::memcpy(to + begin, from + begin, end - begin);
                });
  }

 private:
  bool is_wanted_ = false;
};
REGISTER_KERNEL_BUILDER(Name("Copy").Device(DEVICE_CPU), CopyOp);
REGISTER_KERNEL_BUILDER(Name("CopyHost").Device(DEVICE_CPU), CopyOp);

// Subclasses compute what they publish.
class DebugOp : public OpKernel {
 public:
  explicit DebugOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string device_name, tensor_name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("debug_urls", &urls_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("gated_grpc", &gated_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("device_name", &device_name));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tensor_name", &tensor_name));
    OP_REQUIRES_OK(ctx, DebugNodeKey::Parse(device_name, tensor_name,
                                            type_string(), &key_));
  }

  void Compute(OpKernelContext* ctx) final {
    if (gated_ && !IsDebugGateOpen(urls_)) {
      Tensor* empty = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({0}), &empty));
      return;
    }
    Watch(ctx);
  }

 protected:
  // Sets the output, and publishes it.
  virtual void Watch(OpKernelContext* ctx) = 0;

  Status Publish(OpKernelContext* ctx, const Tensor& tensor) const {
    if (urls_.empty()) return OkStatus();
    return PublishDebugTensor(ctx->env(), key_, tensor, urls_);
  }

 private:
  std::vector<std::string> urls_;
  bool gated_ = false;
  DebugNodeKey key_;
};

class DebugIdentityOp final : public DebugOp {
 public:
  using DebugOp::DebugOp;

 private:
  void Watch(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, Publish(ctx, ctx->input(0)));
    ctx->set_output(0, ctx->input(0));
  }
};
REGISTER_KERNEL_BUILDER(Name("DebugIdentity").Device(DEVICE_CPU),
                        DebugIdentityOp);

// Calls f(block, first, n) for each block of kTallyBlock elements, on several
// threads.
template <typename F>
void ForEachBlock(OpKernelContext* ctx, int64_t n, const F& f) {
  ParallelFor(ctx, (n + kTallyBlock - 1) / kTallyBlock, 2 * kTallyBlock,
              [&](int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; ++b) {
                  const int64_t first = b * kTallyBlock;
                  f(b, first, std::min(kTallyBlock, n - first));
                }
              });
}

}  // namespace

template <typename T>
class DebugNanCountOp final : public DebugOp {
 public:
  using DebugOp::DebugOp;

 private:
  void Watch(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({1}), &output));
    int64_t count = 0;
    // Integers have no NaN.
    if constexpr (!std::is_integral_v<T>) {
      if (input.IsInitialized()) count = CountNans(ctx, input);
    }
    *output->base<int64_t>() = count;
    OP_REQUIRES_OK(ctx, Publish(ctx, *output));
  }

  static int64_t CountNans(OpKernelContext* ctx, const Tensor& input) {
    const T* x = input.base<T>();
    std::vector<int64_t> counts(input.NumElements() / kTallyBlock + 1);
    ForEachBlock(ctx, input.NumElements(),
                 [&](int64_t b, int64_t first, int64_t n) {
                   counts[b] = RunWide<CountNansLoop<T>>(x + first, n);
                 });
    return std::accumulate(counts.begin(), counts.end(), int64_t{0});
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("DebugNanCount").Device(DEVICE_CPU), "T",
                          DebugNanCountOp, int8_t, uint8_t, int16_t, uint16_t,
                          int32_t, uint32_t, int64_t, uint64_t, Eigen::half,
                          Eigen::bfloat16, float, double);

template <typename T>
class DebugNumericSummaryOp final : public DebugOp {
 public:
  explicit DebugNumericSummaryOp(OpKernelConstruction* ctx) : DebugOp(ctx) {
    float lower = 0, upper = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lower_bound", &lower));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("upper_bound", &upper));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mute_if_healthy", &mute_if_healthy_));
    // An infinite bound is no bound.
    if (!std::isinf(lower)) lower_ = lower;
    if (!std::isinf(upper)) upper_ = upper;
  }

 private:
  void Watch(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tally all;
    double mean = std::numeric_limits<double>::quiet_NaN();
    double variance = mean;
    if (input.IsInitialized()) {
      all = TallyOf(ctx, input);
      if (all.finite > 0) {
        const double n = static_cast<double>(all.finite);
        mean = all.sum / n;
        variance = SquaresFrom(ctx, input, mean) / n;
      }
    }
    const int rank = input.dims();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({14 + rank}), &output));
    const double numbers[] = {
        input.IsInitialized() ? 1.0 : 0.0,
        input.IsInitialized() ? static_cast<double>(input.NumElements()) : 0.0,
        static_cast<double>(all.nan),
        static_cast<double>(all.below),
        static_cast<double>(all.negative),
        static_cast<double>(all.zero),
        static_cast<double>(all.positive),
        static_cast<double>(all.above),
        all.min,
        all.max,
        mean,
        variance,
        static_cast<double>(input.dtype()),
        static_cast<double>(rank)};
    double* to = std::copy(std::begin(numbers), std::end(numbers),
                           output->base<double>());
    for (int d = 0; d < rank; ++d) {
      *to++ = static_cast<double>(input.dim_size(d));
    }
    const bool healthy = all.nan == 0 && all.below == 0 && all.above == 0;
    if (mute_if_healthy_ && healthy) return;
    OP_REQUIRES_OK(ctx, Publish(ctx, *output));
  }

  Tally TallyOf(OpKernelContext* ctx, const Tensor& input) const {
    const T* x = input.base<T>();
    std::vector<Tally> blocks(input.NumElements() / kTallyBlock + 1);
    ForEachBlock(
        ctx, input.NumElements(), [&](int64_t b, int64_t first, int64_t n) {
          blocks[b] = RunWide<TallyLoop<T>>(x + first, n, lower_, upper_);
        });
    Tally all;
    for (const Tally& block : blocks) all.Add(block);
    return all;
  }

  // The sum of (x - mean)^2 over finite elements.
  static double SquaresFrom(OpKernelContext* ctx, const Tensor& input,
                            double mean) {
    const T* x = input.base<T>();
    std::vector<double> blocks(input.NumElements() / kTallyBlock + 1);
    ForEachBlock(ctx, input.NumElements(),
                 [&](int64_t b, int64_t first, int64_t n) {
                   blocks[b] = RunWide<SquaresLoop<T>>(x + first, n, mean);
                 });
    double sum = 0;
    for (const double block : blocks) sum += block;
    return sum;
  }

  double lower_ = -std::numeric_limits<double>::infinity();
  double upper_ = std::numeric_limits<double>::infinity();
  bool mute_if_healthy_ = false;
};
REGISTER_KERNEL_FOR_TYPES(Name("DebugNumericSummary").Device(DEVICE_CPU), "T",
                          DebugNumericSummaryOp, bool, int8_t, uint8_t, int16_t,
                          uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
