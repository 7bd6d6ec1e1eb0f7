// SPDX-License-Identifier: Apache-2.0
// Colours, drawn boxes, and parts of images.

#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/image_ops_shapes.h"

namespace tensorwright {
namespace {

using image_shapes::DimensionHandle;
using image_shapes::InferenceContext;
using image_shapes::Scalars;
using image_shapes::ShapeHandle;
using image_shapes::SizedImages;
using image_shapes::WithLast;

// images: [..., 3].
Status ColorSpaceShape(InferenceContext* c) {
  ShapeHandle images;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &images));
  if (c->RankKnown(images)) {
    TF_RETURN_IF_ERROR(WithLast(c, images, 3, &images));
  }
  c->set_output(0, images);
  return OkStatus();
}

// images: [..., height, width, channels], and scalars.
Status ContrastShape(InferenceContext* c) {
  ShapeHandle images;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &images));
  TF_RETURN_IF_ERROR(Scalars(c, 1, c->num_inputs() - 1));
  c->set_output(0, images);
  return OkStatus();
}

// images: [..., height, width, 3], and a scalar.
Status AdjustColorShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ContrastShape(c));
  ShapeHandle images = c->output(0);
  if (c->RankKnown(images)) {
    TF_RETURN_IF_ERROR(WithLast(c, images, 3, &images));
  }
  c->set_output(0, images);
  return OkStatus();
}

// images: [batch, height, width, 1, 3 or 4], boxes: [batch, boxes, 4], colors:
// [any, channels or more].
Status DrawShape(InferenceContext* c) {
  ShapeHandle images, boxes;
  DimensionHandle batch, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &boxes));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(images, 0), c->Dim(boxes, 0), &batch));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 2), 4, &unused));
  const DimensionHandle channels = c->Dim(images, 3);
  if (c->ValueKnown(channels) && c->Value(channels) != 1 &&
      c->Value(channels) != 3 && c->Value(channels) != 4) {
    return errors::InvalidArgument(
        "images must have 1 (grey), 3 (RGB) or 4 (RGBA) channels, got ",
        c->Value(channels));
  }
  if (c->num_inputs() == 3) {
    ShapeHandle colors;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &colors));
    const DimensionHandle has = c->Dim(colors, 1);
    if (c->ValueKnown(has) && c->ValueKnown(channels) &&
        c->Value(has) < c->Value(channels)) {
      return errors::InvalidArgument("colors must have ", c->Value(channels),
                                     " channels or more, as images have, got ",
                                     c->Value(has));
    }
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(images, 0, batch, &images));
  c->set_output(0, images);
  return OkStatus();
}

// input: [batch, height, width, channels], size: [2], offsets: [batch, 2].
Status GlimpseShape(InferenceContext* c) {
  bool uniform_noise = false;
  std::string noise;
  TF_RETURN_IF_ERROR(c->GetAttr("uniform_noise", &uniform_noise));
  TF_RETURN_IF_ERROR(c->GetAttr("noise", &noise));
  if (!noise.empty() && noise != "uniform" && noise != "gaussian" &&
      noise != "zero") {
    return errors::InvalidArgument(
        "noise must be uniform, gaussian or zero, got '", noise, "'");
  }
  if (uniform_noise && !noise.empty() && noise != "uniform") {
    return errors::InvalidArgument(
        "uniform_noise must be false where noise is '", noise, "'");
  }
  ShapeHandle input, offsets;
  DimensionHandle batch, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &offsets));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, 0), c->Dim(offsets, 0), &batch));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(offsets, 1), 2, &unused));
  return SizedImages(c, batch, 1, c->Dim(input, 3));
}

