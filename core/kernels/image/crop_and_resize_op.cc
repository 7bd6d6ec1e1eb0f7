// SPDX-License-Identifier: Apache-2.0
// CropAndResize and its gradients.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_adjoint.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// One side of a box over one side of the image, with TensorFlow's arithmetic:
// positions are computed in float.
struct CropSide {
  float begin, end;  // 0 is the first pixel's centre, 1 the last one's.
  int64_t image, crop;

  float Scale() const {
    return crop > 1 ? (end - begin) * static_cast<float>(image - 1) /
                          static_cast<float>(crop - 1)
                    : 0.0f;
  }
  float At(int64_t x) const {
    const float last = static_cast<float>(image - 1);
    return crop > 1 ? begin * last + static_cast<float>(x) * Scale()
                    : static_cast<float>(0.5 * (begin + end) * last);
  }
};

// The place in the image of a position of the crop.
struct CropPlace {
  bool inside;
  int64_t lower, upper, nearest;
  float distance;
};

std::vector<CropPlace> PlacesOf(const CropSide& side) {
  std::vector<CropPlace> places(side.crop);
  for (int64_t x = 0; x < side.crop; ++x) {
    const float at = side.At(x);
    CropPlace& p = places[x];
    // A NaN is outside.
    p.inside = at >= 0 && at <= static_cast<float>(side.image - 1);
    if (!p.inside) continue;
    // Takes the last pixel if the image is too wide for a float.
    const int64_t last = side.image - 1;
    p.lower = std::min(static_cast<int64_t>(std::floor(at)), last);
    p.upper = std::min(static_cast<int64_t>(std::ceil(at)), last);
    p.nearest = std::min(static_cast<int64_t>(std::round(at)), last);
    p.distance = at - static_cast<float>(p.lower);
  }
  return places;
}

// The sizes of all tensors: images [batch, height, width, depth], crops [boxes,
// crop_height, crop_width, depth].
struct CropGeometry {
  int64_t batch, height, width, depth, boxes, crop_height, crop_width;

  int64_t image_row() const { return width * depth; }
  int64_t image() const { return height * image_row(); }
  int64_t crop_row() const { return crop_width * depth; }
  int64_t crop() const { return crop_height * crop_row(); }

  CropSide Rows(const float* box) const {
    return {box[0], box[2], height, crop_height};
  }
  CropSide Columns(const float* box) const {
    return {box[1], box[3], width, crop_width};
  }
};

Status CheckCrops(const std::string& op, const CropGeometry& g,
                  const Tensor& box_ind) {
  if (g.height <= 0 || g.width <= 0 || g.crop_height <= 0 ||
      g.crop_width <= 0) {
    return errors::InvalidArgument(
        op, ": image and crops must have pixels, got [", g.height, ", ",
        g.width, "] and [", g.crop_height, ", ", g.crop_width, "]");
  }
  for (int64_t i = 0; i < g.boxes; ++i) {
    const int32_t at = box_ind.base<int32_t>()[i];
    if (at < 0 || at >= g.batch) {
      return errors::OutOfRange(op, ": box_ind[", i, "] must be in [0, ",
                                g.batch, "), got ", at);
    }
  }
  return OkStatus();
}

CropGeometry GeometryOf(const TensorShape& image, const Tensor& boxes,
                        int64_t crop_height, int64_t crop_width) {
  return {image.dim_size(0), image.dim_size(1), image.dim_size(2),
          image.dim_size(3), boxes.dim_size(0), crop_height,
          crop_width};
}

template <typename T>
float ToFloat(T x) {
  return static_cast<float>(x);
}

// Computes row `place` of a crop.
template <typename T>
void CropLinearRow(const CropGeometry& g, const T* image,
                   const CropPlace& place,
                   const std::vector<CropPlace>& columns, float outside,
                   float* to) {
  const T* top = image + place.lower * g.image_row();
  const T* bottom = image + place.upper * g.image_row();
  const float y = place.distance;
  for (const CropPlace& column : columns) {
    if (!column.inside) {
      std::fill_n(to, g.depth, outside);
      to += g.depth;
      continue;
    }
    const int64_t left = column.lower * g.depth, right = column.upper * g.depth;
    const float x = column.distance;
    for (int64_t d = 0; d < g.depth; ++d) {
      const float a = ToFloat(top[left + d]), b = ToFloat(bottom[left + d]);
      const float above = a + (ToFloat(top[right + d]) - a) * x;
      const float below = b + (ToFloat(bottom[right + d]) - b) * x;
      to[d] = above + (below - above) * y;
    }
    to += g.depth;
  }
}

