// SPDX-License-Identifier: Apache-2.0
// FakeQuantWithMinMax{Args,Vars} and their gradients: floats as they would be
// after quantization, so that training takes its error into account.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/quantized_ops_fake_range.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using fake_quant::Beyond;
using fake_quant::Codes;
using fake_quant::Nudged;
using fake_quant::Quantized;
using fake_quant::SameShapes;

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

// Sets output 0 of a gradient.
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

// Takes at most a few thousand elements, in many chains of floats.
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

// Sets output 0 of a gradient, and sums those outside the range, from inputs 0
// and 1.  The parts have one size, so the bits are the same with any number of
// threads.
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

}  // namespace
}  // namespace tensorwright
