// SPDX-License-Identifier: Apache-2.0
// Normalisation over a batch and over neighbouring channels.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// t [n, h, w, c] with the vectors [c] from input 1 on, and a backprop like t if
// there is one.
Status CheckGlobalBatchNorm(InferenceContext* c, int vectors, ShapeHandle* t,
                            DimensionHandle* channels) {
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, t));
  if (c->num_inputs() > vectors + 1) {
    TF_RETURN_IF_ERROR(c->Merge(*t, c->input(vectors + 1), t));
  }
  *channels = c->Dim(*t, 3);
  for (int i = 1; i <= vectors; ++i) {
    ShapeHandle vector;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TF_RETURN_IF_ERROR(c->Merge(*channels, c->Dim(vector, 0), channels));
  }
  return c->ReplaceDim(*t, 3, *channels, t);
}

Status BatchNormGlobalShape(InferenceContext* c) {
  ShapeHandle t;
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(CheckGlobalBatchNorm(c, 4, &t, &channels));
  c->set_output(0, t);
  return OkStatus();
}

// Inputs t, m, v, gamma, backprop.
Status BatchNormGlobalGradShape(InferenceContext* c) {
  ShapeHandle t;
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(CheckGlobalBatchNorm(c, 3, &t, &channels));
  c->set_output(0, t);
  for (int i = 1; i < 5; ++i) c->set_output(i, c->Vector(channels));
  return OkStatus();
}

Status ImageUnchanged(InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRank(c, 4);
}

Status LrnGradShape(InferenceContext* c) {
  ShapeHandle s;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &s));
  TF_RETURN_IF_ERROR(c->Merge(s, c->input(1), &s));
  TF_RETURN_IF_ERROR(c->Merge(s, c->input(2), &s));
  c->set_output(0, s);
  return OkStatus();
}

}  // namespace

REGISTER_OP("FusedBatchNorm")
    .Input("x: T")
    .Input("scale: T")
    .Input("offset: T")
    .Input("mean: T")
    .Input("variance: T")
    .Output("y: T")
    .Output("batch_mean: T")
    .Output("batch_variance: T")
    .Output("reserve_space_1: T")
    .Output("reserve_space_2: T")
    .Attr("T: {float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("exponential_avg_factor: float = 1.0")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormShape)
    .Doc(
        "scale * (x - mean) / sqrt(variance + epsilon) + offset for each "
        "channel of x [n, h, w, c] (NCHW: [n, c, h, w]), with the statistics "
        "of x if is_training, else with those given; batch_variance divides by "
        "count - 1, reserve_space_2 by count.");

REGISTER_OP("FusedBatchNormGrad")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: T")
    .Input("reserve_space_1: T")
    .Input("reserve_space_2: T")
    .Output("x_backprop: T")
    .Output("scale_backprop: T")
    .Output("offset_backprop: T")
    .Output("reserve_space_3: T")
    .Output("reserve_space_4: T")
    .Attr("T: {float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormGradShape)
    .Doc(
        "Gradient of FusedBatchNorm for x, scale and offset; reserve_space_1 "
        "and 2 are the mean and variance that it used.");

REGISTER_OP("FusedBatchNormV2")
    .Input("x: T")
    .Input("scale: U")
    .Input("offset: U")
    .Input("mean: U")
    .Input("variance: U")
    .Output("y: T")
    .Output("batch_mean: U")
    .Output("batch_variance: U")
    .Output("reserve_space_1: U")
    .Output("reserve_space_2: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("exponential_avg_factor: float = 1.0")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormShape)
    .Doc(
        "FusedBatchNorm of images that may be half or bfloat16, with "
        "statistics in float.");

REGISTER_OP("FusedBatchNormGradV2")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: float")
    .Input("reserve_space_1: U")
    .Input("reserve_space_2: U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_3: U")
    .Output("reserve_space_4: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormGradShape)
    .Doc(
        "Gradient of FusedBatchNormV2 for x, scale and offset; "
        "reserve_space_1 and 2 are the mean and variance that it used.");

REGISTER_OP("FusedBatchNormV3")
    .Input("x: T")
    .Input("scale: U")
    .Input("offset: U")
    .Input("mean: U")
    .Input("variance: U")
    .Output("y: T")
    .Output("batch_mean: U")
    .Output("batch_variance: U")
    .Output("reserve_space_1: U")
    .Output("reserve_space_2: U")
    .Output("reserve_space_3: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {bfloat16, float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("exponential_avg_factor: float = 1.0")
    .Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormShape)
    .Doc(
        "FusedBatchNormV2, also of x with three dimensions of space; "
        "reserve_space_3 is what a GPU keeps for the gradient, here a 0.");

REGISTER_OP("FusedBatchNormGradV3")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: float")
    .Input("reserve_space_1: U")
    .Input("reserve_space_2: U")
    .Input("reserve_space_3: U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_4: U")
    .Output("reserve_space_5: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .Attr("epsilon: float = 0.0001")
    .Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'")
    .Attr("is_training: bool = true")
    .SetShapeFn(shape_inference::FusedBatchNormGradShape)
    .Doc(
        "Gradient of FusedBatchNormV3 for x, scale and offset; "
        "reserve_space_1 and 2 are the mean and variance that it used, "
        "reserve_space_3 its last output.");

REGISTER_OP("BatchNormWithGlobalNormalization")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("beta: T")
    .Input("gamma: T")
    .Output("result: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Deprecated(9, "Use tf.nn.batch_normalization()")
    .SetShapeFn(BatchNormGlobalShape)
    .Doc(
        "(t - m) / sqrt(v + variance_epsilon) * gamma + beta for each channel "
        "of t [n, h, w, c]; without gamma unless scale_after_normalization.");

REGISTER_OP("BatchNormWithGlobalNormalizationGrad")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("gamma: T")
    .Input("backprop: T")
    .Output("dx: T")
    .Output("dm: T")
    .Output("dv: T")
    .Output("db: T")
    .Output("dg: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Deprecated(9, "Use tf.nn.batch_normalization()")
    .SetShapeFn(BatchNormGlobalGradShape)
    .Doc(
        "Gradients of BatchNormWithGlobalNormalization for t, m, v, beta and "
        "gamma.");

REGISTER_OP("LRN")
    .Input("input: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = DT_FLOAT")
    .SetShapeFn(ImageUnchanged)
    .Doc(
        "input / (bias + alpha * sum of squares over the 2 * depth_radius + 1 "
        "channels around) ** beta for input [n, h, w, c].");

REGISTER_OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = DT_FLOAT")
    .SetShapeFn(LrnGradShape)
    .Doc("Gradient of LRN; all of shape [n, h, w, c].");

}  // namespace tensorwright
