// SPDX-License-Identifier: Apache-2.0
// Running sums and products, and sums of exponentials.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// x of rank >= 1, a scalar axis -> x's shape.
Status ScanShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Cumsum")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ScanShape)
    .Doc(
        "Running sums along axis, in the shape of x; exclusive: without the "
        "element itself; reverse: from the end.");

REGISTER_OP("Cumprod")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ScanShape)
    .Doc(
        "Running products along axis, in the shape of x; exclusive: without "
        "the element itself; reverse: from the end.");

REGISTER_OP("CumulativeLogsumexp")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ScanShape)
    .Doc(
        "Logarithms of running sums of exp(x) along axis, in the shape of x; "
        "exclusive: without the element itself, so that the first is -inf; "
        "reverse: from the end.");

}  // namespace tensorwright
