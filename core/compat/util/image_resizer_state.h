// SPDX-License-Identifier: Apache-2.0
// The geometry of ops that resize images: [batch, height, width, channels] and
// a vector of the new height and width.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// Input pixels an output pixel.
inline float CalculateResizeScale(int64_t in_size, int64_t out_size,
                                  bool align_corners) {
  return align_corners && out_size > 1
             ? static_cast<float>(in_size - 1) /
                   static_cast<float>(out_size - 1)
             : static_cast<float>(in_size) / static_cast<float>(out_size);
}

// Where the centre of output pixel x is, in input pixels.
struct HalfPixelScaler {
  float operator()(int x, float scale) const {
    return (static_cast<float>(x) + 0.5f) * scale - 0.5f;
  }
};
// As TensorFlow 1.x has it by default: pixels have no extent.
struct LegacyScaler {
  float operator()(int x, float scale) const {
    return static_cast<float>(x) * scale;
  }
};

struct ImageResizerState {
  explicit ImageResizerState(bool align_corners,
                             bool half_pixel_centers = false)
      : align_corners_(align_corners),
        half_pixel_centers_(half_pixel_centers) {}

  // Checks inputs 0 (images) and 1 (size) and computes the geometry; sets the
  // context's status if they are bad.
  void ValidateAndCalculateOutputSize(OpKernelContext* context,
                                      const Tensor& input) {
    const std::string& op = context->op_kernel().type_string();
    OP_REQUIRES(context, !half_pixel_centers_ || !align_corners_,
                errors::InvalidArgument(
                    op, ": half_pixel_centers needs align_corners=False"));
    OP_REQUIRES(
        context, input.dims() == 4,
        errors::InvalidArgument(op, ": images must have rank 4, got shape ",
                                input.shape().DebugString()));
    const Tensor& size = context->input(1);
    OP_REQUIRES(context, size.dims() == 1 && size.NumElements() == 2,
                errors::InvalidArgument(op, ": size must have 2 elements, got ",
                                        size.shape().DebugString()));
    batch_size = input.dim_size(0);
    in_height = input.dim_size(1);
    in_width = input.dim_size(2);
    channels = input.dim_size(3);
    out_height = size.vec<int32_t>()(0);
    out_width = size.vec<int32_t>()(1);
    OP_REQUIRES(context, out_height > 0 && out_width > 0,
                errors::InvalidArgument(op, ": size must be > 0, got [",
                                        out_height, ",", out_width, "]"));
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    OP_REQUIRES(context,
                channels > 0 && in_height > 0 && in_width > 0 &&
                    in_height < kMax && in_width < kMax,
                errors::InvalidArgument(
                    op, ": images must have pixels and channels, got shape ",
                    input.shape().DebugString()));
    height_scale = CalculateResizeScale(in_height, out_height, align_corners_);
    width_scale = CalculateResizeScale(in_width, out_width, align_corners_);
  }

  void ValidateAndCalculateOutputSize(OpKernelContext* context) {
    ValidateAndCalculateOutputSize(context, context->input(0));
  }
  // And allocates output 0.
  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor& input) {
    ValidateAndCalculateOutputSize(context, input);
    if (!context->status().ok()) return;
    OP_REQUIRES_OK(
        context,
        context->allocate_output(
            0, TensorShape({batch_size, out_height, out_width, channels}),
            &output));
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
  const bool align_corners_;
  const bool half_pixel_centers_;
};

// Of the op that takes gradients back: inputs are the gradient and the images.
struct ImageResizerGradientState {
  explicit ImageResizerGradientState(bool align_corners,
                                     bool half_pixel_centers = false)
      : align_corners_(align_corners),
        half_pixel_centers_(half_pixel_centers) {}

  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor& input,
                               const Tensor& original_image) {
    const std::string& op = context->op_kernel().type_string();
    OP_REQUIRES(context, !half_pixel_centers_ || !align_corners_,
                errors::InvalidArgument(
                    op, ": half_pixel_centers needs align_corners=False"));
    OP_REQUIRES(context, input.dims() == 4 && original_image.dims() == 4,
                errors::InvalidArgument(
                    op, ": gradient and images must have rank 4, got shapes ",
                    input.shape().DebugString(), " and ",
                    original_image.shape().DebugString()));
    batch_size = input.dim_size(0);
    channels = input.dim_size(3);
    resized_height = input.dim_size(1);
    resized_width = input.dim_size(2);
    original_height = original_image.dim_size(1);
    original_width = original_image.dim_size(2);
    OP_REQUIRES(context,
                resized_height > 0 && resized_width > 0 &&
                    original_height > 0 && original_width > 0,
                errors::InvalidArgument(op, ": images without pixels"));
    height_scale =
        CalculateResizeScale(original_height, resized_height, align_corners_);
    width_scale =
        CalculateResizeScale(original_width, resized_width, align_corners_);
    OP_REQUIRES_OK(context, context->allocate_output(
                                0,
                                TensorShape({batch_size, original_height,
                                             original_width, channels}),
                                &output));
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
  const bool align_corners_;
  const bool half_pixel_centers_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_IMAGE_RESIZER_STATE_H_