// image: [height, width, channels], size: int64 [2].
Status RandomCropShape(InferenceContext* c) {
  ShapeHandle image, size;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &image));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &size));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(size, 0), 2, &unused));
  DimensionHandle sides[2] = {c->UnknownDim(), c->UnknownDim()};
  const Tensor* value = c->input_tensor(1);
  for (int i = 0; value != nullptr && i < 2; ++i) {
    const int64_t side = value->base<int64_t>()[i];
    if (side < 0) {
      return errors::InvalidArgument("size must not be negative, got ", side);
    }
    sides[i] = c->MakeDim(side);
  }
  c->set_output(0, c->MakeShape({sides[0], sides[1], c->Dim(image, 2)}));
  return OkStatus();
}

}  // namespace

REGISTER_OP("AdjustContrast")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Input("min_value: float")
    .Input("max_value: float")
    .Output("output: float")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Deprecated(2, "Use AdjustContrastv2 instead")
    .SetShapeFn(ContrastShape)
    .Doc(
        "AdjustContrastv2 of images [..., height, width, channels], the "
        "result clipped to [min_value, max_value].");

REGISTER_OP("AdjustContrastv2")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .SetShapeFn(ContrastShape)
    .Doc(
        "(x - mean) * contrast_factor + mean, with the mean of each channel "
        "of each image: images [..., height, width, channels] -> the same "
        "shape.");

REGISTER_OP("AdjustHue")
    .Input("images: T")
    .Input("delta: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .SetShapeFn(AdjustColorShape)
    .Doc(
        "The colours of images [..., height, width, 3] with delta, in "
        "turns, added to the hue.");

REGISTER_OP("AdjustSaturation")
    .Input("images: T")
    .Input("scale: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .SetShapeFn(AdjustColorShape)
    .Doc(
        "The colours of images [..., height, width, 3] with the saturation "
        "multiplied by scale, to 1 at most.");

REGISTER_OP("RGBToHSV")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .SetShapeFn(ColorSpaceShape)
    .Doc(
        "Red, green and blue in [0, 1] as hue, saturation and value in [0, "
        "1]: [..., 3] -> [..., 3].");

REGISTER_OP("HSVToRGB")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .SetShapeFn(ColorSpaceShape)
    .Doc(
        "Hue, saturation and value in [0, 1] as red, green and blue in [0, "
        "1]: [..., 3] -> [..., 3].");

REGISTER_OP("DrawBoundingBoxes")
    .Input("images: T")
    .Input("boxes: float")
    .Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT")
    .SetShapeFn(DrawShape)
    .Doc(
        "images [batch, height, width, channels] with the edges of boxes "
        "[batch, n, 4] (top, left, bottom, right, as parts of the image) "
        "drawn over them.");

REGISTER_OP("DrawBoundingBoxesV2")
    .Input("images: T")
    .Input("boxes: float")
    .Input("colors: float")
    .Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT")
    .SetShapeFn(DrawShape)
    .Doc(
        "DrawBoundingBoxes in the colours [m, channels or more], in turn; "
        "where there are none, in ten of its own.");

REGISTER_OP("ExtractGlimpse")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Touches("chance unless noise=zero")
    .Needs("unbounded memory")
    .SetShapeFn(GlimpseShape)
    .Doc(
        "A window of each of input [batch, height, width, channels] about "
        "offsets [batch, 2] -> [batch, size[0], size[1], channels], noise "
        "where it is outside the image.");

REGISTER_OP("ExtractGlimpseV2")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Touches("chance unless noise=zero")
    .Needs("unbounded memory")
    .SetShapeFn(GlimpseShape)
    .Doc(
        "ExtractGlimpse with offsets in pixels that count from the centre "
        "where they are centered and not normalized.");

REGISTER_OP("RandomCrop")
    .Input("image: T")
    .Input("size: int64")
    .Output("output: T")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .Deprecated(8, "Random crop is now pure Python")
    .SetShapeFn(RandomCropShape)
    .Doc(
        "A part of image [height, width, channels] at a random place -> "
        "[size[0], size[1], channels].");

}  // namespace tensorwright
