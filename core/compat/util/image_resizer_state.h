// SPDX-License-Identifier: Apache-2.0
// The geometry of ops that resize images [batch, height, width, channels] to
// the height and width in a vector.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// The number of input pixels for an output pixel.
inline float CalculateResizeScale(int64_t in_size, int64_t out_size,
                                  bool align_corners) {
  return align_corners && out_size > 1
             ? static_cast<float>(in_size - 1) /
                   static_cast<float>(out_size - 1)
             : static_cast<float>(in_size) / static_cast<float>(out_size);
}

// The position of the centre of output pixel x, in input pixels.
struct HalfPixelScaler {
  float operator()(int x, float scale) const {
    return (static_cast<float>(x) + 0.5f) * scale - 0.5f;
  }
};
// The default of TensorFlow 1.x, in which pixels have no extent.
struct LegacyScaler {
  float operator()(int x, float scale) const {
    return static_cast<float>(x) * scale;
  }
};

namespace image_resizer_internal {

// Both states have the name of their op, for errors, and its attributes.
struct Resizing {
  const std::string& op;
  bool align_corners;
  bool half_pixel_centers;

  Status CheckAttributes() const {
    if (!(align_corners && half_pixel_centers)) return OkStatus();
    return errors::InvalidArgument(
        op, ": half_pixel_centers needs align_corners=False");
  }

  Status CheckImages(const char* name, const Tensor& images) const {
    if (images.dims() != 4) {
      return errors::InvalidArgument(op, ": ", name,
                                     " must have rank 4, got shape ",
                                     images.shape().DebugString());
    }
    constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();
    for (const int dim : {1, 2}) {
      const int64_t pixels = images.dim_size(dim);
      if (pixels > 0 && pixels < kEnd) continue;
      return errors::InvalidArgument(
          op, ": ", name,
          " must have from 1 to 2^31 - 2 rows and columns, got ", "shape ",
          images.shape().DebugString());
    }
    return OkStatus();
  }

  float Scale(int64_t in_size, int64_t out_size) const {
    return CalculateResizeScale(in_size, out_size, align_corners);
  }
};

}  // namespace image_resizer_internal

// Serves an op that resizes: inputs are images and a size [height, width]. The
// functions set the members, as far as the context's status is then OK.
struct ImageResizerState {
  explicit ImageResizerState(bool align_corners,
                             bool half_pixel_centers = false)
      : align_corners_(align_corners),
        half_pixel_centers_(half_pixel_centers) {}

  // Computes the geometry of images `input` and the size in input 1.
  void ValidateAndCalculateOutputSize(OpKernelContext* context,
                                      const Tensor& input) {
    OP_REQUIRES_OK(context, Calculate(context, input));
  }
  void ValidateAndCalculateOutputSize(OpKernelContext* context) {
    ValidateAndCalculateOutputSize(context, context->input(0));
  }

  // The same, and allocates output 0.
  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor& input) {
    OP_REQUIRES_OK(context, Calculate(context, input));
    const TensorShape shape({batch_size, out_height, out_width, channels});
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  }
  void ValidateAndCreateOutput(OpKernelContext* context) {
    ValidateAndCreateOutput(context, context->input(0));
  }

  int64_t batch_size;
  int64_t out_height;
  int64_t out_width;
  int64_t in_height;
  int64_t in_width;
  int64_t channels;
  float height_scale;
  float width_scale;
  Tensor* output = nullptr;

 private:
  Status Calculate(OpKernelContext* context, const Tensor& images) {
    const image_resizer_internal::Resizing resizing{
        context->op_kernel().type_string(), align_corners_,
        half_pixel_centers_};
    TF_RETURN_IF_ERROR(resizing.CheckAttributes());
    TF_RETURN_IF_ERROR(resizing.CheckImages("images", images));
    batch_size = images.dim_size(0);
    in_height = images.dim_size(1);
    in_width = images.dim_size(2);
    channels = images.dim_size(3);
    if (channels == 0) {
      return errors::InvalidArgument(resizing.op,
                                     ": images must have channels, got shape ",
                                     images.shape().DebugString());
    }
    const Tensor& size = context->input(1);
    if (size.dims() != 1 || size.dim_size(0) != 2) {
      return errors::InvalidArgument(resizing.op,
                                     ": size must have 2 elements, got shape ",
                                     size.shape().DebugString());
    }
    out_height = size.vec<int32_t>()(0);
    out_width = size.vec<int32_t>()(1);
    if (std::min(out_height, out_width) <= 0) {
      return errors::InvalidArgument(resizing.op, ": size must be > 0, got [",
                                     out_height, ",", out_width, "]");
    }
    height_scale = resizing.Scale(in_height, out_height);
    width_scale = resizing.Scale(in_width, out_width);
    return OkStatus();
  }

  const bool align_corners_;
  const bool half_pixel_centers_;
};

// For the op that takes gradients back: its inputs are the gradient and the
// images.
struct ImageResizerGradientState {
  explicit ImageResizerGradientState(bool align_corners,
                                     bool half_pixel_centers = false)
      : align_corners_(align_corners),
        half_pixel_centers_(half_pixel_centers) {}

  // Computes the geometry, and allocates output 0 of the images' size.
  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor& input,
                               const Tensor& original_image) {
    OP_REQUIRES_OK(context, Calculate(context, input, original_image));
    const TensorShape shape(
        {batch_size, original_height, original_width, channels});
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  }
  void ValidateAndCreateOutput(OpKernelContext* context) {
    ValidateAndCreateOutput(context, context->input(0), context->input(1));
  }

  int64_t batch_size;
  int64_t channels;
  int64_t resized_height;
  int64_t resized_width;
  int64_t original_height;
  int64_t original_width;
  float height_scale;
  float width_scale;
  Tensor* output = nullptr;

 private:
  Status Calculate(OpKernelContext* context, const Tensor& gradient,
                   const Tensor& images) {
    const image_resizer_internal::Resizing resizing{
        context->op_kernel().type_string(), align_corners_,
        half_pixel_centers_};
    TF_RETURN_IF_ERROR(resizing.CheckAttributes());
    TF_RETURN_IF_ERROR(resizing.CheckImages("gradient", gradient));
    TF_RETURN_IF_ERROR(resizing.CheckImages("images", images));
    batch_size = gradient.dim_size(0);
    resized_height = gradient.dim_size(1);
    resized_width = gradient.dim_size(2);
    channels = gradient.dim_size(3);
    original_height = images.dim_size(1);
    original_width = images.dim_size(2);
    height_scale = resizing.Scale(original_height, resized_height);
    width_scale = resizing.Scale(original_width, resized_width);
    return OkStatus();
  }

  const bool align_corners_;
  const bool half_pixel_centers_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_
