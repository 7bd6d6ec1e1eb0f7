// SPDX-License-Identifier: Apache-2.0
// Convolutions.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The inputs are image, filter and a tensor like the output of a Conv2D; the
// result is like operand kOperand.
template <int kOperand>
Status LikeConv2DOperand(shape_inference::InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::Conv2DShape(c));
  const shape_inference::ShapeHandle computed = c->output(0);
  shape_inference::ShapeHandle merged, result;
  if (!c->Merge(computed, c->input(2), &merged).ok()) {
    return errors::InvalidArgument(
        "Size of out_backprop doesn't match computed: actual = ",
        c->DebugString(c->input(2)), ", computed = ", c->DebugString(computed));
  }
  TF_RETURN_IF_ERROR(c->WithRank(c->input(kOperand), 4, &result));
  c->set_output(0, result);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Conv2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .SetShapeFn(shape_inference::Conv2DShape)
    .Doc(
        "Cross-correlation of images [n, h, w, c] (NCHW: [n, c, h, w]) with "
        "a filter [kh, kw, c / groups, d] -> [n, oh, ow, d].");

REGISTER_OP("Conv2DBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::Conv2DBackpropInputShape)
    .Doc(
        "Gradient of Conv2D for its input: input_sizes [4] or [height, "
        "width], filter [kh, kw, c / groups, d], out_backprop [n, oh, ow, "
        "d] -> [n, h, w, c].");

REGISTER_OP("Conv2DBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::Conv2DBackpropFilterShape)
    .Doc(
        "Gradient of Conv2D for its filter: input [n, h, w, c], "
        "filter_sizes [4], out_backprop [n, oh, ow, d] -> [kh, kw, c / "
        "groups, d].");

REGISTER_OP("Conv2DBackpropInputV2")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .SetShapeFn(LikeConv2DOperand<0>)
    .Doc(
        "Gradient of Conv2D for its input: input [n, h, w, c], of which only "
        "the "
        "shape counts, filter [kh, kw, c / groups, d], out_backprop [n, oh, "
        "ow, d] -> [n, h, w, c].");

REGISTER_OP("Conv2DBackpropFilterV2")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .SetShapeFn(LikeConv2DOperand<1>)
    .Doc(
        "Gradient of Conv2D for its filter: input [n, h, w, c], filter [kh, "
        "kw, "
        "c / groups, d], of which only the shape counts, out_backprop [n, oh, "
        "ow, d] -> [kh, kw, c / groups, d].");

REGISTER_OP("DepthwiseConv2dNative")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .SetShapeFn(shape_inference::DepthwiseConv2DNativeShape)
    .Doc(
        "Convolution of each channel on its own: images [n, h, w, c] (NCHW: "
        "[n, c, h, w]) with a filter [kh, kw, c, m] -> [n, oh, ow, c * m].");

REGISTER_OP("DepthwiseConv2dNativeBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::DepthwiseConv2DNativeBackpropInputShape)
    .Doc(
        "Gradient of DepthwiseConv2dNative for its input: input_sizes [4] or "
        "[height, width], filter [kh, kw, c, m], out_backprop [n, oh, ow, c * "
        "m] -> [n, h, w, c].");

REGISTER_OP("DepthwiseConv2dNativeBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::DepthwiseConv2DNativeBackpropFilterShape)
    .Doc(
        "Gradient of DepthwiseConv2dNative for its filter: input [n, h, w, c], "
        "filter_sizes [4], out_backprop [n, oh, ow, c * m] -> [kh, kw, c, m].");

}  // namespace tensorwright
