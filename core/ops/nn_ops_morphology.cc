// SPDX-License-Identifier: Apache-2.0
// Dilation of greyscale images.

#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// strides and rates: four numbers, 1 for batch and depth.
Status CheckWindowList(const char* name, const std::vector<int64_t>& values) {
  if (values.size() != 4) {
    return errors::InvalidArgument("Dilation2D: ", name,
                                   " must have 4 values, got ", values.size());
  }
  if (values[0] != 1 || values[3] != 1) {
    return errors::Unimplemented("Dilation2D: ", name,
                                 " must be 1 for batch and depth, got ",
                                 values[0], " and ", values[3]);
  }
  return OkStatus();
}

Status DilatedShape(InferenceContext* c, ShapeHandle* output) {
  std::vector<int64_t> strides, rates;
  std::string padding_name;
  Padding padding;
  TF_RETURN_IF_ERROR(c->GetAttr("strides", &strides));
  TF_RETURN_IF_ERROR(c->GetAttr("rates", &rates));
  TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding_name));
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding_name, &padding));
  TF_RETURN_IF_ERROR(CheckWindowList("strides", strides));
  TF_RETURN_IF_ERROR(CheckWindowList("rates", rates));
  ShapeHandle input, filter;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &filter));
  DimensionHandle depth, rows, cols;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, 3), c->Dim(filter, 2), &depth));
  TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDimsV2(
      c, c->Dim(input, 1), c->Dim(filter, 0), rates[1], strides[1], padding,
      &rows));
  TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDimsV2(
      c, c->Dim(input, 2), c->Dim(filter, 1), rates[2], strides[2], padding,
      &cols));
  *output = c->MakeShape({c->Dim(input, 0), rows, cols, depth});
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
