// SPDX-License-Identifier: Apache-2.0
// The shapes of convolutions in two and three dimensions and their gradients.
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// Output size along spatial dimension `i`, perhaps unknown.
Status ConvOutputDim(InferenceContext* c, const WindowAttrs& attrs, int i,
                     ShapeHandle input, ShapeHandle filter,
                     DimensionHandle* output) {
  *output = c->UnknownDim();
  const int index = attrs.SpatialIndex(i);
  const DimensionHandle size = c->Dim(input, index), taps = c->Dim(filter, i);
  if (!c->ValueKnown(size) || !c->ValueKnown(taps)) return OkStatus();
  WindowDim window;
  TF_RETURN_IF_ERROR(
      attrs.ComputeWindow(index, c->Value(size), c->Value(taps), &window));
  *output = c->MakeDim(window.output);
  return OkStatus();
}

// [n, spatial..., depth] in the order of the format.
Status ConvOutputWithDepth(InferenceContext* c, const WindowAttrs& attrs,
                           ShapeHandle input, ShapeHandle filter,
                           DimensionHandle depth, ShapeHandle* output) {
  std::vector<DimensionHandle> dims(attrs.rank);
  dims[0] = c->Dim(input, 0);
  dims[attrs.DepthIndex()] = depth;
  for (int i = 0; i < attrs.spatial_dims(); ++i) {
    TF_RETURN_IF_ERROR(ConvOutputDim(c, attrs, i, input, filter,
                                     &dims[attrs.SpatialIndex(i)]));
  }
  *output = c->MakeShape(dims);
  return OkStatus();
}

// The output shape for an input and a filter [spatial..., in depth / groups,
// out depth].
Status ConvOutputShape(InferenceContext* c, const WindowAttrs& attrs,
                       ShapeHandle input, ShapeHandle filter,
                       ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, attrs.rank, &input));
  TF_RETURN_IF_ERROR(c->WithRank(filter, attrs.rank, &filter));
  const DimensionHandle in_depth = c->Dim(input, attrs.DepthIndex());
  const DimensionHandle filter_depth = c->Dim(filter, attrs.rank - 2);
  const DimensionHandle out_depth = c->Dim(filter, attrs.rank - 1);
  if (c->ValueKnown(in_depth) && c->ValueKnown(filter_depth)) {
    const int64_t in = c->Value(in_depth), per_group = c->Value(filter_depth);
    if (per_group == 0 || in % per_group != 0) {
      return errors::InvalidArgument(
          attrs.op, ": Depth of input (", in,
          ") is not a multiple of input depth of filter (", per_group, ")");
    }
    const int64_t groups = in / per_group;
    if (c->ValueKnown(out_depth) &&
        (groups == 0 || c->Value(out_depth) % groups != 0)) {
      return errors::InvalidArgument(
          attrs.op, ": Depth of output (", c->Value(out_depth),
          ") is not a multiple of the number of groups (", groups, ")");
    }
  }
  return ConvOutputWithDepth(c, attrs, input, filter, out_depth, output);
}

// The output shape for an input and a filter [h, w, in depth, multiplier]: each
// channel of the input becomes `multiplier` channels.
Status DepthwiseOutputShape(InferenceContext* c, const WindowAttrs& attrs,
                            ShapeHandle input, ShapeHandle filter,
                            ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, attrs.rank, &input));
  TF_RETURN_IF_ERROR(c->WithRank(filter, attrs.rank, &filter));
  DimensionHandle depth, out_depth;
  if (!c->Merge(c->Dim(input, attrs.DepthIndex()), c->Dim(filter, 2), &depth)
           .ok()) {
    return errors::InvalidArgument(
        attrs.op,
        ": input and filter must have equal depths (dimension 2 of filter)");
  }
  TF_RETURN_IF_ERROR(c->Multiply(depth, c->Dim(filter, 3), &out_depth));
  return ConvOutputWithDepth(c, attrs, input, filter, out_depth, output);
}

