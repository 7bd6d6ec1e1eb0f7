// SPDX-License-Identifier: Apache-2.0
// The geometry of resizing: sizes, scales and, for a position along a side, the
// input positions with their weights.
//
// The arithmetic is in float, as in TensorFlow: a scale is rounded before it is
// multiplied by a position, and which pixel is the nearest can depend on it.
#ifndef TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_GEOMETRY_H_
#define TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_GEOMETRY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The attrs of ops that resize; only some have half_pixel_centers.
struct ResizeAttrs {
  std::string op;
  bool align_corners = false;
  bool half_pixel_centers = false;

  Status Read(OpKernelConstruction* ctx) {
    op = ctx->def().op();
    TF_RETURN_IF_ERROR(ctx->GetAttr("align_corners", &align_corners));
    if (ctx->HasAttr("half_pixel_centers")) {
      TF_RETURN_IF_ERROR(
          ctx->GetAttr("half_pixel_centers", &half_pixel_centers));
    }
    return OkStatus();
  }
};

// The number of input pixels for an output pixel.
inline float ResizeScale(int64_t in_size, int64_t out_size,
                         bool align_corners) {
  return align_corners && out_size > 1
             ? static_cast<float>(in_size - 1) /
                   static_cast<float>(out_size - 1)
             : static_cast<float>(in_size) / static_cast<float>(out_size);
}

// One side: `out` positions over `in` positions.
struct ResizeSide {
  int64_t in = 0, out = 0;
  float scale = 0;
  bool align_corners = false, half_pixel_centers = false;

  ResizeSide() = default;
  ResizeSide(const ResizeAttrs& attrs, int64_t in_size, int64_t out_size)
      : in(in_size),
        out(out_size),
        scale(ResizeScale(in_size, out_size, attrs.align_corners)),
        align_corners(attrs.align_corners),
        half_pixel_centers(attrs.half_pixel_centers) {}

  // The position of output position x on the input side.
  float At(int64_t x) const {
    const float at = static_cast<float>(x);
    return half_pixel_centers ? (at + 0.5f) * scale - 0.5f : at * scale;
  }
  // The input position nearest to output position x.
  int64_t Nearest(int64_t x) const {
    const float at = half_pixel_centers ? (static_cast<float>(x) + 0.5f) * scale
                                        : static_cast<float>(x) * scale;
    const float nearest = align_corners ? std::round(at) : std::floor(at);
    return std::clamp<int64_t>(static_cast<int64_t>(nearest), 0, in - 1);
  }
};

struct ResizeGeometry {
  int64_t batch = 0, channels = 0;
  ResizeSide rows, columns;

  int64_t in_row() const { return columns.in * channels; }
  int64_t out_row() const { return columns.out * channels; }
  int64_t in_image() const { return rows.in * in_row(); }
  int64_t out_image() const { return rows.out * out_row(); }
};

// Offsets in rows are kept in 32 bits.
inline constexpr int64_t kMostResizedRow = std::numeric_limits<int32_t>::max();

// images: [batch, height, width, channels], size: int32 [2]; the shape function
// has checked ranks and positive sizes.
inline Status ReadResizeGeometry(const ResizeAttrs& attrs,
                                 const TensorShape& images, const Tensor& size,
                                 ResizeGeometry* g) {
  const int32_t* sides = size.base<int32_t>();
  g->batch = images.dim_size(0);
  g->channels = images.dim_size(3);
  g->rows = ResizeSide(attrs, images.dim_size(1), sides[0]);
  g->columns = ResizeSide(attrs, images.dim_size(2), sides[1]);
  if (g->channels <= 0 || g->rows.in <= 0 || g->columns.in <= 0) {
    return errors::InvalidArgument(
        attrs.op, ": images must have pixels and channels, got shape ",
        images.DebugString());
  }
  const int64_t most = kMostResizedRow / g->channels;
  if (g->rows.in > kMostResizedRow || g->columns.in > most ||
      g->columns.out > most) {
    return errors::InvalidArgument(
        attrs.op, ": rows of images must have less than 2^31 elements, got ",
        images.DebugString(), " and a width of ", g->columns.out);
  }
  return OkStatus();
}

inline Status ResizedShape(const ResizeGeometry& g, TensorShape* shape) {
  return TensorShape::BuildTensorShape(
      {g.batch, g.rows.out, g.columns.out, g.channels}, shape);
}

// The kernel of an op with inputs images and size: reads the geometry and
// allocates the output, [batch, height, width, channels] of its dtype.
class ResizeOpKernel : public OpKernel {
 public:
  explicit ResizeOpKernel(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) final {
    const Tensor& images = ctx->input(0);
    ResizeGeometry g;
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, ReadResizeGeometry(attrs_, images.shape(), ctx->input(1), &g));
    OP_REQUIRES_OK(ctx, ResizedShape(g, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() > 0) Resize(ctx, g, images, out);
  }

 private:
  // Fills `out`, which has elements.
  virtual void Resize(OpKernelContext* ctx, const ResizeGeometry& g,
                      const Tensor& images, Tensor* out) = 0;

  ResizeAttrs attrs_;
};

// The parts of an output position: kTaps input positions and their weights.
template <int kTaps>
struct ResizeTaps {
  int64_t at[kTaps];
  float weight[kTaps];
};

// Two neighbours; the second weight is the distance to the first.
struct LinearPlace {
  int64_t lower, upper;
  float distance;
};

inline LinearPlace LinearPlaceOf(const ResizeSide& side, int64_t x) {
  const float at = side.At(x);
  const float below = std::floor(at);
  LinearPlace place;
  place.upper = std::min(static_cast<int64_t>(std::ceil(at)), side.in - 1);
  place.lower = std::max<int64_t>(static_cast<int64_t>(below), 0);
  place.lower = std::min(place.lower, side.in - 1);
  place.upper = std::max<int64_t>(place.upper, 0);
  place.distance = at - below;
  return place;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_GEOMETRY_H_
