// SPDX-License-Identifier: Apache-2.0
// Ops that resize images, and ops that take gradients back through that.

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

Status CheckCorners(InferenceContext* c) {
  bool align_corners = false, half_pixel_centers = false;
  TF_RETURN_IF_ERROR(c->GetAttr("align_corners", &align_corners));
  TF_RETURN_IF_ERROR(c->GetAttr("half_pixel_centers", &half_pixel_centers));
  if (align_corners && half_pixel_centers) {
    return errors::InvalidArgument(
        "align_corners must be false where half_pixel_centers is true");
  }
  return OkStatus();
}

// images: [batch, height, width, channels], size: [2].
Status ResizeShape(InferenceContext* c) {
  ShapeHandle images;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  return SizedImages(c, c->Dim(images, 0), 1, c->Dim(images, 3));
}

Status ResizeCentersShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckCorners(c));
  return ResizeShape(c);
}

Status QuantizedResizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ResizeCentersShape(c));
  TF_RETURN_IF_ERROR(Scalars(c, 2, 3));
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

// grads: [batch, new height, new width, channels], original_image: [batch,
// height, width, channels] -> like original_image.
Status ResizeGradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckCorners(c));
  ShapeHandle grads, image;
  DimensionHandle batch, channels;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &grads));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &image));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 0), c->Dim(image, 0), &batch));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 3), c->Dim(image, 3), &channels));
  c->set_output(
      0, c->MakeShape({batch, c->Dim(image, 1), c->Dim(image, 2), channels}));
  return OkStatus();
}

// scale, translation: [2].
Status CheckPair(InferenceContext* c, int input) {
  ShapeHandle vector;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &vector));
  return c->WithValue(c->Dim(vector, 0), 2, &unused);
}

Status ScaleAndTranslateShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ResizeShape(c));
  TF_RETURN_IF_ERROR(CheckPair(c, 2));
  return CheckPair(c, 3);
}

Status ScaleAndTranslateGradShape(InferenceContext* c) {
  ShapeHandle grads, image;
  DimensionHandle batch, channels;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &grads));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &image));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 0), c->Dim(image, 0), &batch));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 3), c->Dim(image, 3), &channels));
  TF_RETURN_IF_ERROR(CheckPair(c, 2));
  TF_RETURN_IF_ERROR(CheckPair(c, 3));
  c->set_output(
      0, c->MakeShape({batch, c->Dim(image, 1), c->Dim(image, 2), channels}));
  return OkStatus();
}

// images: [batch, height, width, channels], transforms: [batch or 1, 8],
// output_shape: [2].
Status ProjectiveShape(InferenceContext* c) {
  ShapeHandle images, transforms;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &transforms));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(transforms, 1), 8, &unused));
  const DimensionHandle batch = c->Dim(images, 0);
  const DimensionHandle many = c->Dim(transforms, 0);
  if (c->ValueKnown(many) && c->Value(many) != 1) {
    TF_RETURN_IF_ERROR(c->Merge(batch, many, &unused));
  }
  return SizedImages(c, batch, 2, c->Dim(images, 3));
}

Status ProjectiveFillShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Scalars(c, 3, 3));
  return ProjectiveShape(c);
}

}  // namespace

