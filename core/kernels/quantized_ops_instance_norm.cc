// SPDX-License-Identifier: Apache-2.0
// QuantizedInstanceNorm: each channel of each image with mean 0 and variance 1.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/quantized_ops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// y[s, c] = (x[s, c] - mean over s) / sqrt(variance over s + epsilon), for one
// image of `space` positions.
void NormalizeImage(const quint8* x, const MinFirstDequantizer<quint8>& real,
                    int64_t space, int64_t channels, float epsilon, float* y) {
  // Sums of codes are exact, and so are differences of their means.
  std::vector<double> sums(channels), squares(channels);
  for (int64_t s = 0; s < space; ++s) {
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] += x[s * channels + c].value;
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(space);
  for (int64_t s = 0; s < space; ++s) {
    for (int64_t c = 0; c < channels; ++c) {
      const double d = x[s * channels + c].value - sums[c];
      squares[c] += d * d;
    }
  }
  const double step = real.scale;
  for (double& square : squares) {
    const double variance = square / static_cast<double>(space) * step * step;
    square = step / std::sqrt(variance + epsilon);
  }
  for (int64_t s = 0; s < space; ++s) {
    for (int64_t c = 0; c < channels; ++c) {
      y[s * channels + c] = static_cast<float>(
          (x[s * channels + c].value - sums[c]) * squares[c]);
    }
  }
}

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
    for (int64_t i = 0; i < x.NumElements(); ++i) codes[i] = code(y[i]);
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
