// SPDX-License-Identifier: Apache-2.0
// FusedPadConv2D and FusedResizeAndPadConv2D: they resize images bilinearly and
// mirror them at their edges, then convolve them.
//
// The kernel makes the convolution's image in one buffer at once: it writes the
// resized pixels to their places in the padded image, and copies them from
// there into the edges.  The convolution is Conv2D's.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

// A dimension with `size` elements in the middle and mirror images of at most
// size - skip of them on both sides; skip is 1 if the edge itself is not
// repeated (REFLECT).
struct MirroredDim {
  int64_t before = 0, size = 0, after = 0, skip = 0;

  int64_t padded() const { return before + size + after; }

  // Fills the edges of `data`, which consists of blocks of `block` elements;
  // the blocks in the middle must be there.
  template <typename T>
  void Mirror(T* data, int64_t block) const {
    T* middle = data + before * block;
    for (int64_t i = 0; i < before; ++i) {
      std::copy_n(middle + (i + skip) * block, block, middle - (i + 1) * block);
    }
    T* end = middle + size * block;
    for (int64_t i = 0; i < after; ++i) {
      std::copy_n(end - (i + 1 + skip) * block, block, end + i * block);
    }
  }
};

// Batch, rows, columns, channels.
using MirroredImage = std::array<MirroredDim, 4>;

int64_t Padded(const MirroredImage& image, int from) {
  int64_t n = 1;
  for (int i = from; i < 4; ++i) n *= image[i].padded();
  return n;
}

// paddings: int32 [4, 2].
Status ReadPaddings(const std::string& op, const Tensor& paddings,
                    MirroredImage* image, TensorShape* padded) {
  if (paddings.dims() != 2 || paddings.dim_size(0) != 4 ||
      paddings.dim_size(1) != 2) {
    return errors::InvalidArgument(
        op, ": paddings must be a matrix of 4 rows and 2 columns, got shape ",
        paddings.shape().DebugString());
  }
  for (int i = 0; i < 4; ++i) {
    MirroredDim& dim = (*image)[i];
    dim.before = paddings.base<int32_t>()[2 * i];
    dim.after = paddings.base<int32_t>()[2 * i + 1];
    if (dim.before < 0 || dim.after < 0) {
      return errors::InvalidArgument(op,
                                     ": paddings must be non-negative, got ",
                                     dim.before, " and ", dim.after);
    }
    const int64_t most = std::max<int64_t>(dim.size - dim.skip, 0);
    if (dim.before > most || dim.after > most) {
      return errors::InvalidArgument(op, ": paddings must be no greater than ",
                                     most, " in dimension ", i, ", got ",
                                     dim.before, " and ", dim.after);
    }
    TF_RETURN_IF_ERROR(padded->AddDimWithStatus(dim.padded()));
  }
  return OkStatus();
}

// The two input positions between which an output position lies.
struct Place {
  int64_t lower, upper;
  float distance;  // The distance from `lower`.
};

// One side of a resized image, which spreads `out` positions over `in`
// positions.
struct ResizedSide {
  int64_t in = 0, out = 0;
  float scale = 0;

  ResizedSide() = default;
  ResizedSide(int64_t in_size, int64_t out_size, bool align_corners)
      : in(in_size),
        out(out_size),
        scale(align_corners && out > 1
                  ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                  : static_cast<float>(in) / static_cast<float>(out)) {}

  Place At(int64_t i) const {
    const float at = static_cast<float>(i) * scale;
    const int64_t lower = std::min(static_cast<int64_t>(at), in - 1);
    const float distance = at - static_cast<float>(lower);
    // At distance 0 the next position is not read, because it would only be
    // multiplied by 0.
    return {lower, std::min(lower + (distance > 0 ? 1 : 0), in - 1), distance};
  }
};

// The type in which pixels are mixed.
template <typename T>
using MixReal = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Mixes pixels of `channels` elements, `step` apart.
template <typename T>
void MixRow(const T* top, const T* bottom, float y, const ResizedSide& columns,
            int64_t channels, int64_t step, T* to) {
  using Real = MixReal<T>;
  for (int64_t p = 0; p < columns.out; ++p, to += step) {
    const Place place = columns.At(p);
    const T *a = top + place.lower * channels,
            *b = top + place.upper * channels;
    const T* c = bottom + place.lower * channels;
    const T* d = bottom + place.upper * channels;
    const Real x = place.distance;
    for (int64_t i = 0; i < channels; ++i) {
      const Real left = static_cast<Real>(a[i]), low = static_cast<Real>(c[i]);
      const Real above = left + (static_cast<Real>(b[i]) - left) * x;
      const Real below = low + (static_cast<Real>(d[i]) - low) * x;
      to[i] = static_cast<T>(above + (below - above) * static_cast<Real>(y));
    }
  }
}