template <typename T>
void CropNearestRow(const CropGeometry& g, const T* image,
                    const CropPlace& place,
                    const std::vector<CropPlace>& columns, float outside,
                    float* to) {
  const T* row = image + place.nearest * g.image_row();
  for (const CropPlace& column : columns) {
    for (int64_t d = 0; d < g.depth; ++d) {
      to[d] =
          column.inside ? ToFloat(row[column.nearest * g.depth + d]) : outside;
    }
    to += g.depth;
  }
}

template <typename T>
void CropBox(const CropGeometry& g, const T* image, const float* box,
             bool nearest, float outside, float* to) {
  const std::vector<CropPlace> rows = PlacesOf(g.Rows(box));
  const std::vector<CropPlace> columns = PlacesOf(g.Columns(box));
  for (const CropPlace& row : rows) {
    if (!row.inside) {
      std::fill_n(to, g.crop_row(), outside);
    } else if (nearest) {
      CropNearestRow(g, image, row, columns, outside, to);
    } else {
      CropLinearRow(g, image, row, columns, outside, to);
    }
    to += g.crop_row();
  }
}

}  // namespace

template <typename T>
class CropAndResizeOp final : public OpKernel {
 public:
  explicit CropAndResizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string method;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("method", &method));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("extrapolation_value", &outside_));
    nearest_ = method == "nearest";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const Tensor& boxes = ctx->input(1);
    const int32_t* indices = ctx->input(2).base<int32_t>();
    const int32_t* size = ctx->input(3).base<int32_t>();
    const CropGeometry g = GeometryOf(image.shape(), boxes, size[0], size[1]);
    OP_REQUIRES_OK(ctx, CheckCrops("CropAndResize", g, ctx->input(2)));
    const float* const sides = boxes.base<float>();
    OP_REQUIRES(
        ctx,
        std::all_of(sides, sides + boxes.NumElements(),
                    [](float side) { return std::isfinite(side); }),
        errors::InvalidArgument("CropAndResize: boxes contains at least "
                                "one element that is not finite"));
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, TensorShape::BuildTensorShape(
                 {g.boxes, g.crop_height, g.crop_width, g.depth}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    ParallelFor(ctx, g.boxes, g.crop() * 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        CropBox(g, image.base<T>() + indices[i] * g.image(),
                boxes.base<float>() + 4 * i, nearest_, outside_,
                out->base<float>() + i * g.crop());
      }
    });
  }

 private:
  float outside_ = 0;
  bool nearest_ = false;
};

namespace {

// Adds the gradients of one crop to rows [begin, end) of its image.
template <typename A>
void AddCropGrads(const CropGeometry& g, const float* box, bool nearest,
                  const float* grads, int64_t begin, int64_t end, A* image) {
  const std::vector<CropPlace> columns = PlacesOf(g.Columns(box));
  const auto add_row = [&](const float* from, int64_t row, float weight) {
    if (row < begin || row >= end) return;
    A* to = image + row * g.image_row();
    for (const CropPlace& column : columns) {
      if (column.inside) {
        if (nearest) {
          AddScaledPixel(from, A(1), g.depth, to + column.nearest * g.depth);
        } else {
          AddScaledPixel(from, A(weight * (1 - column.distance)), g.depth,
                         to + column.lower * g.depth);
          AddScaledPixel(from, A(weight * column.distance), g.depth,
                         to + column.upper * g.depth);
        }
      }
      from += g.depth;
    }
  };
  for (const CropPlace& row : PlacesOf(g.Rows(box))) {
    if (row.inside && nearest) add_row(grads, row.nearest, 1);
    if (row.inside && !nearest) {
      add_row(grads, row.lower, 1 - row.distance);
      add_row(grads, row.upper, row.distance);
    }
    grads += g.crop_row();
  }
}

// The rows of an image that a thread adds to at a time: each thread walks
// through all boxes, so that the sums do not depend on threads.
constexpr int64_t kBand = 64;

}  // namespace

