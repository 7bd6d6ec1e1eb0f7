// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of versions later than 1.3: registrations.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Bounds that are scalars, or in the shape of t -> that shape.
Status ClipByValueShape(InferenceContext* c) {
  ShapeHandle t = c->input(0);
  for (int i = 1; i < 3; ++i) {
    const ShapeHandle bound = c->input(i);
    if (c->RankKnown(bound) && c->Rank(bound) > 0) {
      TF_RETURN_IF_ERROR(c->Merge(t, bound, &t));
    }
  }
  c->set_output(0, t);
  return OkStatus();
}

}  // namespace

REGISTER_OP("DivNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, float, bfloat16, double, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x / y, and 0 where y is 0, with broadcasting.");

REGISTER_OP("MulNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "z = x * y, and 0 where y is 0, even if x is infinite or NaN, with "
        "broadcasting.");

REGISTER_OP("Xdivy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x / y, and 0 where x is 0, with broadcasting.");

REGISTER_OP("Xlogy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x * log(y), and 0 where x is 0, with broadcasting.");

REGISTER_OP("Xlog1py")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x * log(1 + y), and 0 where x is 0, with broadcasting.");

REGISTER_OP("NextAfter")
    .Input("x1: T")
    .Input("x2: T")
    .Output("output: T")
    .Attr("T: {double, float} = DT_FLOAT")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "The number of type T next to x1 in the direction of x2, with "
        "broadcasting.");

REGISTER_OP("Angle")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Attr("Tout: {float, double} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Angle of each complex element in radians, in (-pi, pi], in the shape "
        "of input.");

REGISTER_OP("ClipByValue")
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(ClipByValueShape)
    .Doc(
        "max(min(t, clip_value_max), clip_value_min); the bounds are scalars "
        "or have the shape of t.");

}  // namespace tensorwright