// How the input becomes the middle of the padded image.
struct Transform {
  int64_t in_rows, in_cols, channels;
  bool resizes = false;
  ResizedSide rows, columns;  // Used if it resizes.
};

// Writes row `r` of the middle of image `n`.
template <typename T>
void WriteRow(const Transform& from, const MirroredImage& image, const T* input,
              int64_t n, int64_t r, T* to) {
  const int64_t in_row = from.in_cols * from.channels;
  const T* pixels = input + n * from.in_rows * in_row;
  const int64_t step = image[3].padded();
  if (from.resizes) {
    const Place place = from.rows.At(r);
    MixRow(pixels + place.lower * in_row, pixels + place.upper * in_row,
           place.distance, from.columns, from.channels, step, to);
  } else if (step == from.channels) {
    std::copy_n(pixels + r * in_row, in_row, to);
  } else {
    for (int64_t x = 0; x < from.in_cols; ++x) {
      std::copy_n(pixels + r * in_row + x * from.channels, from.channels,
                  to + x * step);
    }
  }
}

template <typename T>
void MakeImage(OpKernelContext* ctx, const Transform& from,
               const MirroredImage& image, const T* input, T* padded) {
  const MirroredDim &batch = image[0], &rows = image[1];
  const MirroredDim &cols = image[2], &channels = image[3];
  const int64_t whole = Padded(image, 1), row = Padded(image, 2);
  const int64_t pixel = Padded(image, 3);
  T* middle = padded + batch.before * whole;
  ParallelFor(ctx, batch.size * rows.size, row * (from.resizes ? 8 : 1),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t n = i / rows.size, r = i % rows.size;
                  T* to = middle + n * whole + (rows.before + r) * row;
                  T* first = to + cols.before * pixel;
                  WriteRow(from, image, input, n, r, first + channels.before);
                  if (pixel != channels.size) {
                    for (int64_t x = 0; x < cols.size; ++x) {
                      channels.Mirror(first + x * pixel, 1);
                    }
                  }
                  cols.Mirror(to, pixel);
                }
              });
  ParallelFor(ctx, batch.size, row * (rows.before + rows.after) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t n = begin; n < end; ++n) {
                  rows.Mirror(middle + n * whole, row);
                }
              });
  batch.Mirror(padded, whole);
}

