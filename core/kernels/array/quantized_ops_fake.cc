// SPDX-License-Identifier: Apache-2.0
// FakeQuantWithMinMax{Args,Vars,VarsPerChannel} and their gradients: floats as
// they would be after quantization, so that training meets its error.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The codes, as attrs num_bits and narrow_range say.
struct Codes {
  float lowest = 0, highest = 0;

  Status Read(OpKernelConstruction* ctx) {
    int num_bits = 0;
    bool narrow_range = false;
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_bits", &num_bits));
    TF_RETURN_IF_ERROR(ctx->GetAttr("narrow_range", &narrow_range));
    if (num_bits < 2 || num_bits > 16) {
      return errors::InvalidArgument(
          "FakeQuant: num_bits must be between 2 and 16, inclusive, got ",
          num_bits);
    }
    lowest = narrow_range ? 1.0f : 0.0f;
    highest = static_cast<float>((1 << num_bits) - 1);
    return OkStatus();
  }
};

// A range shifted so that 0 is one of its numbers.  Of the range [0, 0] only 0
// is left, and every gradient passes.
struct Nudged {
  float min, max, scale, inverse_scale, zero;
  bool empty;

  Nudged(const Codes& codes, float given_min, float given_max)
      : empty(given_min == 0 && given_max == 0) {
    scale = (given_max - given_min) / (codes.highest - codes.lowest);
    const float zero_point = codes.lowest - given_min / scale;
    const float nudged = zero_point < codes.lowest    ? codes.lowest
                         : zero_point > codes.highest ? codes.highest
                                                      : std::round(zero_point);
    min = (codes.lowest - nudged) * scale;
    max = (codes.highest - nudged) * scale;
    inverse_scale = 1.0f / scale;
    zero = std::floor(-min * inverse_scale + 0.5f);
  }
};

TW_WIDE_LOOP float Quantized(float x, float min, float max, float scale,
                             float inverse_scale, float zero) {
  x = x > max ? max : x;  // Comparisons that keep NaN.
  x = x < min ? min : x;
  return RoundDown((x - min) * inverse_scale - zero + 0.5f) * scale;
}

struct FakeQuantLoop {
  TW_WIDE_LOOP static void Run(Nudged range, const float* x, float* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = Quantized(x[i], range.min, range.max, range.scale,
                       range.inverse_scale, range.zero);
    }
  }
};

// dx = g within the range, 0 outside.
struct PassLoop {
  TW_WIDE_LOOP static void Run(float min, float max, const float* g,
                               const float* x, float* dx, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      dx[i] = g[i] * (x[i] >= min && x[i] <= max ? 1.0f : 0.0f);
    }
  }
};

void FakeQuant(OpKernelContext* ctx, const Nudged& range) {
  const Tensor& input = ctx->input(0);
  Tensor* out = nullptr;
  OP_REQUIRES_OK(
      ctx, ctx->forward_input_or_allocate_output({0}, 0, input.shape(), &out));
  const float* x = input.base<float>();
  float* y = out->base<float>();
  if (range.empty) {
    std::fill_n(y, input.NumElements(), 0.0f);
    return;
  }
  ParallelFor(ctx, input.NumElements(), 2, [&](int64_t begin, int64_t end) {
    RunWide<FakeQuantLoop>(range, x + begin, y + begin, end - begin);
  });
}

Status SameShapes(OpKernelContext* ctx) {
  const TensorShape& g = ctx->input(0).shape();
  const TensorShape& x = ctx->input(1).shape();
  if (g == x) return OkStatus();
  return errors::InvalidArgument(
      ctx->op_kernel().type_string(),
      ": gradients and inputs must have the same shape, got ", g.DebugString(),
      " and ", x.DebugString());
}

// Output 0 of a gradient.
Status PassGradients(OpKernelContext* ctx, const Nudged& range) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, ctx->input(1).shape(), &out));
  const float* g = ctx->input(0).base<float>();
  const float* x = ctx->input(1).base<float>();
  float* dx = out->base<float>();
  ParallelFor(ctx, out->NumElements(), 1, [&](int64_t begin, int64_t end) {
    if (range.empty) {
      std::copy(g + begin, g + end, dx + begin);
    } else {
      RunWide<PassLoop>(range.min, range.max, g + begin, x + begin, dx + begin,
                        end - begin);
    }
  });
  return OkStatus();
}

// The sums of g where x is below a range, and where it is above.
struct Beyond {
  double below = 0, above = 0;
};

