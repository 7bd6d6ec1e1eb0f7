// SPDX-License-Identifier: Apache-2.0
// The shapes of convolutions and their gradients.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/common_shape_fns.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"
#include "core/util/window_geometry.h"

namespace tensorwright {
namespace shape_inference {
namespace {

struct ConvAttrs {
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations = {1, 1, 1, 1};
};

// `values`: four numbers in the order of the format; batch and depth are 1.
Status CheckWindowList(absl::string_view name, TensorFormat format,
                       const std::vector<int64_t>& values) {
  if (values.size() != 4) {
    return errors::InvalidArgument("Conv2D: ", name,
                                   " must have 4 values, got ", values.size());
  }
  if (GetTensorDim(values, format, 'N') != 1 ||
      GetTensorDim(values, format, 'C') != 1) {
    return errors::InvalidArgument(
        "Conv2D: ", name, " must be 1 in the batch and depth dimensions, got [",
        absl::StrJoin(values, ", "), "]");
  }
  if (GetTensorDim(values, format, 'H') <= 0 ||
      GetTensorDim(values, format, 'W') <= 0) {
    return errors::InvalidArgument("Conv2D: ", name, " must be > 0, got [",
                                   absl::StrJoin(values, ", "), "]");
  }
  return OkStatus();
}

// Leaves *value as it is if the op has no such attr.
template <typename T>
Status GetAttrIfAny(InferenceContext* c, absl::string_view name, T* value) {
  return c->attrs().Find(name) == nullptr ? OkStatus()
                                          : c->GetAttr(name, value);
}

Status GetConvAttrs(InferenceContext* c, ConvAttrs* attrs) {
  std::string padding, format = "NHWC";
  TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
  TF_RETURN_IF_ERROR(c->GetAttr("strides", &attrs->strides));
  // Ops of other people may lack these.
  TF_RETURN_IF_ERROR(GetAttrIfAny(c, "data_format", &format));
  TF_RETURN_IF_ERROR(
      GetAttrIfAny(c, "explicit_paddings", &attrs->explicit_paddings));
  TF_RETURN_IF_ERROR(GetAttrIfAny(c, "dilations", &attrs->dilations));
  if (!FormatFromString(format, &attrs->format)) {
    return errors::InvalidArgument("Conv2D: unknown data_format ", format);
  }
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding, &attrs->padding));
  TF_RETURN_IF_ERROR(CheckValidPadding(attrs->padding, attrs->explicit_paddings,
                                       4, attrs->format));
  TF_RETURN_IF_ERROR(CheckWindowList("strides", attrs->format, attrs->strides));
  return CheckWindowList("dilations", attrs->format, attrs->dilations);
}

// Output size along 'H' or 'W' of an input and filter size, perhaps unknown.
Status ConvOutputDim(InferenceContext* c, const ConvAttrs& attrs,
                     char dimension, DimensionHandle input,
                     DimensionHandle filter, DimensionHandle* output) {
  *output = c->UnknownDim();
  if (!c->ValueKnown(input) || !c->ValueKnown(filter)) return OkStatus();
  const int index = GetTensorDimIndex(attrs.format, dimension);
  WindowDim window;
  window.input = c->Value(input);
  window.filter = c->Value(filter);
  window.stride = attrs.strides[index];
  window.dilation = attrs.dilations[index];
  if (attrs.padding == EXPLICIT) {
    window.pad_before = attrs.explicit_paddings[2 * index];
    window.pad_after = attrs.explicit_paddings[2 * index + 1];
  }
  TF_RETURN_IF_ERROR(ComputeWindow(attrs.padding, &window));
  *output = c->MakeDim(window.output);
  return OkStatus();
}

// The rule of all three ops: what input and filter give.
Status ConvOutputShape(InferenceContext* c, const ConvAttrs& attrs,
                       ShapeHandle input, ShapeHandle filter,
                       ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(filter, 4, &filter));
  const DimensionHandle in_depth =
      c->Dim(input, GetTensorDimIndex(attrs.format, 'C'));
  const DimensionHandle filter_depth = c->Dim(filter, 2);
  const DimensionHandle out_depth = c->Dim(filter, 3);
  if (c->ValueKnown(in_depth) && c->ValueKnown(filter_depth)) {
    const int64_t in = c->Value(in_depth), per_group = c->Value(filter_depth);
    if (per_group == 0 || in % per_group != 0) {
      return errors::InvalidArgument(
          "Conv2D: Depth of input (", in,
          ") is not a multiple of input depth of filter (", per_group, ")");
    }
    const int64_t groups = in / per_group;
    if (c->ValueKnown(out_depth) &&
        (groups == 0 || c->Value(out_depth) % groups != 0)) {
      return errors::InvalidArgument(
          "Conv2D: Depth of output (", c->Value(out_depth),
          ") is not a multiple of the number of groups (", groups, ")");
    }
  }
  DimensionHandle height, width;
  TF_RETURN_IF_ERROR(ConvOutputDim(
      c, attrs, 'H', c->Dim(input, GetTensorDimIndex(attrs.format, 'H')),
      c->Dim(filter, 0), &height));
  TF_RETURN_IF_ERROR(ConvOutputDim(
      c, attrs, 'W', c->Dim(input, GetTensorDimIndex(attrs.format, 'W')),
      c->Dim(filter, 1), &width));
  const DimensionHandle batch = c->Dim(input, 0);
  *output = attrs.format == FORMAT_NHWC
                ? c->MakeShape({batch, height, width, out_depth})
                : c->MakeShape({batch, out_depth, height, width});
  return OkStatus();
}

