// SPDX-License-Identifier: Apache-2.0
// FakeQuantWithMinMax{Args,Vars,VarsPerChannel} and their gradients: floats as
// they would be after quantization, so that training meets its error.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/quantized_ops.h"
#include "core/kernels/wide_loops.h"
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

TW_WIDE_LOOP float FakeQuantized(float x, const Nudged& r) {
  x = x > r.max ? r.max : x;  // Comparisons that keep NaN.
  x = x < r.min ? r.min : x;
  return RoundDown((x - r.min) * r.inverse_scale - r.zero + 0.5f) * r.scale;
}

struct FakeQuantLoop {
  TW_WIDE_LOOP static void Run(Nudged range, const float* x, float* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = FakeQuantized(x[i], range);
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

// Of inputs 0 and 1.  In parts of one size: the same bits with any number of
// threads.
Beyond SumBeyond(OpKernelContext* ctx, const Nudged& range) {
  constexpr int64_t kPart = 4096;
  const float* g = ctx->input(0).base<float>();
  const float* x = ctx->input(1).base<float>();
  const int64_t n = ctx->input(1).NumElements();
  std::vector<Beyond> parts((n + kPart - 1) / kPart);
  ParallelFor(ctx, static_cast<int64_t>(parts.size()), kPart,
              [&](int64_t begin, int64_t end) {
                for (int64_t p = begin; p < end; ++p) {
                  const int64_t at = p * kPart;
                  parts[p] =
                      RunWide<BeyondLoop>(range.min, range.max, g + at, x + at,
                                          std::min(kPart, n - at));
                }
              });
  Beyond sums;
  for (const Beyond& part : parts) {
    sums.below += part.below;
    sums.above += part.above;
  }
  return sums;
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
    OP_REQUIRES_OK(ctx, PassGradients(ctx, range));
    const Beyond sums = range.empty ? Beyond() : SumBeyond(ctx, range);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, static_cast<float>(sums.below)));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, static_cast<float>(sums.above)));
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsGradient").Device(DEVICE_CPU),
    FakeQuantVarsGradientOp);

// The ranges of the channels, which are the last dimension of `inputs`; inputs
// `first` and `first` + 1 are their ends.
Status ChannelRanges(OpKernelContext* ctx, const Tensor& inputs, int first,
                     const Codes& codes, std::vector<Nudged>* ranges) {
  const char* op = ctx->op_kernel().type_string().c_str();
  if (inputs.dims() < 1) {
    return errors::InvalidArgument(
        op, ": inputs must have rank >= 1, got shape []");
  }
  const int64_t channels = inputs.dim_size(inputs.dims() - 1);
  for (int i : {first, first + 1}) {
    const TensorShape& shape = ctx->input(i).shape();
    if (shape.dims() == 1 && shape.dim_size(0) == channels) continue;
    return errors::InvalidArgument(op, ": ", i == first ? "min" : "max",
                                   " has incorrect size, expected [", channels,
                                   "] was ", shape.DebugString());
  }
  for (int64_t c = 0; c < channels; ++c) {
    ranges->emplace_back(codes, ctx->input(first).base<float>()[c],
                         ctx->input(first + 1).base<float>()[c]);
  }
  return OkStatus();
}

class FakeQuantPerChannelOp final : public OpKernel {
 public:
  explicit FakeQuantPerChannelOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    std::vector<Nudged> ranges;
    OP_REQUIRES_OK(ctx, ChannelRanges(ctx, input, 1, codes_, &ranges));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    const int64_t channels = static_cast<int64_t>(ranges.size());
    if (input.NumElements() == 0) return;
    const float* x = input.base<float>();
    float* y = out->base<float>();
    ParallelFor(ctx, input.NumElements() / channels, 4 * channels,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin * channels; i < end * channels;) {
                    for (const Nudged& range : ranges) {
                      y[i] = range.empty ? 0.0f : FakeQuantized(x[i], range);
                      ++i;
                    }
                  }
                });
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsPerChannel").Device(DEVICE_CPU),
    FakeQuantPerChannelOp);

class FakeQuantPerChannelGradientOp final : public OpKernel {
 public:
  explicit FakeQuantPerChannelGradientOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, codes_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, SameShapes(ctx));
    const Tensor& input = ctx->input(1);
    std::vector<Nudged> ranges;
    OP_REQUIRES_OK(ctx, ChannelRanges(ctx, input, 2, codes_, &ranges));
    const int64_t channels = static_cast<int64_t>(ranges.size());
    Tensor *out = nullptr, *out_min = nullptr, *out_max = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(1, TensorShape({channels}), &out_min));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(2, TensorShape({channels}), &out_max));
    const float* g = ctx->input(0).base<float>();
    const float* x = input.base<float>();
    float* dx = out->base<float>();
    std::vector<double> below(channels), above(channels);
    for (int64_t i = 0; i < input.NumElements();) {
      for (int64_t c = 0; c < channels; ++c, ++i) {
        const Nudged& range = ranges[c];
        const bool low = !range.empty && x[i] < range.min;
        const bool high = !range.empty && x[i] > range.max;
        const bool within = x[i] >= range.min && x[i] <= range.max;
        dx[i] = range.empty ? g[i] : g[i] * (within ? 1.0f : 0.0f);
        below[c] += low ? g[i] : 0.0f;
        above[c] += high ? g[i] : 0.0f;
      }
    }
    for (int64_t c = 0; c < channels; ++c) {
      out_min->base<float>()[c] = static_cast<float>(below[c]);
      out_max->base<float>()[c] = static_cast<float>(above[c]);
    }
  }

 private:
  Codes codes_;
};
REGISTER_KERNEL_BUILDER(
    Name("FakeQuantWithMinMaxVarsPerChannelGradient").Device(DEVICE_CPU),
    FakeQuantPerChannelGradientOp);

}  // namespace
}  // namespace tensorwright
