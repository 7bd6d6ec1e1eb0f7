// SPDX-License-Identifier: Apache-2.0
// Max pools of later versions, whose windows and strides are inputs.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("MaxPoolV2")
    .Input("input: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, "
        "int8, uint16, qint8} = DT_FLOAT")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .SetShapeFn(shape_inference::MaxPoolShape)
    .Doc(
        "Maximum of each window of input [n, h, w, c] (NCHW: [n, c, h, w]); "
        "ksize [4] and strides [4] in the order of data_format.");

REGISTER_OP("MaxPoolGradV2")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64} = DT_FLOAT")
    .SetShapeFn(shape_inference::MaxPoolGradShape)
    .Doc(
        "Gradient of MaxPoolV2: grad, in the shape of orig_output, goes to "
        "the first maximum of each window of orig_input.");

REGISTER_OP("MaxPoolGradGradV2")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::MaxPoolGradGradShape)
    .Doc(
        "Gradient of MaxPoolGradV2 for grad: the elements of grad, in the "
        "shape of orig_input, at the first maximum of each window -> the shape "
        "of orig_output.");

}  // namespace tensorwright