using OutputShapeFn = Status(InferenceContext*, const WindowAttrs&, ShapeHandle,
                             ShapeHandle, ShapeHandle*);

Status ForwardShape(InferenceContext* c, int rank, OutputShapeFn* output_of) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, rank, &attrs));
  ShapeHandle output;
  TF_RETURN_IF_ERROR(output_of(c, attrs, c->input(0), c->input(1), &output));
  c->set_output(0, output);
  return OkStatus();
}

// The forward convolution must take input and filter.  The kernel compares its
// output with out_backprop: programs of TensorFlow 1 build, and never run,
// transposes to sizes that do not fit.
Status CheckBackprop(InferenceContext* c, const WindowAttrs& attrs,
                     OutputShapeFn* output_of, ShapeHandle input,
                     ShapeHandle filter) {
  ShapeHandle out_backprop, expected;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), attrs.rank, &out_backprop));
  return output_of(c, attrs, input, filter, &expected);
}

// Input 0 holds the sizes of the result, 1 is the filter, 2 out_backprop.
Status BackpropInputShape(InferenceContext* c, int rank,
                          OutputShapeFn* output_of) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, rank, &attrs));
  ShapeHandle filter, out_backprop, input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), rank, &out_backprop));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &input));
  if (rank == 4 && c->RankKnown(input) && c->Rank(input) == 2) {
    // [height, width]
    const DimensionHandle n = c->Dim(out_backprop, 0), d = c->Dim(filter, 2);
    const DimensionHandle h = c->Dim(input, 0), w = c->Dim(input, 1);
    input = attrs.format == FORMAT_NHWC ? c->MakeShape({n, h, w, d})
                                        : c->MakeShape({n, d, h, w});
  }
  TF_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  TF_RETURN_IF_ERROR(CheckBackprop(c, attrs, output_of, input, filter));
  c->set_output(0, input);
  return OkStatus();
}

// Input 0 is the image, 1 holds the sizes of the result, 2 is out_backprop.
Status BackpropFilterShape(InferenceContext* c, int rank,
                           OutputShapeFn* output_of) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, rank, &attrs));
  ShapeHandle input, out_backprop, filter;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), rank, &out_backprop));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(filter, rank, &filter));
  TF_RETURN_IF_ERROR(CheckBackprop(c, attrs, output_of, input, filter));
  c->set_output(0, filter);
  return OkStatus();
}

}  // namespace

Status Conv2DShape(InferenceContext* c) {
  return ForwardShape(c, 4, ConvOutputShape);
}

Status Conv2DBackpropInputShape(InferenceContext* c) {
  return BackpropInputShape(c, 4, ConvOutputShape);
}

Status Conv2DBackpropFilterShape(InferenceContext* c) {
  return BackpropFilterShape(c, 4, ConvOutputShape);
}

Status DepthwiseConv2DNativeShape(InferenceContext* c) {
  return ForwardShape(c, 4, DepthwiseOutputShape);
}

Status DepthwiseConv2DNativeBackpropInputShape(InferenceContext* c) {
  return BackpropInputShape(c, 4, DepthwiseOutputShape);
}

Status DepthwiseConv2DNativeBackpropFilterShape(InferenceContext* c) {
  return BackpropFilterShape(c, 4, DepthwiseOutputShape);
}

Status Conv3DShape(InferenceContext* c) {
  return ForwardShape(c, 5, ConvOutputShape);
}

Status Conv3DBackpropInputShape(InferenceContext* c) {
  return BackpropInputShape(c, 5, ConvOutputShape);
}

Status Conv3DBackpropFilterShape(InferenceContext* c) {
  return BackpropFilterShape(c, 5, ConvOutputShape);
}

Status Conv3DBackpropLikeInputShape(InferenceContext* c, int like) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, 5, &attrs));
  ShapeHandle result;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(like), 5, &result));
  TF_RETURN_IF_ERROR(
      CheckBackprop(c, attrs, ConvOutputShape, c->input(0), c->input(1)));
  c->set_output(0, result);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
