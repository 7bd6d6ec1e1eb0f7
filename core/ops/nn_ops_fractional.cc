// SPDX-License-Identifier: Apache-2.0
// Pools whose windows differ in size, so that sizes shrink by fractions
// (Graham 2014).

#include <cmath>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/window_attrs.h"

namespace tensorwright {

namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status FractionalPoolShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  std::vector<float> ratios;
  TF_RETURN_IF_ERROR(ReadPoolingRatio(c, &ratios));
  std::vector<DimensionHandle> sizes(4);
  for (int i = 0; i < 4; ++i) {
    const DimensionHandle size = c->Dim(input, i);
    sizes[i] = c->UnknownDim();
    if (!c->ValueKnown(size)) continue;
    // In floats, as the kernel computes it.
    const auto pooled = static_cast<int64_t>(
        std::floor(static_cast<float>(c->Value(size)) / ratios[i]));
    sizes[i] = c->MakeDim(pooled);
  }
  c->set_output(0, c->MakeShape(sizes));
  for (int i = 1; i < 3; ++i) {  // The beginning of each window, and the end.
    DimensionHandle length;
    TF_RETURN_IF_ERROR(c->Add(sizes[i], 1, &length));
    c->set_output(i, c->Vector(length));
  }
  return OkStatus();
}

// The sequences begin at input `first`.
Status CheckSequences(InferenceContext* c, int first) {
  ShapeHandle vector;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first), 1, &vector));
  return c->WithRank(c->input(first + 1), 1, &vector);
}

Status FractionalAvgPoolGradShape(InferenceContext* c) {
  ShapeHandle output, backprop;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &output));
  TF_RETURN_IF_ERROR(c->WithRank(output, 4, &output));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &backprop));
  TF_RETURN_IF_ERROR(CheckSequences(c, 2));
  c->set_output(0, output);
  return OkStatus();
}

Status FractionalMaxPoolGradShape(InferenceContext* c) {
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &output));
  TF_RETURN_IF_ERROR(c->Merge(output, c->input(2), &output));
  TF_RETURN_IF_ERROR(CheckSequences(c, 3));
  c->set_output(0, input);
  return OkStatus();
}

}  // namespace

REGISTER_OP("FractionalAvgPool")
    .Input("value: T")
    .Output("output: T")
    .Output("row_pooling_sequence: int64")
    .Output("col_pooling_sequence: int64")
    .Attr("pooling_ratio: list(float) >= 4")
    .Attr("pseudo_random: bool = false")
    .Attr("overlapping: bool = false")
    .Attr("deterministic: bool = false")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: {float, double, int32, int64}")
    .Touches("chance unless seed")
    .SetShapeFn(FractionalPoolShape)
    .Doc(
        "Mean of windows of one or two sizes, drawn at random, of value [n, h, "
        "w, c]: sizes are divided by pooling_ratio, which is 1 for n and c; "
        "also the rows and columns where windows begin, and the end.");

REGISTER_OP("FractionalAvgPoolGrad")
    .Input("orig_input_tensor_shape: int64")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr("T: {float, double, int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(FractionalAvgPoolGradShape)
    .Doc(
        "Gradient of FractionalAvgPool: out_backprop spread evenly over its "
        "windows -> orig_input_tensor_shape [4].");

REGISTER_OP("FractionalMaxPool")
    .Input("value: T")
    .Output("output: T")
    .Output("row_pooling_sequence: int64")
    .Output("col_pooling_sequence: int64")
    .Attr("pooling_ratio: list(float) >= 4")
    .Attr("pseudo_random: bool = false")
    .Attr("overlapping: bool = false")
    .Attr("deterministic: bool = false")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: {float, double, int32, int64}")
    .Touches("chance unless seed")
    .SetShapeFn(FractionalPoolShape)
    .Doc(
        "Maximum of windows of one or two sizes, drawn at random, of value [n, "
        "h, w, c]; as FractionalAvgPool.");

REGISTER_OP("FractionalMaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr("T: {float, double, int32, int64}")
    .SetShapeFn(FractionalMaxPoolGradShape)
    .Doc(
        "Gradient of FractionalMaxPool: out_backprop goes to the first maximum "
        "of each window of orig_input.");

}  // namespace tensorwright