REGISTER_OP("ResizeArea")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr(
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}")
    .Attr("align_corners: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(ResizeShape)
    .Doc(
        "images [batch, height, width, channels] -> [batch, size[0], size[1], "
        "channels]: the mean of the area that a new pixel covers.");

REGISTER_OP("ResizeBicubic")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr(
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(ResizeCentersShape)
    .Doc(
        "images [batch, height, width, channels] -> [batch, size[0], size[1], "
        "channels]: a cubic curve through 4 x 4 pixels.");

REGISTER_OP("ResizeBicubicGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .SetShapeFn(ResizeGradShape)
    .Doc(
        "The gradient of ResizeBicubic by its images: grads [batch, new "
        "height, new width, channels] -> like original_image.");

REGISTER_OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr(
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, "
        "double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(ResizeCentersShape)
    .Doc(
        "images [batch, height, width, channels] -> [batch, size[0], size[1], "
        "channels]: between the 2 x 2 nearest pixels by their distances.");

REGISTER_OP("ResizeBilinearGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, bfloat16, half, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .SetShapeFn(ResizeGradShape)
    .Doc(
        "The gradient of ResizeBilinear by its images: grads [batch, new "
        "height, new width, channels] -> like original_image.");

REGISTER_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr(
        "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, "
        "bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(ResizeCentersShape)
    .Doc(
        "images [batch, height, width, channels] -> [batch, size[0], size[1], "
        "channels]: the nearest pixel.");

REGISTER_OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(ResizeCentersShape)
    .Doc(
        "The gradient of ResizeNearestNeighbor by its images: grads [batch, "
        "new height, new width, channels] -> [batch, size[0], size[1], "
        "channels].");

REGISTER_OP("QuantizedResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Input("min: float")
    .Input("max: float")
    .Output("resized_images: T")
    .Output("out_min: float")
    .Output("out_max: float")
    .Attr("T: {quint8, qint32, float}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(QuantizedResizeShape)
    .Doc(
        "ResizeBilinear of images whose codes stand for the numbers from min "
        "to max: [batch, height, width, channels] -> [batch, size[0], "
        "size[1], channels] of the same range.");

REGISTER_OP("ScaleAndTranslate")
    .Input("images: T")
    .Input("size: int32")
    .Input("scale: float")
    .Input("translation: float")
    .Output("resized_images: float")
    .Attr(
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, "
        "double}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .Needs("unbounded memory")
    .SetShapeFn(ScaleAndTranslateShape)
    .Doc(
        "images [batch, height, width, channels], scaled by scale [2] and "
        "moved by translation [2] -> [batch, size[0], size[1], channels], by "
        "the weights of a kernel.");

REGISTER_OP("ScaleAndTranslateGrad")
    .Input("grads: T")
    .Input("original_image: T")
    .Input("scale: float")
    .Input("translation: float")
    .Output("output: T")
    .Attr("T: {float}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .SetShapeFn(ScaleAndTranslateGradShape)
    .Doc(
        "The gradient of ScaleAndTranslate by its images: grads [batch, new "
        "height, new width, channels] -> like original_image.");

REGISTER_OP("ImageProjectiveTransformV2")
    .Input("images: dtype")
    .Input("transforms: float32")
    .Input("output_shape: int32")
    .Output("transformed_images: dtype")
    .Attr("dtype: {uint8, int32, int64, half, bfloat16, float32, float64}")
    .Attr("interpolation: string")
    .Attr("fill_mode: string = 'CONSTANT'")
    .Needs("unbounded memory")
    .SetShapeFn(ProjectiveShape)
    .Doc(
        "images [batch, height, width, channels] seen through transforms "
        "[batch or 1, 8], of which a row [a0, a1, a2, b0, b1, b2, c0, c1] "
        "takes output (x, y) to input ((a0 x + a1 y + a2) / k, (b0 x + b1 y + "
        "b2) / k), k = c0 x + c1 y + 1 -> [batch, output_shape[0], "
        "output_shape[1], channels].");

REGISTER_OP("ImageProjectiveTransformV3")
    .Input("images: dtype")
    .Input("transforms: float32")
    .Input("output_shape: int32")
    .Input("fill_value: float32")
    .Output("transformed_images: dtype")
    .Attr("dtype: {uint8, int32, int64, half, bfloat16, float32, float64}")
    .Attr("interpolation: string")
    .Attr("fill_mode: string = 'CONSTANT'")
    .Needs("unbounded memory")
    .SetShapeFn(ProjectiveFillShape)
    .Doc(
        "ImageProjectiveTransformV2 with fill_value where CONSTANT fill finds "
        "no pixel.");

}  // namespace tensorwright