// The inputs are image, size if kResizes, paddings and filter.
template <typename T, bool kResizes>
class FusedImageConv2D : public OpKernel,
                         public OneDnnUnlessWide<T, dnnl::convolution_forward> {
 public:
  explicit FusedImageConv2D(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
    std::string mode;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mode", &mode));
    skip_ = mode == "REFLECT" ? 1 : 0;
    if (kResizes) {
      OP_REQUIRES_OK(ctx,
                     ctx->GetAttr("resize_align_corners", &align_corners_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(kResizes ? 3 : 2);
    Transform transform;
    MirroredImage image;
    OP_REQUIRES_OK(ctx, ReadTransform(ctx, input, &transform, &image));
    TensorShape padded_shape;
    OP_REQUIRES_OK(ctx, ReadPaddings(attrs_.op, ctx->input(kResizes ? 2 : 1),
                                     &image, &padded_shape));
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, padded_shape,
                                                filter.shape(), &dims));
    OP_REQUIRES(ctx, dims.in_depth == filter.dim_size(2),
                errors::InvalidArgument(
                    attrs_.op, ": input and filter must have the same depth: ",
                    dims.in_depth, " vs ", filter.dim_size(2)));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if (!kResizes && padded_shape == input.shape()) {
      OP_REQUIRES_OK(ctx, RunConvForward<T>(ctx, dims, input, filter, output));
    } else {
      OP_REQUIRES_OK(ctx, ConvolveInPieces(ctx, transform, image, padded_shape,
                                           dims, input, filter, output));
    }
  }

 private:
  // Reads the sizes of the middle and the places from which its pixels come.
  Status ReadTransform(OpKernelContext* ctx, const Tensor& input,
                       Transform* transform, MirroredImage* image) const {
    if (input.dims() != 4) {
      return errors::InvalidArgument(attrs_.op,
                                     ": input must be 4-dimensional, got ",
                                     input.shape().DebugString());
    }
    for (int i = 0; i < 4; ++i) {
      (*image)[i].size = input.dim_size(i);
      (*image)[i].skip = skip_;
    }
    transform->in_rows = input.dim_size(1);
    transform->in_cols = input.dim_size(2);
    transform->channels = input.dim_size(3);
    if (!kResizes) return OkStatus();
    const Tensor& size = ctx->input(1);
    if (size.dims() != 1 || size.dim_size(0) != 2) {
      return errors::InvalidArgument(attrs_.op,
                                     ": size must have two elements, got ",
                                     size.shape().DebugString());
    }
    const int64_t rows = size.base<int32_t>()[0];
    const int64_t cols = size.base<int32_t>()[1];
    if (rows <= 0 || cols <= 0) {
      return errors::InvalidArgument(
          attrs_.op, ": output dimensions must be positive, got size ", rows,
          " and ", cols);
    }
    if (transform->in_rows == 0 || transform->in_cols == 0) {
      return errors::InvalidArgument(attrs_.op,
                                     ": input must have pixels, got shape ",
                                     input.shape().DebugString());
    }
    (*image)[1].size = rows;
    (*image)[2].size = cols;
    transform->resizes = true;
    transform->rows = ResizedSide(transform->in_rows, rows, align_corners_);
    transform->columns = ResizedSide(transform->in_cols, cols, align_corners_);
    return OkStatus();
  }

  // Convolves a few images at a time, so that the convolution reads the padded
  // images from the cache.
  static Status ConvolveInPieces(OpKernelContext* ctx,
                                 const Transform& transform,
                                 MirroredImage image, TensorShape shape,
                                 Conv2DDimensions dims, const Tensor& input,
                                 const Tensor& filter, Tensor* output) {
    constexpr int64_t kPieceBytes = 1 << 20;
    const int64_t images = shape.dim_size(0);
    const int64_t bytes = std::max<int64_t>(
        Padded(image, 1) * static_cast<int64_t>(sizeof(T)), 1);
    // Images that mirror other images need all of them in one piece.
    const bool is_whole = image[0].padded() != image[0].size;
    const int64_t most =
        is_whole ? images
                 : std::clamp<int64_t>(kPieceBytes / bytes + 1, 1, images);
    const int64_t in_image =
        input.NumElements() / std::max<int64_t>(input.dim_size(0), 1);
    Tensor room;
    shape.set_dim(0, most);
    TF_RETURN_IF_ERROR(ctx->allocate_temp(input.dtype(), shape, &room));
    for (int64_t begin = 0; begin < images; begin += most) {
      const int64_t end = std::min(begin + most, images);
      Tensor padded = end - begin == most ? room : room.Slice(0, end - begin);
      if (!is_whole) image[0].size = end - begin;
      dims.batch = end - begin;
      if (padded.NumElements() > 0) {
        MakeImage<T>(ctx, transform, image, input.base<T>() + begin * in_image,
                     padded.base<T>());
      }
      Tensor part = dims.batch == images ? *output : output->Slice(begin, end);
      TF_RETURN_IF_ERROR(RunConvForward<T>(ctx, dims, padded, filter, &part));
    }
    return OkStatus();
  }

  WindowAttrs attrs_;
  int64_t skip_ = 0;
  bool align_corners_ = false;
};

}  // namespace

template <typename T>
using FusedPadConv2DOp = FusedImageConv2D<T, false>;
template <typename T>
using FusedResizeAndPadConv2DOp = FusedImageConv2D<T, true>;

REGISTER_KERNEL_FOR_TYPES(Name("FusedPadConv2D").Device(DEVICE_CPU), "T",
                          FusedPadConv2DOp, float, Eigen::half, Eigen::bfloat16,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("FusedResizeAndPadConv2D").Device(DEVICE_CPU),
                          "T", FusedResizeAndPadConv2DOp, float, Eigen::half,
                          double);

}  // namespace tensorwright
