// SPDX-License-Identifier: Apache-2.0
// Boxes in images: crops, the best of many, random ones.

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

// boxes: [n, 4], box_ind: [n]; they are inputs `boxes` and `boxes` + 1.
Status BoxCount(InferenceContext* c, int boxes, DimensionHandle* n) {
  ShapeHandle corners, indices;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(boxes), 2, &corners));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(boxes + 1), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(corners, 1), 4, &unused));
  return c->Merge(c->Dim(corners, 0), c->Dim(indices, 0), n);
}

// image: [batch, height, width, depth], boxes, box_ind, crop_size [2].
Status CropAndResizeShape(InferenceContext* c) {
  ShapeHandle image;
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TF_RETURN_IF_ERROR(BoxCount(c, 1, &n));
  return SizedImages(c, n, 3, c->Dim(image, 3));
}

// grads: [n, crop height, crop width, depth], boxes, box_ind, image_size [4].
Status CropAndResizeGradImageShape(InferenceContext* c) {
  ShapeHandle grads, image;
  DimensionHandle n, depth;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &grads));
  TF_RETURN_IF_ERROR(BoxCount(c, 1, &n));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 0), n, &n));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(3, &image));
  TF_RETURN_IF_ERROR(c->WithRank(image, 4, &image));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 3), c->Dim(image, 3), &depth));
  TF_RETURN_IF_ERROR(c->ReplaceDim(image, 3, depth, &image));
  c->set_output(0, image);
  return OkStatus();
}

// grads, image: [batch, height, width, depth], boxes, box_ind -> [n, 4].
Status CropAndResizeGradBoxesShape(InferenceContext* c) {
  ShapeHandle grads, image;
  DimensionHandle n, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &grads));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &image));
  TF_RETURN_IF_ERROR(BoxCount(c, 2, &n));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 0), n, &n));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grads, 3), c->Dim(image, 3), &unused));
  c->set_output(0, c->Matrix(n, 4));
  return OkStatus();
}

// boxes: [n, 4], or overlaps: [n, n]; scores: [n]; then scalars.
Status CheckBoxesAndScores(InferenceContext* c, bool overlaps) {
  ShapeHandle boxes, scores;
  DimensionHandle n, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &boxes));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &scores));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 0), c->Dim(scores, 0), &n));
  const DimensionHandle columns = c->Dim(boxes, 1);
  TF_RETURN_IF_ERROR(overlaps ? c->Merge(columns, n, &unused)
                              : c->WithValue(columns, 4, &unused));
  return Scalars(c, 2, c->num_inputs() - 1);
}

Status SuppressShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckBoxesAndScores(c, /*overlaps=*/false));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

Status SuppressOverlapsShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckBoxesAndScores(c, /*overlaps=*/true));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// The number of outputs: as many as were asked for, if padded.
Status SelectedCount(InferenceContext* c, DimensionHandle* n) {
  bool pad = false;
  TF_RETURN_IF_ERROR(c->GetAttr("pad_to_max_output_size", &pad));
  if (pad) return c->MakeDimForScalarInput(2, n);
  *n = c->UnknownDim();
  return OkStatus();
}

Status SuppressPaddedShape(InferenceContext* c) {
  DimensionHandle n;
  TF_RETURN_IF_ERROR(CheckBoxesAndScores(c, /*overlaps=*/false));
  TF_RETURN_IF_ERROR(SelectedCount(c, &n));
  c->set_output(0, c->Vector(n));
  c->set_output(1, c->Scalar());
  return OkStatus();
}

Status SuppressSoftShape(InferenceContext* c) {
  DimensionHandle n;
  TF_RETURN_IF_ERROR(CheckBoxesAndScores(c, /*overlaps=*/false));
  TF_RETURN_IF_ERROR(SelectedCount(c, &n));
  c->set_output(0, c->Vector(n));
  c->set_output(1, c->Vector(n));
  c->set_output(2, c->Scalar());
  return OkStatus();
}

// The number of detections of an image.
Status DetectionCount(InferenceContext* c, DimensionHandle classes,
                      DimensionHandle* n) {
  bool pad_per_class = false;
  TF_RETURN_IF_ERROR(c->GetAttr("pad_per_class", &pad_per_class));
  DimensionHandle total, per_class;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(3, &total));
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &per_class));
  if (c->ValueKnown(total) && c->Value(total) == 0) {
    return errors::InvalidArgument("max_total_size must be > 0, got 0");
  }
  if (c->ValueKnown(per_class) && c->Value(per_class) == 0) {
    return errors::InvalidArgument(
        "max_output_size_per_class must be > 0, got 0");
  }
  *n = total;
  if (!pad_per_class) return OkStatus();
  DimensionHandle all;
  TF_RETURN_IF_ERROR(c->Multiply(per_class, classes, &all));
  return c->Min(total, all, n);
}

// boxes: [batch, n, 1 or classes, 4], scores: [batch, n, classes], scalars.
Status CombinedSuppressShape(InferenceContext* c) {
  ShapeHandle boxes, scores;
  DimensionHandle batch, unused, n;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &boxes));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &scores));
  TF_RETURN_IF_ERROR(Scalars(c, 2, 5));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 0), c->Dim(scores, 0), &batch));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 1), c->Dim(scores, 1), &unused));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 3), 4, &unused));
  const DimensionHandle classes = c->Dim(scores, 2), own = c->Dim(boxes, 2);
  if (c->ValueKnown(own) && c->Value(own) != 1) {
    TF_RETURN_IF_ERROR(c->Merge(own, classes, &unused));
  }
  TF_RETURN_IF_ERROR(DetectionCount(c, classes, &n));
  c->set_output(0, c->MakeShape({batch, n, c->MakeDim(4)}));
  c->set_output(1, c->Matrix(batch, n));
  c->set_output(2, c->Matrix(batch, n));
  c->set_output(3, c->Vector(batch));
  return OkStatus();
}

