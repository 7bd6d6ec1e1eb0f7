// SPDX-License-Identifier: Apache-2.0
// Max and average pools.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {
namespace {

template <bool kSecond>
Status GradWithArgmax(shape_inference::InferenceContext* c) {
  return shape_inference::MaxPoolGradWithArgmaxShape(c, kSecond);
}

}  // namespace

REGISTER_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, "
        "int8, uint16, qint8} = DT_FLOAT")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .SetShapeFn(shape_inference::MaxPoolShape)
    .Doc(
        "Maximum of each window of input [n, h, w, c] (NCHW: [n, c, h, w]); "
        "ksize and strides in the order of data_format.");

REGISTER_OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64} = DT_FLOAT")
    .SetShapeFn(shape_inference::MaxPoolGradShape)
    .Doc(
        "Gradient of MaxPool: grad, in the shape of orig_output, goes to "
        "the first maximum of each window of orig_input.");

REGISTER_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(shape_inference::AvgPoolShape)
    .Doc(
        "Mean of each window of value [n, h, w, c] (NCHW: [n, c, h, w]), "
        "without the padding.");

REGISTER_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::AvgPoolGradShape)
    .Doc(
        "Gradient of AvgPool: grad [n, oh, ow, c] spread evenly over its "
        "windows -> orig_input_shape.");

REGISTER_OP("MaxPoolGradGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::MaxPoolGradGradShape)
    .Doc(
        "Gradient of MaxPoolGrad for grad: the elements of grad, in the shape "
        "of orig_input, at the first maximum of each window -> the shape of "
        "orig_output.");

REGISTER_OP("MaxPoolWithArgmax")
    .Input("input: T")
    .Output("output: T")
    .Output("argmax: Targmax")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("Targmax: {int32, int64} = DT_INT64")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::MaxPoolWithArgmaxShape)
    .Doc(
        "Maximum of each window of input [n, h, w, c], and where it is: (y * w "
        "+ x) * c + channel, plus n * h * w * c if include_batch_in_index.");

REGISTER_OP("MaxPoolGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("Targmax: {int32, int64}")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(GradWithArgmax<false>)
    .Doc(
        "Gradient of MaxPoolWithArgmax: each element of grad, in the shape of "
        "its output, is added to the place argmax says -> the shape of input.");

REGISTER_OP("MaxPoolGradGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("Targmax: {int32, int64}")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(GradWithArgmax<true>)
    .Doc(
        "Gradient of MaxPoolGradWithArgmax for its grad: the elements of grad, "
        "in the shape of input, at the places argmax says -> the shape of "
        "argmax.");

}  // namespace tensorwright
