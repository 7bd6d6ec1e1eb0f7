// SPDX-License-Identifier: Apache-2.0
// ScaleAndTranslate and its gradient: resampling by a kernel.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_adjoint.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A symmetric function of the distance that is 0 from `radius` on.
struct SamplingKernel {
  float radius;
  float (*weight)(float distance);
};

template <int kRadius>
float Lanczos(float x) {
  constexpr float kPi = 3.14159265358979f;
  // Near 0 the quotient is 0 / 0, and its limit is 1.
  if (x <= 1e-3f) return 1;
  if (x > kRadius) return 0;
  return kRadius * std::sin(kPi * x) * std::sin(kPi * x / kRadius) /
         (kPi * kPi * x * x);
}

constexpr float kGaussianRadius = 1.5f;

// Has a deviation of a third of the radius.
float Gaussian(float x) {
  constexpr float kDeviation = kGaussianRadius / 3.0f;
  if (x >= kGaussianRadius) return 0;
  return std::exp(-x * x / (2 * kDeviation * kDeviation));
}

float BoxFilter(float x) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }

float Triangle(float x) { return x < 1 ? 1 - x : 0.0f; }

// Keys, "Cubic convolution interpolation for digital image processing", 1981.
float KeysCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return ((1.5f * x - 2.5f) * x) * x + 1;
}

// Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988,
// with B = C = 1/3.
float MitchellCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) {
    return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  }
  return (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

Status KernelOf(const std::string& op, const std::string& name,
                SamplingKernel* kernel) {
  struct Named {
    const char* name;
    SamplingKernel kernel;
  };
  static constexpr Named kKernels[] = {
      {"lanczos1", {1, Lanczos<1>}}, {"lanczos3", {3, Lanczos<3>}},
      {"lanczos5", {5, Lanczos<5>}}, {"gaussian", {kGaussianRadius, Gaussian}},
      {"box", {0.5f, BoxFilter}},    {"triangle", {1, Triangle}},
      {"keyscubic", {2, KeysCubic}}, {"mitchellcubic", {2, MitchellCubic}},
  };
  for (const Named& named : kKernels) {
    if (name == named.name) {
      *kernel = named.kernel;
      return OkStatus();
    }
  }
  return errors::InvalidArgument(
      op,
      ": kernel_type must be lanczos1, lanczos3, lanczos5, gaussian, box, "
      "triangle, keyscubic or mitchellcubic, got '",
      name, "'");
}

// The parts of each output position: `size` weights for a position, for input
// positions from `begin` on; surplus weights are 0.
struct Spans {
  int64_t size = 0;
  std::vector<int64_t> begin;
  std::vector<float> weights;
};

struct Resampling {
  float scale, translation;
  bool antialias;
  SamplingKernel kernel;
};

// The weights of one output position, which sum to 1.
void WeighSpan(const Resampling& by, float at, float stretch, int64_t begin,
               int64_t end, float* weights) {
  float sum = 0;
  const float inverse = 1.0f / stretch;
  for (int64_t i = begin; i < end; ++i) {
    const float distance = static_cast<float>(i) + 0.5f - at;
    weights[i - begin] = by.kernel.weight(std::abs(distance * inverse));
    sum += weights[i - begin];
  }
  const int64_t n = end - begin;
  if (std::abs(sum) < 1000.0f * std::numeric_limits<float>::min()) {
    std::fill_n(weights, n, 0.0f);
    return;
  }
  const float one_over_sum = 1.0f / sum;
  for (int64_t i = 0; i < n; ++i) weights[i] *= one_over_sum;
}

Status MakeSpans(const std::string& op, const Resampling& by, int64_t in_size,
                 int64_t out_size, Spans* spans) {
  // An infinite scale shows the image's first position everywhere.
  if (!(by.scale > 0) || !std::isfinite(by.translation)) {
    return errors::InvalidArgument(
        op, ": scale must be > 0 and translation finite, got ", by.scale,
        " and ", by.translation);
  }
  const float inverse = 1.0f / by.scale;
  const float moved = -inverse * by.translation;
  // A smaller image is smoothed, a larger one is not.
  const float stretch = by.antialias ? std::max(inverse, 1.0f) : 1.0f;
  const float reach = by.kernel.radius * stretch;
  const float last = static_cast<float>(in_size - 1);
  spans->size = static_cast<int64_t>(
      std::min(2 * std::ceil(reach) + 1, static_cast<float>(in_size)));
  spans->begin.assign(out_size, 0);
  // A kernel as wide as a wide image has as many weights as a large image has
  // pixels; more make no sense.
  constexpr int64_t kMost = int64_t{1} << 29;
  if (spans->size > kMost / std::max<int64_t>(out_size, 1)) {
    return errors::InvalidArgument(op, ": scale is too small: ", by.scale,
                                   " makes each of ", out_size,
                                   " positions a sum of ", spans->size);
  }
  spans->weights.assign(out_size * spans->size, 0.0f);
  for (int64_t x = 0; x < out_size; ++x) {
    const float at = (static_cast<float>(x) + 0.5f) * inverse + moved;
    // Positions outside the image have no weights.
    if (!(at >= 0 && at <= static_cast<float>(in_size))) continue;
    const auto inside = [&](float position) {
      return static_cast<int64_t>(std::clamp(position, 0.0f, last));
    };
    const int64_t begin = inside(std::ceil(at - reach - 0.5f));
    const int64_t end = std::min(inside(std::floor(at + reach - 0.5f)) + 1,
                                 begin + spans->size);
    spans->begin[x] = begin;
    WeighSpan(by, at, stretch, begin, end, &spans->weights[x * spans->size]);
  }
  return OkStatus();
}

class ResamplingBase : public OpKernel {
 public:
  explicit ResamplingBase(OpKernelConstruction* ctx)
      : OpKernel(ctx), op_(ctx->def().op()) {
    std::string name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("kernel_type", &name));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("antialias", &antialias_));
    OP_REQUIRES_OK(ctx, KernelOf(op_, name, &kernel_));
  }

 protected:
  // Uses inputs 2 and 3, scale and translation.
  Status MakeBothSpans(OpKernelContext* ctx, const ResizeGeometry& g,
                       Spans* rows, Spans* columns) const {
    const float* scale = ctx->input(2).base<float>();
    const float* move = ctx->input(3).base<float>();
    TF_RETURN_IF_ERROR(MakeSpans(op_, {scale[0], move[0], antialias_, kernel_},
                                 g.rows.in, g.rows.out, rows));
    return MakeSpans(op_, {scale[1], move[1], antialias_, kernel_},
                     g.columns.in, g.columns.out, columns);
  }

  const std::string op_;

 private:
  bool antialias_ = true;
  SamplingKernel kernel_{};
};

