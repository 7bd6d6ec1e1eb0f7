// SPDX-License-Identifier: Apache-2.0
// Convolutions with three spatial dimensions.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

namespace {

template <int kInput>
Status Like(shape_inference::InferenceContext* c) {
  return shape_inference::Conv3DBackpropLikeInputShape(c, kInput);
}

}  // namespace

REGISTER_OP("Conv3D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .SetShapeFn(shape_inference::Conv3DShape)
    .Doc(
        "Cross-correlation of videos [n, d, h, w, c] (NCDHW: [n, c, d, h, w]) "
        "with a filter [kd, kh, kw, c / groups, m] -> [n, od, oh, ow, m].");

REGISTER_OP("Conv3DBackpropInputV2")
    .Input("input_sizes: Tshape")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::Conv3DBackpropInputShape)
    .Doc(
        "Gradient of Conv3D for its input: input_sizes [5], filter [kd, kh, "
        "kw, c, m], out_backprop [n, od, oh, ow, m] -> [n, d, h, w, c].");

REGISTER_OP("Conv3DBackpropFilterV2")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::Conv3DBackpropFilterShape)
    .Doc(
        "Gradient of Conv3D for its filter: input [n, d, h, w, c], "
        "filter_sizes [5], out_backprop [n, od, oh, ow, m] -> [kd, kh, kw, c, "
        "m].");

REGISTER_OP("Conv3DBackpropInput")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Deprecated(10, "Use Conv3DBackpropInputV2")
    .SetShapeFn(Like<0>)
    .Doc(
        "Conv3DBackpropInputV2 that takes the sizes from a tensor: input [n, "
        "d, h, w, c], filter, out_backprop -> like input.");

REGISTER_OP("Conv3DBackpropFilter")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Deprecated(10, "Use Conv3DBackpropFilterV2")
    .SetShapeFn(Like<1>)
    .Doc(
        "Conv3DBackpropFilterV2 that takes the sizes from a tensor: input, "
        "filter [kd, kh, kw, c, m], out_backprop -> like filter.");

}  // namespace tensorwright
