// SPDX-License-Identifier: Apache-2.0
// ExtractGlimpse and ExtractGlimpseV2: windows of images, with noise around
// them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

enum class Noise { kUniform, kGaussian, kZero };

// The meaning of offsets.
struct Offsets {
  bool centered, normalized;
  // Are pixels from the centre half of what they should be, as in the first
  // version?
  bool halved;

  // The first pixel of a window of `part` pixels in `size`.
  int64_t Begin(float offset, int64_t size, int64_t part) const {
    const float all = static_cast<float>(size);
    const float half = static_cast<float>(part) / 2.0f;
    if (normalized) offset *= all;
    if (halved) {
      if (centered) offset = offset / 2.0f + all / 2.0f;
      offset -= half;
    } else if (normalized && centered) {
      offset = offset / 2.0f + all / 2.0f - half;
    } else if (centered) {
      offset += all / 2.0f;
    }
    // Lies beyond any image; a NaN is nowhere.
    constexpr float kFar = 1e9f;
    if (!(offset > -kFar)) return -static_cast<int64_t>(kFar);
    return static_cast<int64_t>(std::min(offset, kFar));
  }
};

// A stretch of the window that is inside the image.
struct Inside {
  int64_t from = 0, to = 0, size = 0;

  Inside(int64_t begin, int64_t part, int64_t all) {
    from = std::max<int64_t>(begin, 0);
    to = from - begin;
    size = std::max<int64_t>(std::min(begin + part, all) - from, 0);
  }
};

struct Image {
  const float* pixels;
  int64_t height, width, channels;
};

// Fills it with numbers between the least and the greatest of the image, or
// with its mean and deviation.
void FillWithNoise(const Image& image, Noise noise,
                   random::PhiloxRandom* stream, int64_t n, float* to) {
  const int64_t size = image.height * image.width * image.channels;
  const auto range = std::minmax_element(image.pixels, image.pixels + size);
  if (noise == Noise::kUniform) {
    random::UniformDistribution<random::PhiloxRandom, float> draw;
    const float low = *range.first, span = *range.second - low;
    for (int64_t i = 0; i < n; i += 4) {
      const auto numbers = draw(stream);
      for (int64_t k = 0; k < 4 && i + k < n; ++k) {
        to[i + k] = numbers[k] * span + low;
      }
    }
    return;
  }
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < size; ++i) sum += image.pixels[i];
  const double mean = sum / static_cast<double>(size);
  for (int64_t i = 0; i < size; ++i) {
    squares += (image.pixels[i] - mean) * (image.pixels[i] - mean);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(size));
  random::NormalDistribution<random::PhiloxRandom, float> draw;
  for (int64_t i = 0; i < n; i += 4) {
    const auto numbers = draw(stream);
    for (int64_t k = 0; k < 4 && i + k < n; ++k) {
      to[i + k] = static_cast<float>(numbers[k] * deviation + mean);
    }
  }
}

class ExtractGlimpseOp final : public OpKernel {
 public:
  explicit ExtractGlimpseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    bool uniform_noise = false;
    std::string noise;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("centered", &offsets_.centered));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("normalized", &offsets_.normalized));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("uniform_noise", &uniform_noise));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("noise", &noise));
    offsets_.halved = ctx->def().op() == "ExtractGlimpse";
    if (noise == "zero") {
      noise_ = Noise::kZero;
    } else if (noise == "uniform" || (noise.empty() && uniform_noise)) {
      noise_ = Noise::kUniform;
    } else {
      noise_ = Noise::kGaussian;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const int32_t* size = ctx->input(1).base<int32_t>();
    const int64_t height = size[0], width = size[1];
    const int64_t channels = input.dim_size(3);
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   TensorShape::BuildTensorShape(
                       {input.dim_size(0), height, width, channels}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const int64_t glimpse = height * width * channels;
    const uint64_t seed = noise_ == Noise::kZero ? 0 : random::New64();
    ParallelFor(
        ctx, input.dim_size(0), glimpse, [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            random::PhiloxRandom stream(seed, static_cast<uint64_t>(b));
            Extract(input, b, ctx->input(2).base<float>() + 2 * b, height,
                    width, &stream, out->base<float>() + b * glimpse);
          }
        });
  }

 private:
  void Extract(const Tensor& input, int64_t b, const float* offset,
               int64_t height, int64_t width, random::PhiloxRandom* stream,
               float* to) const {
    Image image{nullptr, input.dim_size(1), input.dim_size(2),
                input.dim_size(3)};
    image.pixels =
        input.base<float>() + b * image.height * image.width * image.channels;
    const Inside rows(offsets_.Begin(offset[0], image.height, height), height,
                      image.height);
    const Inside columns(offsets_.Begin(offset[1], image.width, width), width,
                         image.width);
    const int64_t row = width * image.channels;
    if (rows.size < height || columns.size < width) {
      if (noise_ == Noise::kZero || image.height * image.width == 0) {
        std::fill_n(to, height * row, 0.0f);
      } else {
        FillWithNoise(image, noise_, stream, height * row, to);
      }
    }
    if (columns.size == 0) return;
    for (int64_t y = 0; y < rows.size; ++y) {
      CopyRun(image.pixels + ((rows.from + y) * image.width + columns.from) *
                                 image.channels,
              columns.size * image.channels,
              to + (rows.to + y) * row + columns.to * image.channels);
    }
  }

  Offsets offsets_{};
  Noise noise_ = Noise::kUniform;
};
REGISTER_KERNEL_BUILDER(Name("ExtractGlimpse").Device(DEVICE_CPU),
                        ExtractGlimpseOp);
REGISTER_KERNEL_BUILDER(Name("ExtractGlimpseV2").Device(DEVICE_CPU),
                        ExtractGlimpseOp);

}  // namespace
}  // namespace tensorwright
