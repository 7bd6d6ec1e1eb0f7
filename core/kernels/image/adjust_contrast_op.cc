// SPDX-License-Identifier: Apache-2.0
// AdjustContrast and AdjustContrastv2: move channels away from their mean.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_rows.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The numbers of a run of whole pixels, roughly: loops over runs are long
// enough for vectors whatever the number of channels.
constexpr int64_t kRun = 192;
// A sum of this many numbers loses little in float.
constexpr int64_t kRunsInFloat = 256;
// A mean is the sum of the sums of parts, which do not depend on threads.
constexpr int64_t kPartNumbers = 1 << 16;

struct Contrast {
  float factor, min, max;
};

struct AddRunLoop {
  TW_WIDE_LOOP static void Run(const float* x, float* sums, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) sums[i] += x[i];
  }
};

struct SpreadRunLoop {
  TW_WIDE_LOOP static void Run(const float* x, const float* means, Contrast by,
                               float* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      float v = (x[i] - means[i]) * by.factor + means[i];
      v = v < by.min ? by.min : v;
      y[i] = v > by.max ? by.max : v;
    }
  }
};

struct Geometry {
  int64_t images, pixels, channels;
  int64_t image() const { return pixels * channels; }
  // The numbers of a run.
  int64_t run() const {
    return std::max<int64_t>(1, kRun / channels) * channels;
  }
};

// Adds numbers [begin, end) of an image to sums[channels].
template <typename T>
void SumChannels(const T* image, const Geometry& g, int64_t begin, int64_t end,
                 double* sums) {
  const int64_t run = g.run();
  std::vector<float> part(run), floats(run);
  int64_t runs = 0;
  const auto flush = [&] {
    for (int64_t i = 0; i < run; ++i) sums[i % g.channels] += part[i];
    std::fill(part.begin(), part.end(), 0.0f);
  };
  for (int64_t at = begin; at < end; at += run) {
    const int64_t n = std::min(run, end - at);
    const float* x = RowAsFloats(image + at, n, floats.data());
    RunWide<AddRunLoop>(x, part.data(), n);
    if (++runs % kRunsInFloat == 0) flush();
  }
  flush();
}

// The mean of each channel of each image: [images, channels].
template <typename T>
std::vector<float> ChannelMeans(OpKernelContext* ctx, const T* x,
                                const Geometry& g) {
  const int64_t part = std::max<int64_t>(kPartNumbers / g.run(), 1) * g.run();
  const int64_t parts = (g.image() + part - 1) / part;
  std::vector<double> sums(g.images * parts * g.channels);
  ParallelFor(ctx, g.images * parts, part, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = i % parts * part;
      SumChannels(x + i / parts * g.image(), g, from,
                  std::min(from + part, g.image()), &sums[i * g.channels]);
    }
  });
  std::vector<float> means(g.images * g.channels);
  for (int64_t i = 0; i < g.images; ++i) {
    for (int64_t c = 0; c < g.channels; ++c) {
      double sum = 0;
      for (int64_t p = 0; p < parts; ++p) {
        sum += sums[(i * parts + p) * g.channels + c];
      }
      means[i * g.channels + c] =
          static_cast<float>(sum / static_cast<double>(g.pixels));
    }
  }
  return means;
}

// Adjusts numbers [begin, end) of an image, which are multiples of g.run(),
// except at the end.
template <typename T, typename U>
void SpreadPart(const T* x, const float* means, const Contrast& by,
                const Geometry& g, int64_t begin, int64_t end, U* y) {
  const int64_t run = g.run();
  std::vector<float> run_means(run), floats(run), made(run);
  for (int64_t i = 0; i < run; ++i) run_means[i] = means[i % g.channels];
  for (int64_t at = begin; at < end; at += run) {
    const int64_t n = std::min(run, end - at);
    const float* from = RowAsFloats(x + at, n, floats.data());
    if constexpr (std::is_same_v<U, float>) {
      RunWide<SpreadRunLoop>(from, run_means.data(), by, y + at, n);
    } else {
      RunWide<SpreadRunLoop>(from, run_means.data(), by, made.data(), n);
      StoreRow(made.data(), n, y + at);
    }
  }
}

template <typename T, typename U>
void AdjustContrast(OpKernelContext* ctx, const Tensor& images,
                    const Contrast& by, Tensor* out) {
  const int dims = images.dims();
  Geometry g;
  g.channels = images.dim_size(dims - 1);
  g.pixels = images.dim_size(dims - 2) * images.dim_size(dims - 3);
  g.images = images.NumElements() / g.image();
  const std::vector<float> means = ChannelMeans(ctx, images.base<T>(), g);
  const int64_t part = std::max<int64_t>(kPartNumbers / g.run(), 1) * g.run();
  const int64_t parts = (g.image() + part - 1) / part;
  ParallelFor(ctx, g.images * parts, part, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / parts, from = i % parts * part;
      SpreadPart(images.base<T>() + image * g.image(),
                 &means[image * g.channels], by, g, from,
                 std::min(from + part, g.image()),
                 out->base<U>() + image * g.image());
    }
  });
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

template <typename T>
class AdjustContrastOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, images.shape(), &out));
    if (images.NumElements() == 0) return;
    const Contrast by{*ctx->input(1).base<float>(),
                      *ctx->input(2).base<float>(),
                      *ctx->input(3).base<float>()};
    AdjustContrast<T, float>(ctx, images, by, out);
  }
};

template <typename T>
class AdjustContrastv2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, images.shape(), &out));
    if (images.NumElements() == 0) return;
    const Contrast by{*ctx->input(1).base<float>(), -kInfinity, kInfinity};
    AdjustContrast<T, T>(ctx, images, by, out);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("AdjustContrast").Device(DEVICE_CPU), "T",
                          AdjustContrastOp, uint8, int8, int16, int32, int64_t,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("AdjustContrastv2").Device(DEVICE_CPU), "T",
                          AdjustContrastv2Op, float, Eigen::half);

}  // namespace tensorwright
