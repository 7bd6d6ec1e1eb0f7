// SPDX-License-Identifier: Apache-2.0
// ImageProjectiveTransformV2 and V3: project images through a plane's
// projection.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The continuation of the image outside of it.
enum class Fill { kConstant, kReflect, kWrap, kNearest };

Status FillOf(const std::string& op, const std::string& name, Fill* fill) {
  if (name == "CONSTANT") {
    *fill = Fill::kConstant;
  } else if (name == "REFLECT") {
    *fill = Fill::kReflect;
  } else if (name == "WRAP") {
    *fill = Fill::kWrap;
  } else if (name == "NEAREST") {
    *fill = Fill::kNearest;
  } else {
    return errors::InvalidArgument(
        op, ": fill_mode must be CONSTANT, REFLECT, WRAP or NEAREST, got '",
        name, "'");
  }
  return OkStatus();
}

float WholeQuotient(float x, float y) { return std::trunc(x / y); }

// abcd continues as dcba|abcd|dcba.
float Reflect(float at, float size) {
  if (size <= 1) return 0;
  const float twice = 2 * size;
  if (at < 0) {
    at += twice * WholeQuotient(-at, twice);
    at = at < -size ? at + twice : -at - 1;
  } else if (at > size - 1) {
    at -= twice * WholeQuotient(at, twice);
    if (at >= size) at = twice - at - 1;
  }
  return at;
}

// abcd continues as abcd|abcd|abcd.
float Wrap(float at, float size) {
  if (size <= 1) return 0;
  if (at < 0) return at + size * (WholeQuotient(-at, size - 1) + 1);
  if (at > size - 1) return at - size * WholeQuotient(at, size - 1);
  return at;
}

float MapInto(Fill fill, float at, int64_t pixels) {
  // No image reaches this far; a NaN is nowhere.
  constexpr float kFar = 1e9f;
  const float size = static_cast<float>(pixels);
  if (fill == Fill::kConstant) return at > -kFar ? std::min(at, kFar) : -kFar;
  if (fill == Fill::kReflect) at = Reflect(at, size);
  if (fill == Fill::kWrap) at = Wrap(at, size);
  return at > 0 ? std::min(at, size - 1) : 0.0f;
}

template <typename T>
struct Picture {
  const T* pixels;
  int64_t height, width, channels;
  float fill;

  float At(int64_t y, int64_t x, int64_t c) const {
    if (y < 0 || y >= height || x < 0 || x >= width) return fill;
    return static_cast<float>(pixels[(y * width + x) * channels + c]);
  }
  // Reads it exactly, without the way through a float.
  T Exact(int64_t y, int64_t x, int64_t c) const {
    if (y < 0 || y >= height || x < 0 || x >= width) {
      return static_cast<T>(fill);
    }
    return pixels[(y * width + x) * channels + c];
  }
};

template <typename T>
void SampleLinear(const Picture<T>& image, float y, float x, T* to) {
  const float top = std::floor(y), left = std::floor(x);
  const float bottom = top + 1, right = left + 1;
  const int64_t row = static_cast<int64_t>(top);
  const int64_t column = static_cast<int64_t>(left);
  for (int64_t c = 0; c < image.channels; ++c) {
    const float above = (right - x) * image.At(row, column, c) +
                        (x - left) * image.At(row, column + 1, c);
    const float below = (right - x) * image.At(row + 1, column, c) +
                        (x - left) * image.At(row + 1, column + 1, c);
    to[c] = static_cast<T>((bottom - y) * above + (y - top) * below);
  }
}

template <typename T>
void TransformRow(const Picture<T>& image, const float* t, Fill fill,
                  bool nearest, int64_t row, int64_t columns, T* to) {
  const float y = static_cast<float>(row);
  for (int64_t column = 0; column < columns; ++column, to += image.channels) {
    const float x = static_cast<float>(column);
    const float distance = t[6] * x + t[7] * y + 1.0f;
    if (distance == 0) {
      std::fill_n(to, image.channels, static_cast<T>(image.fill));
      continue;
    }
    const float from_x =
        MapInto(fill, (t[0] * x + t[1] * y + t[2]) / distance, image.width);
    const float from_y =
        MapInto(fill, (t[3] * x + t[4] * y + t[5]) / distance, image.height);
    if (!nearest) {
      SampleLinear(image, from_y, from_x, to);
      continue;
    }
    const int64_t at_y = static_cast<int64_t>(std::round(from_y));
    const int64_t at_x = static_cast<int64_t>(std::round(from_x));
    for (int64_t c = 0; c < image.channels; ++c) {
      to[c] = image.Exact(at_y, at_x, c);
    }
  }
}

}  // namespace

template <typename T>
class ImageProjectiveTransformOp final : public OpKernel {
 public:
  explicit ImageProjectiveTransformOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    std::string interpolation, fill_mode;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("interpolation", &interpolation));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("fill_mode", &fill_mode));
    const std::string& op = ctx->def().op();
    OP_REQUIRES(ctx, interpolation == "NEAREST" || interpolation == "BILINEAR",
                errors::InvalidArgument(
                    op, ": interpolation must be NEAREST or BILINEAR, got '",
                    interpolation, "'"));
    nearest_ = interpolation == "NEAREST";
    OP_REQUIRES_OK(ctx, FillOf(op, fill_mode, &fill_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    const Tensor& transforms = ctx->input(1);
    const int32_t* size = ctx->input(2).base<int32_t>();
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, TensorShape::BuildTensorShape(
                 {images.dim_size(0), size[0], size[1], images.dim_size(3)},
                 &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const Picture<T> first{
        nullptr, images.dim_size(1), images.dim_size(2), images.dim_size(3),
        ctx->num_inputs() == 4 ? *ctx->input(3).base<float>() : 0};
    const int64_t pixels = first.height * first.width * first.channels;
    // An image without pixels has only an outside.
    const Fill fill = pixels == 0 ? Fill::kConstant : fill_;
    const int64_t step = transforms.dim_size(0) == 1 ? 0 : 8;
    const int64_t row = size[1] * first.channels;
    ParallelFor(ctx, shape.dim_size(0) * size[0], 20 * row,
                [&](int64_t begin, int64_t end) {
                  Picture<T> image = first;
                  for (int64_t unit = begin; unit < end; ++unit) {
                    const int64_t b = unit / size[0];
                    image.pixels = images.base<T>() + b * pixels;
                    TransformRow(image, transforms.base<float>() + b * step,
                                 fill, nearest_, unit % size[0], size[1],
                                 out->base<T>() + unit * row);
                  }
                });
  }

 private:
  bool nearest_ = false;
  Fill fill_ = Fill::kConstant;
};

REGISTER_KERNEL_FOR_TYPES(Name("ImageProjectiveTransformV2").Device(DEVICE_CPU),
                          "dtype", ImageProjectiveTransformOp, uint8, int32,
                          int64_t, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ImageProjectiveTransformV3").Device(DEVICE_CPU),
                          "dtype", ImageProjectiveTransformOp, uint8, int32,
                          int64_t, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
