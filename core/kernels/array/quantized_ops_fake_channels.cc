// SPDX-License-Identifier: Apache-2.0
// FakeQuantWithMinMaxVarsPerChannel and its gradient: a range for each channel.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/quantized_ops_fake_range.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using fake_quant::Beyond;
using fake_quant::Codes;
using fake_quant::Nudged;
using fake_quant::Quantized;
using fake_quant::SameShapes;

// The ranges of the channels, which are the last dimension.  A period repeats
// the channels until even few of them fill vectors; each quantity has an array
// of its own.
struct ChannelRanges {
  int64_t channels = 0, period = 0;
  std::vector<float> min, max, scale, inverse_scale, zero;
  std::vector<int32_t> empty;  // 0 or 1.

  // Reads inputs `first` and `first` + 1, the ends of the ranges of `inputs`.
  Status Read(OpKernelContext* ctx, const Tensor& inputs, int first,
              const Codes& codes) {
    const char* op = ctx->op_kernel().type_string().c_str();
    if (inputs.dims() < 1) {
      return errors::InvalidArgument(
          op, ": inputs must have rank >= 1, got shape []");
    }
    channels = inputs.dim_size(inputs.dims() - 1);
    for (int i : {first, first + 1}) {
      const TensorShape& shape = ctx->input(i).shape();
      if (shape.dims() == 1 && shape.dim_size(0) == channels) continue;
      return errors::InvalidArgument(op, ": ", i == first ? "min" : "max",
                                     " has incorrect size, expected [",
                                     channels, "] was ", shape.DebugString());
    }
    if (channels == 0) return OkStatus();
    constexpr int64_t kLeastPeriod = 256;
    period = (kLeastPeriod + channels - 1) / channels * channels;
    for (int64_t i = 0; i < period; ++i) {
      const int64_t c = i % channels;
      Add(Nudged(codes, ctx->input(first).base<float>()[c],
                 ctx->input(first + 1).base<float>()[c]));
    }
    return OkStatus();
  }

 private:
  void Add(const Nudged& range) {
    min.push_back(range.min);
    max.push_back(range.max);
    scale.push_back(range.scale);
    inverse_scale.push_back(range.inverse_scale);
    zero.push_back(range.zero);
    empty.push_back(range.empty);
  }
};

// As FakeQuantLoop, with a range for each element, up to a period.
struct FakeQuantChannelsLoop {
  TW_WIDE_LOOP static void Run(const ChannelRanges* ranges, const float* x,
                               float* y, int64_t n) {
    const float *min = ranges->min.data(), *max = ranges->max.data();
    const float *scale = ranges->scale.data(), *zero = ranges->zero.data();
    const float* inverse_scale = ranges->inverse_scale.data();
    const int32_t* empty = ranges->empty.data();
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const float v =
          Quantized(x[i], min[i], max[i], scale[i], inverse_scale[i], zero[i]);
      y[i] = empty[i] != 0 ? 0.0f : v;
    }
  }
};

class FakeQuantPerChannelOp final : public OpKernel {
 public:
  explicit FakeQuantPerChannelOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    ChannelRanges ranges;
    OP_REQUIRES_OK(ctx, ranges.Read(ctx, input, 1, codes_));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    const int64_t n = input.NumElements(), period = ranges.period;
    if (n == 0) return;
    const float* x = input.base<float>();
    float* y = out->base<float>();
    ParallelFor(ctx, (n + period - 1) / period, 2 * period,
                [&](int64_t begin, int64_t end) {
                  for (int64_t p = begin; p < end; ++p) {
                    const int64_t at = p * period;
                    RunWide<FakeQuantChannelsLoop>(&ranges, x + at, y + at,
                                                   std::min(period, n - at));
                  }
                });
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsPerChannel").Device(DEVICE_CPU),
    FakeQuantPerChannelOp);

// As PassLoop and BeyondLoop, with a range for each element, up to a period.
struct ChannelsGradientLoop {
  TW_WIDE_LOOP static void Run(const ChannelRanges* ranges, const float* g,
                               const float* x, float* dx, float* below,
                               float* above, int64_t n) {
    const float *min = ranges->min.data(), *max = ranges->max.data();
    const int32_t* empty = ranges->empty.data();
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const float v = x[i], w = g[i];
      const float pass = w * (v >= min[i] && v <= max[i] ? 1.0f : 0.0f);
      const float summed = empty[i] != 0 ? 0.0f : w;
      below[i] += v < min[i] ? summed : 0.0f;
      above[i] += v > max[i] ? summed : 0.0f;
      dx[i] = empty[i] != 0 ? w : pass;
    }
  }
};

class FakeQuantPerChannelGradientOp final : public OpKernel {
 public:
  explicit FakeQuantPerChannelGradientOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, SameShapes(ctx));
    const Tensor& input = ctx->input(1);
    ChannelRanges ranges;
    OP_REQUIRES_OK(ctx, ranges.Read(ctx, input, 2, codes_));
    const TensorShape per_channel({ranges.channels});
    Tensor *out = nullptr, *out_min = nullptr, *out_max = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, per_channel, &out_min));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, per_channel, &out_max));
    std::vector<Beyond> sums(ranges.channels);
    if (input.NumElements() > 0) Pass(ctx, ranges, out->base<float>(), &sums);
    for (int64_t c = 0; c < ranges.channels; ++c) {
      out_min->base<float>()[c] = static_cast<float>(sums[c].below);
      out_max->base<float>()[c] = static_cast<float>(sums[c].above);
    }
  }

 private:
  // The parts have a fixed number of periods, whatever the number of threads,
  // and so do the sums, which are floats in each part.
  static void Pass(OpKernelContext* ctx, const ChannelRanges& ranges, float* dx,
                   std::vector<Beyond>* sums) {
    const float* g = ctx->input(0).base<float>();
    const float* x = ctx->input(1).base<float>();
    const int64_t n = ctx->input(1).NumElements(), period = ranges.period;
    const int64_t part = std::max<int64_t>(1, (1 << 15) / period) * period;
    const int64_t parts = (n + part - 1) / part;
    std::vector<float> found(parts * 2 * period);
    ParallelFor(ctx, parts, 2 * part, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        float* below = &found[p * 2 * period];
        const int64_t last = std::min(n, (p + 1) * part);
        for (int64_t at = p * part; at < last; at += period) {
          RunWide<ChannelsGradientLoop>(&ranges, g + at, x + at, dx + at, below,
                                        below + period,
                                        std::min(period, last - at));
        }
      }
    });
    for (int64_t p = 0; p < parts; ++p) {
      const float* below = &found[p * 2 * period];
      for (int64_t i = 0; i < period; ++i) {
        Beyond& sum = (*sums)[i % ranges.channels];
        sum.below += below[i];
        sum.above += below[period + i];
      }
    }
  }

  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsPerChannelGradient").Device(DEVICE_CPU),
    FakeQuantPerChannelGradientOp);

}  // namespace
}  // namespace tensorwright