// Computes output rows [begin, end) of the batch.
template <typename T>
void ResampleRows(const ResizeGeometry& g, const Spans& rows,
                  const Spans& columns, const T* images, int64_t begin,
                  int64_t end, float* to) {
  std::vector<float> sum(g.in_row()), floats(g.in_row());
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* image = images + unit / g.rows.out * g.in_image();
    const int64_t y = unit % g.rows.out;
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int64_t k = 0; k < rows.size; ++k) {
      const float weight = rows.weights[y * rows.size + k];
      if (weight == 0) continue;
      const T* row = image + (rows.begin[y] + k) * g.in_row();
      RunWide<AddScaledLoop<float>>(RowAsFloats(row, g.in_row(), floats.data()),
                                    weight, sum.data(), g.in_row());
    }
    float* row = to + unit * g.out_row();
    std::fill_n(row, g.out_row(), 0.0f);
    for (int64_t x = 0; x < g.columns.out; ++x, row += g.channels) {
      const float* weights = &columns.weights[x * columns.size];
      const float* pixel = sum.data() + columns.begin[x] * g.channels;
      for (int64_t k = 0; k < columns.size; ++k, pixel += g.channels) {
        if (weights[k] == 0) continue;
        AddScaledPixel(pixel, weights[k], g.channels, row);
      }
    }
  }
}

TapUsers UsersOf(const Spans& spans, int64_t in_size) {
  return TapUsers(in_size, static_cast<int64_t>(spans.begin.size()), spans.size,
                  [&](int64_t x, int64_t k) {
                    const float w = spans.weights[x * spans.size + k];
                    return TapUsers::User{w == 0 ? -1 : spans.begin[x] + k, w};
                  });
}

class ScaleAndTranslateGradOp final : public ResamplingBase {
 public:
  using ResamplingBase::ResamplingBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const Tensor& image = ctx->input(1);
    ResizeAttrs attrs;
    attrs.op = op_;
    ResizeGeometry g;
    OP_REQUIRES_OK(
        ctx, ReadAdjointGeometry(attrs, grads.shape(), image.shape(), &g));
    Spans rows, columns;
    OP_REQUIRES_OK(ctx, MakeBothSpans(ctx, g, &rows, &columns));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, image.shape(), &out));
    if (out->NumElements() == 0) return;
    ResizeAdjoint(ctx, g, UsersOf(rows, g.rows.in),
                  UsersOf(columns, g.columns.in), grads.base<float>(),
                  out->base<float>());
  }
};

}  // namespace

template <typename T>
class ScaleAndTranslateOp final : public ResamplingBase {
 public:
  using ResamplingBase::ResamplingBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    ResizeAttrs attrs;
    attrs.op = op_;
    ResizeGeometry g;
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, ReadResizeGeometry(attrs, images.shape(), ctx->input(1), &g));
    OP_REQUIRES_OK(ctx, ResizedShape(g, &shape));
    Spans rows, columns;
    OP_REQUIRES_OK(ctx, MakeBothSpans(ctx, g, &rows, &columns));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    ParallelFor(ctx, g.batch * g.rows.out,
                g.in_row() * rows.size / 2 + 2 * g.out_row() * columns.size,
                [&](int64_t begin, int64_t end) {
                  ResampleRows(g, rows, columns, images.base<T>(), begin, end,
                               out->base<float>());
                });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("ScaleAndTranslate").Device(DEVICE_CPU), "T",
                          ScaleAndTranslateOp, int8, uint8, int16, uint16,
                          int32, int64_t, Eigen::bfloat16, Eigen::half, float,
                          double);
REGISTER_KERNEL_BUILDER(
    Name("ScaleAndTranslateGrad").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    ScaleAndTranslateGradOp);

}  // namespace tensorwright