template <typename T>
class CropAndResizeGradImageOp final : public OpKernel {
 public:
  explicit CropAndResizeGradImageOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string method;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("method", &method));
    nearest_ = method == "nearest";
  }

  void Compute(OpKernelContext* ctx) override {
    using A = GradientSum<T>;
    const Tensor& grads = ctx->input(0);
    const Tensor& boxes = ctx->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(3), &shape));
    const CropGeometry g =
        GeometryOf(shape, boxes, grads.dim_size(1), grads.dim_size(2));
    OP_REQUIRES_OK(ctx, CheckCrops("CropAndResizeGradImage", g, ctx->input(2)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    Tensor sums = *out;
    if constexpr (kIsStorageOnly<T>) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, shape, &sums));
    }
    A* to = sums.base<A>();
    const int32_t* indices = ctx->input(2).base<int32_t>();
    const int64_t bands = (g.height + kBand - 1) / kBand;
    const int64_t cost = std::min(g.height, kBand) * g.image_row() +
                         g.boxes * g.crop() * 4 / (g.batch * bands);
    ParallelFor(ctx, g.batch * bands, cost, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t b = unit / bands, first = unit % bands * kBand;
        const int64_t last = std::min(first + kBand, g.height);
        A* image = to + b * g.image();
        std::fill(image + first * g.image_row(), image + last * g.image_row(),
                  A(0));
        for (int64_t i = 0; i < g.boxes; ++i) {
          if (indices[i] != b) continue;
          AddCropGrads(g, boxes.base<float>() + 4 * i, nearest_,
                       grads.base<float>() + i * g.crop(), first, last, image);
        }
      }
    });
    if constexpr (kIsStorageOnly<T>) {
      NarrowFloats(to, out->base<T>(), out->NumElements());
    }
  }

 private:
  bool nearest_ = false;
};

namespace {

// The gradient of one crop by its box, {top, left, bottom, right}.
template <typename T>
void CropBoxGrad(const CropGeometry& g, const T* image, const float* box,
                 const float* grads, float* to) {
  const std::vector<CropPlace> rows = PlacesOf(g.Rows(box));
  const std::vector<CropPlace> columns = PlacesOf(g.Columns(box));
  const float height = static_cast<float>(g.height - 1);
  const float width = static_cast<float>(g.width - 1);
  double sums[4] = {};
  // The distances that a position moves with the beginning and with the end of
  // its side.
  const auto moves = [](int64_t x, int64_t crop, float image, float* begin,
                        float* end) {
    *end = crop > 1
               ? static_cast<float>(x) * image / static_cast<float>(crop - 1)
               : 0.5f * image;
    *begin = image - *end;
  };
  for (int64_t y = 0; y < g.crop_height; ++y, grads += g.crop_row()) {
    if (!rows[y].inside) continue;
    const T* top = image + rows[y].lower * g.image_row();
    const T* bottom = image + rows[y].upper * g.image_row();
    const float dy = rows[y].distance;
    double by_row = 0;
    for (int64_t x = 0; x < g.crop_width; ++x) {
      const CropPlace& column = columns[x];
      if (!column.inside) continue;
      const int64_t left = column.lower * g.depth;
      const int64_t right = column.upper * g.depth;
      const float dx = column.distance;
      double by_column = 0;
      for (int64_t d = 0; d < g.depth; ++d) {
        const float tl = ToFloat(top[left + d]), tr = ToFloat(top[right + d]);
        const float bl = ToFloat(bottom[left + d]);
        const float br = ToFloat(bottom[right + d]);
        const float grad = grads[x * g.depth + d];
        by_row += grad * ((1 - dx) * (bl - tl) + dx * (br - tr));
        by_column += grad * ((1 - dy) * (tr - tl) + dy * (br - bl));
      }
      float begin, end;
      moves(x, g.crop_width, width, &begin, &end);
      sums[1] += by_column * begin;
      sums[3] += by_column * end;
    }
    float begin, end;
    moves(y, g.crop_height, height, &begin, &end);
    sums[0] += by_row * begin;
    sums[2] += by_row * end;
  }
  for (int i = 0; i < 4; ++i) to[i] = static_cast<float>(sums[i]);
}

}  // namespace

template <typename T>
class CropAndResizeGradBoxesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const Tensor& image = ctx->input(1);
    const Tensor& boxes = ctx->input(2);
    const int32_t* indices = ctx->input(3).base<int32_t>();
    const CropGeometry g =
        GeometryOf(image.shape(), boxes, grads.dim_size(1), grads.dim_size(2));
    OP_REQUIRES_OK(ctx, CheckCrops("CropAndResizeGradBoxes", g, ctx->input(3)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, boxes.shape(), &out));
    ParallelFor(ctx, g.boxes, g.crop() * 8 + 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    CropBoxGrad(g, image.base<T>() + indices[i] * g.image(),
                                boxes.base<float>() + 4 * i,
                                grads.base<float>() + i * g.crop(),
                                out->base<float>() + 4 * i);
                  }
                });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("CropAndResize").Device(DEVICE_CPU), "T",
                          CropAndResizeOp, uint8, uint16, int8, int16, int32,
                          int64_t, Eigen::half, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("CropAndResizeGradImage").Device(DEVICE_CPU),
                          "T", CropAndResizeGradImageOp, float, Eigen::half,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("CropAndResizeGradBoxes").Device(DEVICE_CPU),
                          "T", CropAndResizeGradBoxesOp, uint8, uint16, int8,
                          int16, int32, int64_t, Eigen::half, float, double);

}  // namespace tensorwright
