// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of two arguments, comparisons and Select: registrations and
// shape functions.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Broadcasts.  But if incompatible_shape_error is false, shapes that do not
// broadcast give a scalar, and the result is unknown until the shapes are
// known.
Status EqualityShape(InferenceContext* c) {
  bool incompatible_shape_error = true;
  TF_RETURN_IF_ERROR(
      c->GetAttr("incompatible_shape_error", &incompatible_shape_error));
  const Status broadcast = shape_inference::BroadcastBinaryOpShapeFn(c);
  if (broadcast.ok() &&
      (incompatible_shape_error ||
       (c->FullyDefined(c->input(0)) && c->FullyDefined(c->input(1))))) {
    return broadcast;
  }
  if (incompatible_shape_error) return broadcast;
  c->set_output(0, broadcast.ok() ? c->UnknownShape() : c->Scalar());
  return OkStatus();
}

// condition: t's shape, a scalar, or [t's first dimension].
Status SelectShape(InferenceContext* c) {
  ShapeHandle data;
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &data));
  const ShapeHandle condition = c->input(0);
  if (!c->RankKnown(condition) || !c->RankKnown(data)) {
    c->set_output(0, data);
    return OkStatus();
  }
  if (c->Rank(condition) == 0) {
    c->set_output(0, data);
    return OkStatus();
  }
  if (c->Rank(condition) == 1 && c->Rank(data) >= 1) {
    DimensionHandle rows;
    if (!c->Merge(c->Dim(condition, 0), c->Dim(data, 0), &rows).ok()) {
      return errors::InvalidArgument(
          "Select: a vector condition must have the size of the first "
          "dimension of t, got condition ",
          c->DebugString(condition), " and t ", c->DebugString(data));
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(data, 0, rows, &data));
    c->set_output(0, data);
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->Merge(data, condition, &data));
  c->set_output(0, data);
  return OkStatus();
}

Status SelectV2Shape(InferenceContext* c) {
  ShapeHandle values, all;
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
      c, c->input(1), c->input(2), &values));
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
      c, c->input(0), values, &all));
  c->set_output(0, all);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Add")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, int16, int32, "
        "int64, complex64, complex128, string}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x + y (strings are joined), with broadcasting.");

REGISTER_OP("AddV2")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, "
        "int8, int16, int32, int64, complex64, complex128}")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x + y of numbers, with broadcasting.");

REGISTER_OP("Sub")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, int64, complex64, complex128, uint32, uint64}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x - y, with broadcasting.");

REGISTER_OP("Mul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, uint32, uint64, int64, complex64, complex128}")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x * y, with broadcasting.");

REGISTER_OP("Div")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, uint32, uint64, int64, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x / y, for integers rounded toward zero, with broadcasting.");

REGISTER_OP("RealDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, uint32, uint64, int64, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x / y for real or complex numbers, with broadcasting.");

REGISTER_OP("FloorDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, uint32, uint64, int64, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = floor(x / y), for integers too, with broadcasting.");

REGISTER_OP("TruncateDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, "
        "int32, uint32, uint64, int64, complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x / y of integers rounded toward zero, with broadcasting.");

REGISTER_OP("FloorMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
        "bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x - floor(x / y) * y, of y's sign, with broadcasting.");

REGISTER_OP("Mod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, half, bfloat16, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = remainder of x / y, of x's sign, with broadcasting.");

REGISTER_OP("TruncateMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = remainder of x / y, of x's sign, with broadcasting.");

REGISTER_OP("Pow")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, float, half, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x to the power y, with broadcasting.");

REGISTER_OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = angle of the point (x, y) in (-pi, pi], with broadcasting.");

REGISTER_OP("Maximum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, "
        "int32, uint32, int64, uint64}")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = the larger of x and y, with broadcasting.");

REGISTER_OP("Minimum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, "
        "int32, uint32, int64, uint64}")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = the smaller of x and y, with broadcasting.");

REGISTER_OP("SquaredDifference")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = (x - y) * conj(x - y), with broadcasting.");

REGISTER_OP("Less")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x < y, with broadcasting.");

REGISTER_OP("LessEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x <= y, with broadcasting.");

REGISTER_OP("Greater")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x > y, with broadcasting.");

REGISTER_OP("GreaterEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x >= y, with broadcasting.");

REGISTER_OP("LogicalAnd")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x and y, with broadcasting.");

REGISTER_OP("LogicalOr")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("z = x or y, with broadcasting.");

REGISTER_OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc("out = real + imag * i, with broadcasting.");

REGISTER_OP("Equal")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .SetIsCommutative()
    .SetShapeFn(EqualityShape)
    .Doc(
        "z = (x == y), with broadcasting; the scalar false for shapes that "
        "do not broadcast if incompatible_shape_error is false.");

REGISTER_OP("NotEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: type")
    .Attr("incompatible_shape_error: bool = true")
    .SetIsCommutative()
    .SetShapeFn(EqualityShape)
    .Doc(
        "z = (x != y), with broadcasting; the scalar true for shapes that "
        "do not broadcast if incompatible_shape_error is false.");

REGISTER_OP("ApproximateEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("tolerance: float = 0.00001")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = |x - y| <= tolerance, element by element: all of one shape.");

REGISTER_OP("Select")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(SelectShape)
    .Doc(
        "Elements of t where condition is true, of e elsewhere; condition "
        "has t's shape, or is a scalar, or a vector that chooses along t's "
        "first dimension.");

REGISTER_OP("SelectV2")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(SelectV2Shape)
    .Doc(
        "Elements of t where condition is true, of e elsewhere, all three "
        "broadcast to one shape.");

}  // namespace tensorwright