// Of at most a few thousand elements, in many chains of floats.
struct BeyondLoop {
  TW_WIDE_LOOP static Beyond Run(float min, float max, const float* g,
                                 const float* x, int64_t n) {
    constexpr int kChains = 32;
    float below[kChains] = {}, above[kChains] = {};
    int64_t i = 0;
    for (; i + kChains <= n; i += kChains) {
      TW_VECTORIZE
      for (int j = 0; j < kChains; ++j) {
        const float v = x[i + j], w = g[i + j];
        below[j] += v < min ? w : 0.0f;
        above[j] += v > max ? w : 0.0f;
      }
    }
    for (int j = 0; i < n; ++i, ++j) {
      below[j] += x[i] < min ? g[i] : 0.0f;
      above[j] += x[i] > max ? g[i] : 0.0f;
    }
    Beyond sums;
    for (int j = 0; j < kChains; ++j) {
      sums.below += below[j];
      sums.above += above[j];
    }
    return sums;
  }
};

// Output 0 of a gradient, and the sums, of inputs 0 and 1.  In parts of one
// size: the same bits with any number of threads.
Status PassAndSum(OpKernelContext* ctx, const Nudged& range, Beyond* sums) {
  if (range.empty) return PassGradients(ctx, range);
  constexpr int64_t kPart = 4096;
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, ctx->input(1).shape(), &out));
  const float* g = ctx->input(0).base<float>();
  const float* x = ctx->input(1).base<float>();
  float* dx = out->base<float>();
  const int64_t n = out->NumElements();
  std::vector<Beyond> parts((n + kPart - 1) / kPart);
  ParallelFor(
      ctx, static_cast<int64_t>(parts.size()), 2 * kPart,
      [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const int64_t at = p * kPart, m = std::min(kPart, n - at);
          RunWide<PassLoop>(range.min, range.max, g + at, x + at, dx + at, m);
          parts[p] =
              RunWide<BeyondLoop>(range.min, range.max, g + at, x + at, m);
        }
      });
  for (const Beyond& part : parts) {
    sums->below += part.below;
    sums->above += part.above;
  }
  return OkStatus();
}

class FakeQuantArgsOp final : public OpKernel {
 public:
  explicit FakeQuantArgsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("min", &min_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max", &max_));
    OP_REQUIRES(
        ctx, min_ < max_,
        errors::InvalidArgument(type_string(),
                                ": min has to be smaller than max, was: ", min_,
                                " >= ", max_));
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Nudged range(codes_, min_, max_);
    if (ctx->num_inputs() == 1) {
      FakeQuant(ctx, range);
      return;
    }
    OP_REQUIRES_OK(ctx, SameShapes(ctx));
    OP_REQUIRES_OK(ctx, PassGradients(ctx, range));
  }

 private:
  float min_ = 0, max_ = 0;
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(Name("FakeQuantWithMinMaxArgs").Device(DEVICE_CPU),
                        FakeQuantArgsOp);
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxArgsGradient").Device(DEVICE_CPU),
    FakeQuantArgsOp);

class FakeQuantVarsOp final : public OpKernel {
 public:
  explicit FakeQuantVarsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    float min = 0, max = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "min", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "max", &max));
    FakeQuant(ctx, Nudged(codes_, min, max));
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(Name("FakeQuantWithMinMaxVars").Device(DEVICE_CPU),
                        FakeQuantVarsOp);

class FakeQuantVarsGradientOp final : public OpKernel {
 public:
  explicit FakeQuantVarsGradientOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    float min = 0, max = 0;
    OP_REQUIRES_OK(ctx, SameShapes(ctx));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "min", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 3, "max", &max));
    const Nudged range(codes_, min, max);
    Beyond sums;
    OP_REQUIRES_OK(ctx, PassAndSum(ctx, range, &sums));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, static_cast<float>(sums.below)));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, static_cast<float>(sums.above)));
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsGradient").Device(DEVICE_CPU),
    FakeQuantVarsGradientOp);

// The ranges of the channels, which are the last dimension: a period of them,
// of as many repetitions as make vectors of few channels, each quantity apart.
struct ChannelRanges {
  int64_t channels = 0, period = 0;
  std::vector<float> min, max, scale, inverse_scale, zero;
  std::vector<int32_t> empty;  // 0 or 1.

  // Inputs `first` and `first` + 1 are the ends of the ranges of `inputs`.
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
  // In parts of as many periods, whatever the number of threads: so are the
  // sums, of floats in each part.
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
