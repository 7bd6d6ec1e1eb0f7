// SPDX-License-Identifier: Apache-2.0
// QuantizedInstanceNorm: each channel of each image with mean 0 and variance 1.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// sums[c] += the codes of channel c, squares[c] += their squares.  Takes at
// most 2^16 positions: the sums of more would not fit.
struct SumCodesLoop {
  TW_WIDE_LOOP static void Run(const uint8_t* x, int64_t space,
                               int64_t channels, uint32_t* sums,
                               uint32_t* squares) {
    for (int64_t s = 0; s < space; ++s) {
      TW_VECTORIZE
      for (int64_t c = 0; c < channels; ++c) {
        const uint32_t code = x[s * channels + c];
        sums[c] += code;
        squares[c] += code * code;
      }
    }
  }
};

struct NormalizeLoop {
  TW_WIDE_LOOP static void Run(const uint8_t* x, int64_t space,
                               int64_t channels, const double* means,
                               const double* scales, float* y) {
    for (int64_t s = 0; s < space; ++s) {
      TW_VECTORIZE
      for (int64_t c = 0; c < channels; ++c) {
        const double code = static_cast<int32_t>(x[s * channels + c]);
        y[s * channels + c] = static_cast<float>((code - means[c]) * scales[c]);
      }
    }
  }
};

// y[s, c] = (x[s, c] - mean over s) / sqrt(variance over s + epsilon), for one
// image of `space` positions.
void NormalizeImage(const quint8* codes,
                    const MinFirstDequantizer<quint8>& real, int64_t space,
                    int64_t channels, float epsilon, float* y) {
  constexpr int64_t kMost = 1 << 16;
  const uint8_t* x = reinterpret_cast<const uint8_t*>(codes);
  std::vector<uint64_t> sums(channels), squares(channels);
  for (int64_t s = 0; s < space; s += kMost) {
    std::vector<uint32_t> part(channels), part_squares(channels);
    RunWide<SumCodesLoop>(x + s * channels, std::min(kMost, space - s),
                          channels, part.data(), part_squares.data());
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] += part[c];
      squares[c] += part_squares[c];
    }
  }
  std::vector<double> means(channels), scales(channels);
  const double step = real.scale, n = static_cast<double>(space);
  for (int64_t c = 0; c < channels; ++c) {
    // These are whole numbers, so the difference loses nothing.
    using Wide = unsigned __int128;
    const Wide square = Wide(squares[c]) * static_cast<uint64_t>(space) -
                        Wide(sums[c]) * sums[c];
    means[c] = static_cast<double>(sums[c]) / n;
    const double variance = static_cast<double>(square) / n / n * step * step;
    scales[c] = step / std::sqrt(variance + epsilon);
  }
  RunWide<NormalizeLoop>(x, space, channels, means.data(), scales.data(), y);
}

struct QuantizeLoop {
  TW_WIDE_LOOP static void Run(MinFirstQuantizer<quint8> code, const float* x,
                               quint8* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = code(x[i]);
  }
};

class QuantizedInstanceNormOp final : public OpKernel {
 public:
  explicit QuantizedInstanceNormOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("output_range_given", &range_given_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("given_y_min", &y_min_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("given_y_max", &y_max_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("variance_epsilon", &epsilon_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("min_separation", &min_separation_));
    OP_REQUIRES(
        ctx, !range_given_ || y_min_ < y_max_,
        errors::InvalidArgument("QuantizedInstanceNorm: given_y_min must be "
                                "less than given_y_max, got ",
                                y_min_, " and ", y_max_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    float x_min = 0, x_max = 0;
    OP_REQUIRES_OK(ctx,
                   IncreasingRange(ctx, 1, "x_min", "x_max", &x_min, &x_max));
    OP_REQUIRES(ctx, x.dims() == 4,
                errors::InvalidArgument(
                    "QuantizedInstanceNorm: x must have rank 4, got shape ",
                    x.shape().DebugString()));
    Tensor normal;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, x.shape(), &normal));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    const int64_t space = x.dim_size(1) * x.dim_size(2);
    const int64_t channels = x.dim_size(3);
    const int64_t image = space * channels;
    const MinFirstDequantizer<quint8> real(x_min, x_max);
    float* y = normal.base<float>();
    if (x.NumElements() > 0) {
      ParallelFor(ctx, x.dim_size(0), 6 * image,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      NormalizeImage(x.base<quint8>() + i * image, real, space,
                                     channels, epsilon_, y + i * image);
                    }
                  });
    }
    float y_min = y_min_, y_max = y_max_;
    if (!range_given_) FindRange(Flat<float>(normal), &y_min, &y_max);
    const MinFirstQuantizer<quint8> code(y_min, y_max);
    quint8* codes = out->base<quint8>();
    ParallelFor(ctx, x.NumElements(), 2, [&](int64_t begin, int64_t end) {
      RunWide<QuantizeLoop>(code, y + begin, codes + begin, end - begin);
    });
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, y_min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, y_max));
  }

 private:
  void FindRange(absl::Span<const float> y, float* min, float* max) const {
    *min = *max = y.empty() ? 0.0f : y[0];
    for (float v : y) {
      *min = std::min(*min, v);
      *max = std::max(*max, v);
    }
    *max = std::max(*max, *min + min_separation_);
  }

  bool range_given_ = false;
  float y_min_ = 0, y_max_ = 0, epsilon_ = 0, min_separation_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("QuantizedInstanceNorm")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T"),
                        QuantizedInstanceNormOp);

}  // namespace
}  // namespace tensorwright
