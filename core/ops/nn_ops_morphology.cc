// SPDX-License-Identifier: Apache-2.0
// Dilation of greyscale images.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/window_attrs.h"

namespace tensorwright {

namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status DilatedShape(InferenceContext* c, ShapeHandle* output) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadDilationAttrs(c, &attrs));
  ShapeHandle input, filter;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &filter));
  DimensionHandle depth;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, 3), c->Dim(filter, 2), &depth));
  DimensionHandle space[2];
  for (int i = 0; i < 2; ++i) {
    const DimensionHandle size = c->Dim(input, i + 1);
    const DimensionHandle taps = c->Dim(filter, i);
    space[i] = c->UnknownDim();
    if (!c->ValueKnown(size) || !c->ValueKnown(taps)) continue;
    WindowDim window;
    TF_RETURN_IF_ERROR(
        attrs.ComputeWindow(i + 1, c->Value(size), c->Value(taps), &window));
    space[i] = c->MakeDim(window.output);
  }
  *output = c->MakeShape({c->Dim(input, 0), space[0], space[1], depth});
  return OkStatus();
}

Status Dilation2DShape(InferenceContext* c) {
  ShapeHandle output;
  TF_RETURN_IF_ERROR(DilatedShape(c, &output));
  c->set_output(0, output);
  return OkStatus();
}

// The gradient for input kInput.
template <int kInput>
Status Dilation2DBackpropShape(InferenceContext* c) {
  ShapeHandle output;
  TF_RETURN_IF_ERROR(DilatedShape(c, &output));
  TF_RETURN_IF_ERROR(c->Merge(output, c->input(2), &output));
  c->set_output(0, c->input(kInput));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Dilation2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(Dilation2DShape)
    .Doc(
        "max over (i, j) of input[y * stride + i * rate, x * stride + j * "
        "rate] + filter[i, j] for each channel: [n, h, w, c], [kh, kw, c] -> "
        "[n, oh, ow, c].");

REGISTER_OP("Dilation2DBackpropInput")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("in_backprop: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(Dilation2DBackpropShape<0>)
    .Doc(
        "Gradient of Dilation2D for its input: each element of out_backprop "
        "goes to the place of its maximum.");

REGISTER_OP("Dilation2DBackpropFilter")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("filter_backprop: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(Dilation2DBackpropShape<1>)
    .Doc(
        "Gradient of Dilation2D for its filter: each element of out_backprop "
        "goes to the tap of its maximum.");

}  // namespace tensorwright
