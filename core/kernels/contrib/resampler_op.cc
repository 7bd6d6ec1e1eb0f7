// SPDX-License-Identifier: Apache-2.0
// Resampler and its gradient: images between their pixels (Jaderberg et al.,
// 2015, the sampler of spatial transformers).
//
// A point (x, y) lies between four pixels; dx and dy are its distances from the
// right and lower ones.  Pixels outside of the image are zeros.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The type for computations: float for half.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

struct Sizes {
  int64_t batch, height, width, channels, points;

  int64_t image() const { return height * width * channels; }
};

// Each image has `points`.
Sizes SizesOf(const Tensor& data, const Tensor& warp) {
  Sizes s{data.dim_size(0), data.dim_size(1), data.dim_size(2),
          data.dim_size(3), 1};
  for (int d = 1; d + 1 < warp.dims(); ++d) s.points *= warp.dim_size(d);
  return s;
}

// A point among the pixels of an image.
template <typename T>
struct Place {
  // Are some of the four pixels inside?  A NaN is outside.
  bool inside = false;
  // Offsets of (left, top), (right, top), (left, bottom), (right, bottom); -1
  // outside.
  int64_t pixel[4];
  Wide<T> dx, dy;

  Place(const Sizes& s, const T* xy) {
    const Wide<T> x = static_cast<Wide<T>>(xy[0]);
    const Wide<T> y = static_cast<Wide<T>>(xy[1]);
    inside = x > -1 && y > -1 && x < static_cast<Wide<T>>(s.width) &&
             y < static_cast<Wide<T>>(s.height);
    if (!inside) return;
    const int64_t left = static_cast<int64_t>(std::floor(x));
    const int64_t top = static_cast<int64_t>(std::floor(y));
    dx = static_cast<Wide<T>>(left + 1) - x;
    dy = static_cast<Wide<T>>(top + 1) - y;
    for (int i = 0; i < 4; ++i) {
      const int64_t column = left + i % 2, row = top + i / 2;
      const bool is_pixel =
          column >= 0 && row >= 0 && column < s.width && row < s.height;
      pixel[i] = is_pixel ? (row * s.width + column) * s.channels : -1;
    }
  }

  Wide<T> weight(int i) const {
    return (i % 2 ? 1 - dx : dx) * (i / 2 ? 1 - dy : dy);
  }
};

template <typename T>
Wide<T> PixelAt(const T* image, int64_t pixel, int64_t channel) {
  return pixel < 0 ? Wide<T>(0) : static_cast<Wide<T>>(image[pixel + channel]);
}

template <typename T>
void SamplePoint(const Sizes& s, const T* image, const T* xy, T* out) {
  const Place<T> place(s, xy);
  if (!place.inside) {
    std::fill_n(out, s.channels, T(0));
    return;
  }
  for (int64_t c = 0; c < s.channels; ++c) {
    Wide<T> sum = 0;
    for (int i = 0; i < 4; ++i) {
      sum += place.weight(i) * PixelAt(image, place.pixel[i], c);
    }
    out[c] = static_cast<T>(sum);
  }
}

// Adds to the gradient of an image, and sets the gradient of a point.
template <typename T>
void SamplePointGrad(const Sizes& s, const T* image, const T* xy,
                     const T* grad_out, Wide<T>* grad_image, T* grad_xy) {
  grad_xy[0] = grad_xy[1] = T(0);
  const Place<T> place(s, xy);
  if (!place.inside) return;
  Wide<T> by_x = 0, by_y = 0;
  for (int64_t c = 0; c < s.channels; ++c) {
    const Wide<T> g = static_cast<Wide<T>>(grad_out[c]);
    Wide<T> p[4];
    for (int i = 0; i < 4; ++i) {
      p[i] = PixelAt(image, place.pixel[i], c);
      if (place.pixel[i] >= 0) {
        grad_image[place.pixel[i] + c] += g * place.weight(i);
      }
    }
    by_x += g * (place.dy * (p[1] - p[0]) + (1 - place.dy) * (p[3] - p[2]));
    by_y += g * (place.dx * (p[2] - p[0]) + (1 - place.dx) * (p[3] - p[1]));
  }
  grad_xy[0] = static_cast<T>(by_x);
  grad_xy[1] = static_cast<T>(by_y);
}

template <typename T>
class ResamplerOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& warp = ctx->input(1);
    const Sizes s = SizesOf(data, warp);
    TensorShape shape = warp.shape();
    shape.set_dim(shape.dims() - 1, s.channels);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const T* images = data.base<T>();
    const T* points = warp.base<T>();
    T* to = out->base<T>();
    ParallelFor(ctx, s.batch * s.points, 10 * s.channels + 20,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    SamplePoint(s, images + i / s.points * s.image(),
                                points + 2 * i, to + i * s.channels);
                  }
                });
  }
};

template <typename T>
class ResamplerGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& warp = ctx->input(1);
    const Sizes s = SizesOf(data, warp);
    Tensor* grad_data = nullptr;
    Tensor* grad_warp = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, data.shape(), &grad_data));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, warp.shape(), &grad_warp));
    const T* images = data.base<T>();
    const T* points = warp.base<T>();
    const T* grads = ctx->input(2).base<T>();
    T* to_data = grad_data->base<T>();
    T* to_warp = grad_warp->base<T>();
    ParallelFor(
        ctx, s.batch, s.image() + s.points * (20 * s.channels + 20),
        [&](int64_t begin, int64_t end) {
          // The gradient of an image is summed in the wider type.
          std::vector<Wide<T>> sums(s.image());
          for (int64_t b = begin; b < end; ++b) {
            std::fill(sums.begin(), sums.end(), Wide<T>(0));
            for (int64_t i = b * s.points; i < (b + 1) * s.points; ++i) {
              SamplePointGrad(s, images + b * s.image(), points + 2 * i,
                              grads + i * s.channels, sums.data(),
                              to_warp + 2 * i);
            }
            std::transform(sums.begin(), sums.end(), to_data + b * s.image(),
                           [](Wide<T> x) { return static_cast<T>(x); });
          }
        });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Resampler").Device(DEVICE_CPU), "T",
                          ResamplerOp, Eigen::half, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResamplerGrad").Device(DEVICE_CPU), "T",
                          ResamplerGradOp, Eigen::half, float, double);

}  // namespace
}  // namespace tensorwright
