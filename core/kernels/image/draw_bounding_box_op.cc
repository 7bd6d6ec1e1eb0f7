// SPDX-License-Identifier: Apache-2.0
// DrawBoundingBoxes and DrawBoundingBoxesV2.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using Color = std::array<float, 4>;

// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr Color kColors[] = {{1, 1, 0, 1},   {0, 0, 1, 1},     {1, 0, 0, 1},
                             {0, 1, 0, 1},   {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1},
                             {0.5, 0, 0, 1}, {0, 0, 0.5, 1},   {0, 1, 1, 1},
                             {1, 0, 1, 1}};

std::vector<Color> ColorsOf(OpKernelContext* ctx, int64_t channels) {
  if (ctx->num_inputs() == 3 && ctx->input(2).NumElements() > 0) {
    const Tensor& given = ctx->input(2);
    const int64_t columns = given.dim_size(1);
    std::vector<Color> colors(given.dim_size(0));
    for (size_t i = 0; i < colors.size(); ++i) {
      std::copy_n(given.base<float>() + i * columns,
                  std::min<int64_t>(columns, 4), colors[i].begin());
    }
    return colors;
  }
  std::vector<Color> colors(std::begin(kColors), std::end(kColors));
  // On grey images all colours are white.
  if (channels == 1) {
    for (Color& color : colors) color[0] = 1;
  }
  return colors;
}

// One side of a box in pixels, which may be outside the image.
struct Span {
  int64_t begin, end;

  bool IsOutside(int64_t size) const {
    return !(begin <= end) || begin >= size || end < 0;
  }
};

// False for NaNs.
bool ToPixels(float begin, float end, int64_t size, Span* span) {
  constexpr float kFar = 1e15f;
  const float scale = static_cast<float>(size - 1);
  const float b = begin * scale, e = end * scale;
  if (std::isnan(b) || std::isnan(e)) return false;
  *span = {static_cast<int64_t>(std::clamp(b, -kFar, kFar)),
           static_cast<int64_t>(std::clamp(e, -kFar, kFar))};
  return true;
}

// An image [height, width, channels] that boxes are drawn on.
template <typename T>
struct Canvas {
  T* pixels;
  int64_t height, width, channels;

  void Draw(const float* box, const Color& color) const {
    Span rows, columns;
    if (!ToPixels(box[0], box[2], height, &rows) ||
        !ToPixels(box[1], box[3], width, &columns) || rows.IsOutside(height) ||
        columns.IsOutside(width)) {
      return;
    }
    T paint[4];
    for (int c = 0; c < 4; ++c) paint[c] = static_cast<T>(color[c]);
    const int64_t top = std::max<int64_t>(rows.begin, 0);
    const int64_t bottom = std::min(rows.end, height - 1);
    const int64_t left = std::max<int64_t>(columns.begin, 0);
    const int64_t right = std::min(columns.end, width - 1);
    if (rows.begin >= 0) Line(top, left, right - left + 1, 1, paint);
    if (rows.end < height) Line(bottom, left, right - left + 1, 1, paint);
    if (columns.begin >= 0) Line(top, left, bottom - top + 1, width, paint);
    if (columns.end < width) Line(top, right, bottom - top + 1, width, paint);
  }

 private:
  // Paints n pixels from (y, x) on, `step` apart.
  void Line(int64_t y, int64_t x, int64_t n, int64_t step,
            const T* paint) const {
    T* to = pixels + (y * width + x) * channels;
    for (int64_t i = 0; i < n; ++i, to += step * channels) {
      std::copy_n(paint, channels, to);
    }
  }
};

}  // namespace

template <typename T>
class DrawBoundingBoxesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    const Tensor& boxes = ctx->input(1);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, images.shape(), &out));
    const int64_t n = images.NumElements();
    if (n == 0) return;
    const int64_t image = n / images.dim_size(0);
    const int64_t per_image = boxes.dim_size(1);
    const std::vector<Color> colors = ColorsOf(ctx, images.dim_size(3));
    const int64_t cost =
        image / 4 + per_image * 8 * (images.dim_size(1) + images.dim_size(2));
    ParallelFor(ctx, images.dim_size(0), cost, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* to = out->base<T>() + b * image;
        if (to != images.base<T>() + b * image) {
          CopyRun(images.base<T>() + b * image, image, to);
        }
        const Canvas<T> canvas{to, images.dim_size(1), images.dim_size(2),
                               images.dim_size(3)};
        for (int64_t i = 0; i < per_image; ++i) {
          canvas.Draw(boxes.base<float>() + (b * per_image + i) * 4,
                      colors[i % colors.size()]);
        }
      }
    });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("DrawBoundingBoxes").Device(DEVICE_CPU), "T",
                          DrawBoundingBoxesOp, float, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("DrawBoundingBoxesV2").Device(DEVICE_CPU), "T",
                          DrawBoundingBoxesOp, float, Eigen::half);

}  // namespace tensorwright