// image_size: [3], bounding_boxes: [batch, n, 4], min_object_covered: a scalar,
// seed: [2].
Status DistortedBoxShape(InferenceContext* c) {
  ShapeHandle size, boxes;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &size));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(size, 0), 3, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &boxes));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 2), 4, &unused));
  if (c->num_inputs() > 2) TF_RETURN_IF_ERROR(Scalars(c, 2, 2));
  if (c->num_inputs() > 3) {
    ShapeHandle seed;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &seed));
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(seed, 0), 2, &unused));
  }
  c->set_output(0, c->Vector(3));
  c->set_output(1, c->Vector(3));
  c->set_output(2, c->MakeShape({1, 1, 4}));
  return OkStatus();
}

}  // namespace

REGISTER_OP("CropAndResize")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("crop_size: int32")
    .Output("crops: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Attr("extrapolation_value: float = 0")
    .Needs("unbounded memory")
    .SetShapeFn(CropAndResizeShape)
    .Doc(
        "The parts boxes [n, 4] (top, left, bottom, right, of the image's "
        "size less 1) of image [batch, height, width, depth], each of the "
        "image box_ind [n] says, resized: [n, crop_size[0], crop_size[1], "
        "depth].");

REGISTER_OP("CropAndResizeGradImage")
    .Input("grads: float")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("image_size: int32")
    .Output("output: T")
    .Attr("T: {float, half, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Needs("unbounded memory")
    .SetShapeFn(CropAndResizeGradImageShape)
    .Doc(
        "The gradient of CropAndResize by its image: grads [n, crop height, "
        "crop width, depth] -> image_size.");

REGISTER_OP("CropAndResizeGradBoxes")
    .Input("grads: float")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Output("output: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear'} = 'bilinear'")
    .SetShapeFn(CropAndResizeGradBoxesShape)
    .Doc(
        "The gradient of CropAndResize by its boxes: grads [n, crop height, "
        "crop width, depth] -> [n, 4].");

REGISTER_OP("NonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Output("selected_indices: int32")
    .Attr("iou_threshold: float = 0.5")
    .SetShapeFn(SuppressShape)
    .Doc(
        "Of boxes [n, 4] in the order of their scores [n], those that share "
        "no more than iou_threshold of their area with one before: indices "
        "[max_output_size or fewer].");

REGISTER_OP("NonMaxSuppressionV2")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .SetShapeFn(SuppressShape)
    .Doc("NonMaxSuppression with the threshold as an input.");

REGISTER_OP("NonMaxSuppressionV3")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .SetShapeFn(SuppressShape)
    .Doc("NonMaxSuppressionV2 of the boxes with scores > score_threshold.");

REGISTER_OP("NonMaxSuppressionV4")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SuppressPaddedShape)
    .Doc(
        "NonMaxSuppressionV3 with the number of boxes; the indices can be "
        "padded with 0 to max_output_size.");

REGISTER_OP("NonMaxSuppressionV5")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T")
    .Input("score_threshold: T")
    .Input("soft_nms_sigma: T")
    .Output("selected_indices: int32")
    .Output("selected_scores: T")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SuppressSoftShape)
    .Doc(
        "NonMaxSuppressionV4 that, for a positive soft_nms_sigma, lowers the "
        "scores of boxes that overlap instead of leaving them out (Bodla et "
        "al., 'Soft-NMS').");

REGISTER_OP("NonMaxSuppressionWithOverlaps")
    .Input("overlaps: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Input("overlap_threshold: float")
    .Input("score_threshold: float")
    .Output("selected_indices: int32")
    .SetShapeFn(SuppressOverlapsShape)
    .Doc(
        "NonMaxSuppressionV3 of n boxes, of which overlaps [n, n] says how "
        "alike two are.");

REGISTER_OP("CombinedNonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size_per_class: int32")
    .Input("max_total_size: int32")
    .Input("iou_threshold: float")
    .Input("score_threshold: float")
    .Output("nmsed_boxes: float")
    .Output("nmsed_scores: float")
    .Output("nmsed_classes: float")
    .Output("valid_detections: int32")
    .Attr("pad_per_class: bool = false")
    .Attr("clip_boxes: bool = true")
    .Needs("unbounded memory")
    .SetShapeFn(CombinedSuppressShape)
    .Doc(
        "NonMaxSuppressionV3 of each class of each image, and the best of "
        "all classes: boxes [batch, n, 1 or classes, 4], scores [batch, n, "
        "classes] -> boxes [batch, m, 4], scores and classes [batch, m], "
        "padded with 0, and their number [batch].");

REGISTER_OP("SampleDistortedBoundingBox")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("min_object_covered: float = 0.1")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .SetIsStateful()
    .SetShapeFn(DistortedBoxShape)
    .Doc(
        "A random box in an image of image_size [height, width, channels] "
        "that covers enough of one of bounding_boxes [batch, n, 4] -> begin "
        "[3] and size [3] for Slice, and the box [1, 1, 4].");

REGISTER_OP("SampleDistortedBoundingBoxV2")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Input("min_object_covered: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .SetIsStateful()
    .SetShapeFn(DistortedBoxShape)
    .Doc(
        "SampleDistortedBoundingBox with min_object_covered, a scalar, as an "
        "input.");

}  // namespace tensorwright
