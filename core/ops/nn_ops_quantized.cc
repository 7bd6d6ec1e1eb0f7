// SPDX-License-Identifier: Apache-2.0
// Neural networks on quantized numbers: each tensor of codes comes with the
// real numbers that its lowest and highest code stand for.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The inputs from `begin` on and outputs 1 and 2 are ends of ranges.
Status RangeShapes(InferenceContext* c, int begin) {
  ShapeHandle unused;
  for (int i = begin; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

Status QuantizedAvgPoolShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::AvgPoolShape(c));
  return RangeShapes(c, 1);
}

Status QuantizedMaxPoolShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::MaxPoolShape(c));
  return RangeShapes(c, 1);
}

Status QuantizedBiasAddShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::BiasAddShape(c));
  return RangeShapes(c, 2);
}

// There are no groups: image and filter have equal depths.
Status QuantizedConv2DShape(InferenceContext* c) {
  ShapeHandle image, filter;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  if (!c->Merge(c->Dim(image, 3), c->Dim(filter, 2), &unused).ok()) {
    return errors::InvalidArgument(
        "QuantizedConv2D: input and filter must have the same depth: ",
        c->DebugString(image), " vs ", c->DebugString(filter));
  }
  TF_RETURN_IF_ERROR(shape_inference::Conv2DShape(c));
  return RangeShapes(c, 2);
}

Status QuantizedActivationShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return RangeShapes(c, 1);
}

// Five tensors, each with its range, whose ends have one element each, of any
// rank.
Status QuantizedBatchNormShape(InferenceContext* c) {
  ShapeHandle image, vector;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  DimensionHandle depth = c->Dim(image, 3);
  for (int i = 0; i < 15; ++i) {
    if (i % 3 != 0) {
      const DimensionHandle n = c->NumElements(c->input(i));
      if (c->ValueKnown(n) && c->Value(n) != 1) {
        return errors::InvalidArgument(
            "QuantizedBatchNormWithGlobalNormalization: input ", i,
            ", an end of a range, must have 1 element, got shape ",
            c->DebugString(c->input(i)));
      }
    } else if (i > 0) {
      TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
      TF_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
    }
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(image, 3, depth, &image));
  c->set_output(0, image);
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

}  // namespace

REGISTER_OP("QuantizedAvgPool")
    .Input("input: T")
    .Input("min_input: float")
    .Input("max_input: float")
    .Output("output: T")
    .Output("min_output: float")
    .Output("max_output: float")
    .Attr("T: quantizedtype")
    .Attr("ksize: list(int)")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(QuantizedAvgPoolShape)
    .Doc(
        "Mean of each window of codes [n, h, w, c], without the padding and "
        "rounded towards code 0; the range [min_input, max_input] (both []) "
        "stays.");

REGISTER_OP("QuantizedMaxPool")
    .Input("input: T")
    .Input("min_input: float")
    .Input("max_input: float")
    .Output("output: T")
    .Output("min_output: float")
    .Output("max_output: float")
    .Attr("T: quantizedtype")
    .Attr("ksize: list(int)")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(QuantizedMaxPoolShape)
    .Doc(
        "Maximum of each window of codes [n, h, w, c]; the range [min_input, "
        "max_input] (both []) stays.");

REGISTER_OP("QuantizedConv2D")
    .Input("input: Tinput")
    .Input("filter: Tfilter")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_filter: float")
    .Input("max_filter: float")
    .Output("output: out_type")
    .Output("min_output: float")
    .Output("max_output: float")
    .Attr("Tinput: quantizedtype")
    .Attr("Tfilter: quantizedtype")
    .Attr("out_type: quantizedtype = DT_QINT32")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .SetShapeFn(QuantizedConv2DShape)
    .Doc(
        "Cross-correlation of images [n, h, w, c] with a filter [kh, kw, c, "
        "d], codes both with their ranges (all []) -> codes [n, oh, ow, d], "
        "and their range.");

REGISTER_OP("QuantizedBiasAdd")
    .Input("input: T1")
    .Input("bias: T2")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_bias: float")
    .Input("max_bias: float")
    .Output("output: out_type")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: quantizedtype")
    .Attr("T2: quantizedtype")
    .Attr("out_type: quantizedtype")
    .SetShapeFn(QuantizedBiasAddShape)
    .Doc(
        "input [..., c] + bias [c], codes with the ranges [min_input, "
        "max_input] and [min_bias, max_bias] (all []), and the range of the "
        "sums' codes.");

REGISTER_OP("QuantizedRelu")
    .Input("features: Tinput")
    .Input("min_features: float")
    .Input("max_features: float")
    .Output("activations: out_type")
    .Output("min_activations: float")
    .Output("max_activations: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype = DT_QUINT8")
    .SetShapeFn(QuantizedActivationShape)
    .Doc(
        "max(features, 0) of codes [...]; the range [min_features, "
        "max_features] (both []) stays.");

REGISTER_OP("QuantizedRelu6")
    .Input("features: Tinput")
    .Input("min_features: float")
    .Input("max_features: float")
    .Output("activations: out_type")
    .Output("min_activations: float")
    .Output("max_activations: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype = DT_QUINT8")
    .SetShapeFn(QuantizedActivationShape)
    .Doc(
        "min(max(features, 0), 6) of codes [...]; the range [min_features, "
        "max_features] (both []) stays.");

REGISTER_OP("QuantizedReluX")
    .Input("features: Tinput")
    .Input("max_value: float")
    .Input("min_features: float")
    .Input("max_features: float")
    .Output("activations: out_type")
    .Output("min_activations: float")
    .Output("max_activations: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype = DT_QUINT8")
    .SetShapeFn(QuantizedActivationShape)
    .Doc(
        "min(max(features, 0), max_value) of codes [...]; the range "
        "[min_features, max_features] (both []) stays.");

REGISTER_OP("QuantizedBatchNormWithGlobalNormalization")
    .Input("t: Tinput")
    .Input("t_min: float")
    .Input("t_max: float")
    .Input("m: Tinput")
    .Input("m_min: float")
    .Input("m_max: float")
    .Input("v: Tinput")
    .Input("v_min: float")
    .Input("v_max: float")
    .Input("beta: Tinput")
    .Input("beta_min: float")
    .Input("beta_max: float")
    .Input("gamma: Tinput")
    .Input("gamma_min: float")
    .Input("gamma_max: float")
    .Output("result: out_type")
    .Output("result_min: float")
    .Output("result_max: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .SetShapeFn(QuantizedBatchNormShape)
    .Doc(
        "(t - m) / sqrt(v + variance_epsilon), times gamma if "
        "scale_after_normalization, plus beta: codes t [n, h, w, c], the "
        "others [c], each with its range (both []).");

}  // namespace tensorwright
