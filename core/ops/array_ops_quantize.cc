// SPDX-License-Identifier: Apache-2.0
// Real numbers as codes of a few bits: quantization, its simulation for
// training, and array ops on codes.

#include <cstdint>
#include <limits>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status RequireScalars(InferenceContext* c, int begin, int end) {
  ShapeHandle unused;
  for (int i = begin; i < end; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

// Inputs 1 and 2 are the ends of input 0's range: scalars if attr axis is -1,
// else vectors with an element for each slice along axis.  Sets *range to their
// shape.
Status RangeAlongAxis(InferenceContext* c, ShapeHandle* range) {
  int64_t axis = -1;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -1) {
    return errors::InvalidArgument("axis should be at least -1, got ", axis);
  }
  if (axis > std::numeric_limits<int32_t>::max()) {
    return errors::InvalidArgument("axis must fit 32 bits, got ", axis);
  }
  if (axis == -1) {
    *range = c->Scalar();
    return RequireScalars(c, 1, 3);
  }
  ShapeHandle input, ends;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), axis + 1, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &ends));
  TF_RETURN_IF_ERROR(c->Merge(ends, c->input(2), &ends));
  DimensionHandle slices;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(ends, 0), c->Dim(input, axis), &slices));
  *range = c->Vector(slices);
  return OkStatus();
}

Status QuantizeV2Shape(InferenceContext* c) {
  ShapeHandle range;
  TF_RETURN_IF_ERROR(RangeAlongAxis(c, &range));
  c->set_output(0, c->input(0));
  c->set_output(1, range);
  c->set_output(2, range);
  return OkStatus();
}

Status DequantizeShape(InferenceContext* c) {
  ShapeHandle range;
  TF_RETURN_IF_ERROR(RangeAlongAxis(c, &range));
  c->set_output(0, c->input(0));
  return OkStatus();
}

// Version 3 has a fourth input, num_bits.
Status QuantizeAndDequantizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(RequireScalars(c, 3, c->num_inputs()));
  return DequantizeShape(c);
}

Status FakeQuantVarsShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(RequireScalars(c, 1, 3));
  c->set_output(0, c->input(0));
  return OkStatus();
}

// gradients and inputs of one shape; min and max scalars.
Status FakeQuantVarsGradientShape(InferenceContext* c) {
  ShapeHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &merged));
  TF_RETURN_IF_ERROR(RequireScalars(c, 2, 4));
  c->set_output(0, merged);
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

// values: [..., d]; inputs `first` and `first` + 1: [d].
Status RequireChannels(InferenceContext* c, int first, ShapeHandle* values,
                       ShapeHandle* channels) {
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(*values, 1, values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first), 1, channels));
  TF_RETURN_IF_ERROR(c->Merge(*channels, c->input(first + 1), channels));
  DimensionHandle d;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(*channels, 0), c->Dim(*values, -1), &d));
  *channels = c->Vector(d);
  return OkStatus();
}

Status FakeQuantPerChannelShape(InferenceContext* c) {
  ShapeHandle inputs = c->input(0), channels;
  TF_RETURN_IF_ERROR(RequireChannels(c, 1, &inputs, &channels));
  c->set_output(0, inputs);
  return OkStatus();
}

Status FakeQuantPerChannelGradientShape(InferenceContext* c) {
  ShapeHandle merged, channels;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &merged));
  TF_RETURN_IF_ERROR(RequireChannels(c, 2, &merged, &channels));
  c->set_output(0, merged);
  c->set_output(1, channels);
  c->set_output(2, channels);
  return OkStatus();
}