// out_backprop must be what the forward convolution gives.
Status CheckOutBackprop(InferenceContext* c, const ConvAttrs& attrs,
                        ShapeHandle input, ShapeHandle filter,
                        ShapeHandle out_backprop) {
  ShapeHandle expected;
  TF_RETURN_IF_ERROR(ConvOutputShape(c, attrs, input, filter, &expected));
  if (!c->Merge(expected, out_backprop, &expected).ok()) {
    return errors::InvalidArgument(
        "Conv2D gradient: Size of out_backprop doesn't match computed: actual "
        "= ",
        c->DebugString(out_backprop),
        ", computed = ", c->DebugString(expected));
  }
  return OkStatus();
}

}  // namespace

Status Conv2DShape(InferenceContext* c) {
  ConvAttrs attrs;
  TF_RETURN_IF_ERROR(GetConvAttrs(c, &attrs));
  ShapeHandle output;
  TF_RETURN_IF_ERROR(
      ConvOutputShape(c, attrs, c->input(0), c->input(1), &output));
  c->set_output(0, output);
  return OkStatus();
}

Status DepthwiseConv2DNativeShape(InferenceContext* c) {
  ConvAttrs attrs;
  TF_RETURN_IF_ERROR(GetConvAttrs(c, &attrs));
  ShapeHandle input, filter;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  DimensionHandle depth, out_depth, height, width;
  if (!c->Merge(c->Dim(input, GetTensorDimIndex(attrs.format, 'C')),
                c->Dim(filter, 2), &depth)
           .ok()) {
    return errors::InvalidArgument(
        "input and filter must have equal depths (dimension 2 of filter)");
  }
  TF_RETURN_IF_ERROR(c->Multiply(depth, c->Dim(filter, 3), &out_depth));
  TF_RETURN_IF_ERROR(ConvOutputDim(
      c, attrs, 'H', c->Dim(input, GetTensorDimIndex(attrs.format, 'H')),
      c->Dim(filter, 0), &height));
  TF_RETURN_IF_ERROR(ConvOutputDim(
      c, attrs, 'W', c->Dim(input, GetTensorDimIndex(attrs.format, 'W')),
      c->Dim(filter, 1), &width));
  const DimensionHandle batch = c->Dim(input, 0);
  c->set_output(0, attrs.format == FORMAT_NHWC
                       ? c->MakeShape({batch, height, width, out_depth})
                       : c->MakeShape({batch, out_depth, height, width}));
  return OkStatus();
}

Status Conv2DBackpropInputShape(InferenceContext* c) {
  ConvAttrs attrs;
  TF_RETURN_IF_ERROR(GetConvAttrs(c, &attrs));
  ShapeHandle filter, out_backprop, input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &out_backprop));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &input));
  if (c->RankKnown(input) && c->Rank(input) == 2) {  // [height, width]
    const DimensionHandle n = c->Dim(out_backprop, 0), d = c->Dim(filter, 2);
    const DimensionHandle h = c->Dim(input, 0), w = c->Dim(input, 1);
    input = attrs.format == FORMAT_NHWC ? c->MakeShape({n, h, w, d})
                                        : c->MakeShape({n, d, h, w});
  }
  TF_RETURN_IF_ERROR(c->WithRank(input, 4, &input));
  TF_RETURN_IF_ERROR(CheckOutBackprop(c, attrs, input, filter, out_backprop));
  c->set_output(0, input);
  return OkStatus();
}

Status Conv2DBackpropFilterShape(InferenceContext* c) {
  ConvAttrs attrs;
  TF_RETURN_IF_ERROR(GetConvAttrs(c, &attrs));
  ShapeHandle input, out_backprop, filter;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &out_backprop));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(filter, 4, &filter));
  TF_RETURN_IF_ERROR(CheckOutBackprop(c, attrs, input, filter, out_backprop));
  c->set_output(0, filter);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
