// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools that graph passes put in the place of the public ones;
// see core/util/fused_program.h.  No user makes them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/fused_program.h"

namespace tensorwright {

REGISTER_OP("_FusedConv2D")
    .Input("input: T")
    .Input("filter: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr("T: {float}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Attr("ops: list(func) >= 2")
    .Attr("names: list(string) >= 2")
    .Attr("arities: list(int) >= 2")
    .Attr("operands: list(int) >= 2")
    .Attr("results: list(int) = [3]")
    .SetShapeFn(FusedProgramShape)
    .Doc(
        "activation(Conv2D(input, filter) + bias): images [n, h, w, c], filter "
        "[kh, kw, c, d], bias [d] -> [n, oh, ow, d]; the activation is the "
        "third of ops, if there is one.");

REGISTER_OP("_MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Output("places: uint8")
    .Attr("T: {float}")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC'} = 'NHWC'")
    .SetShapeFn(shape_inference::MaxPoolWithArgmaxShape)
    .Doc(
        "MaxPool of images [n, h, w, c] with windows of at most 64 pixels, and "
        "the place of each maximum: the number of its pixel in the window, row "
        "by row.");

REGISTER_OP("_MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: uint8")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {float}")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC'} = 'NHWC'")
    .SetShapeFn(shape_inference::MaxPoolGradShape)
    .Doc(
        "MaxPoolGrad with the places of the maxima in orig_output; of "
        "orig_input it takes the shape.");

}  // namespace tensorwright