// concat_dim, N values, N scalars, N scalars.
Status QuantizedConcatShape(InferenceContext* c) {
  const int n = (c->num_inputs() - 1) / 3;
  TF_RETURN_IF_ERROR(shape_inference::ConcatShape(c, n));
  TF_RETURN_IF_ERROR(RequireScalars(c, n + 1, c->num_inputs()));
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

Status QuantizedInstanceNormShape(InferenceContext* c) {
  ShapeHandle x;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
  TF_RETURN_IF_ERROR(RequireScalars(c, 1, 3));
  c->set_output(0, x);
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

}  // namespace

// ---- Between real numbers and codes.

REGISTER_OP("QuantizeV2")
    .Input("input: float")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: quantizedtype")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr(
        "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = "
        "'HALF_AWAY_FROM_ZERO'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("ensure_minimum_range: float = 0.01")
    .SetShapeFn(QuantizeV2Shape)
    .Doc(
        "input [...] as codes between those of min_range and max_range ([], or "
        "[n] for the n slices along axis), and the range that the codes then "
        "have.");

REGISTER_OP("Dequantize")
    .Input("input: T")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: dtype")
    .Attr("T: quantizedtype")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("dtype: {bfloat16, float} = DT_FLOAT")
    .SetShapeFn(DequantizeShape)
    .Doc(
        "The real numbers that codes [...] stand for, of which the lowest is "
        "min_range and the highest max_range ([], or [n] for the n slices "
        "along axis).");

REGISTER_OP("QuantizeAndDequantize")
    .Input("input: T")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("num_bits: int = 8")
    .Attr("range_given: bool = false")
    .Attr("input_min: float = 0")
    .Attr("input_max: float = 0")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Deprecated(22, "Replaced by QuantizeAndDequantizeV2")
    .Doc("QuantizeAndDequantizeV2 with the range in attrs: [...] -> [...].");

REGISTER_OP("QuantizeAndDequantizeV2")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("num_bits: int = 8")
    .Attr("range_given: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .SetShapeFn(QuantizeAndDequantizeShape)
    .Doc(
        "input [...] rounded to what num_bits can tell apart between input_min "
        "and input_max ([], or [n] for the n slices along axis), or between "
        "the smallest and largest element if no range is given.");

REGISTER_OP("QuantizeAndDequantizeV3")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Input("num_bits: int32")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("range_given: bool = true")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .SetShapeFn(QuantizeAndDequantizeShape)
    .Doc("QuantizeAndDequantizeV2 with num_bits [] as an input.");

// ---- Codes simulated in floats.

REGISTER_OP("FakeQuantWithMinMaxArgs")
    .Input("inputs: float")
    .Output("outputs: float")
    .Attr("min: float = -6")
    .Attr("max: float = 6")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "inputs [...] clamped to [min, max], which is shifted so that it has "
        "0, "
        "and rounded to the numbers that num_bits tell apart there.");

REGISTER_OP("FakeQuantWithMinMaxArgsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Output("backprops: float")
    .Attr("min: float = -6")
    .Attr("max: float = 6")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("gradients [...] where inputs [...] are in the range, 0 elsewhere.");

REGISTER_OP("FakeQuantWithMinMaxVars")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("outputs: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(FakeQuantVarsShape)
    .Doc("FakeQuantWithMinMaxArgs with min [] and max [] as inputs.");

REGISTER_OP("FakeQuantWithMinMaxVarsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("backprops_wrt_input: float")
    .Output("backprop_wrt_min: float")
    .Output("backprop_wrt_max: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(FakeQuantVarsGradientShape)
    .Doc(
        "gradients [...] where inputs [...] are in the range, and their sums "
        "[] below it and above it.");

REGISTER_OP("FakeQuantWithMinMaxVarsPerChannel")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("outputs: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(FakeQuantPerChannelShape)
    .Doc(
        "FakeQuantWithMinMaxVars of inputs [..., d] with a range for each "
        "channel: min [d], max [d].");

REGISTER_OP("FakeQuantWithMinMaxVarsPerChannelGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("backprops_wrt_input: float")
    .Output("backprop_wrt_min: float")
    .Output("backprop_wrt_max: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .SetShapeFn(FakeQuantPerChannelGradientShape)
    .Doc(
        "gradients [..., d] where inputs [..., d] are in their channel's "
        "range, "
        "and the sums [d] of each channel below it and above it.");

// ---- Codes moved about.

REGISTER_OP("QuantizedConcat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Input("input_mins: N * float")
    .Input("input_maxes: N * float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .SetShapeFn(QuantizedConcatShape)
    .Doc(
        "N values, each with the ends [] of its range, one behind the other "
        "along concat_dim [], and the range of all.");

REGISTER_OP("QuantizedInstanceNorm")
    .Input("x: T")
    .Input("x_min: float")
    .Input("x_max: float")
    .Output("y: T")
    .Output("y_min: float")
    .Output("y_max: float")
    .Attr("T: quantizedtype")
    .Attr("output_range_given: bool = false")
    .Attr("given_y_min: float = 0")
    .Attr("given_y_max: float = 0")
    .Attr("variance_epsilon: float = 1e-5")
    .Attr("min_separation: float = 1e-3")
    .SetShapeFn(QuantizedInstanceNormShape)
    .Doc(
        "x [batch, height, width, channels] with each channel of each image "
        "shifted and scaled to mean 0 and variance 1, and the range of that.");

}  // namespace tensorwright
