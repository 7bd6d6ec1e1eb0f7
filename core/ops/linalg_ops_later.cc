// SPDX-License-Identifier: Apache-2.0
// Linear algebra of TensorFlow versions after 1.3 that today's programs use.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Checks that the first input is [..., n, n].
Status Square(InferenceContext* c, ShapeHandle* out) {
  ShapeHandle s, batch;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &s));
  *out = s;
  if (!c->RankKnown(s)) return OkStatus();
  DimensionHandle n;
  if (!c->Merge(c->Dim(s, -2), c->Dim(s, -1), &n).ok()) {
    return errors::InvalidArgument("Input matrix must be square, got shape ",
                                   c->DebugString(s));
  }
  TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &batch));
  return c->Concatenate(batch, c->Matrix(n, n), out);
}

Status LogDeterminantShape(InferenceContext* c) {
  ShapeHandle s, out;
  TF_RETURN_IF_ERROR(Square(c, &s));
  out = s;
  if (c->RankKnown(s)) TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &out));
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}

Status SquareShape(InferenceContext* c) {
  ShapeHandle s;
  TF_RETURN_IF_ERROR(Square(c, &s));
  c->set_output(0, s);
  return OkStatus();
}

// [..., n, n] -> the same, [..., n].
Status LuShape(InferenceContext* c) {
  ShapeHandle s, p;
  TF_RETURN_IF_ERROR(Square(c, &s));
  p = s;
  if (c->RankKnown(s)) TF_RETURN_IF_ERROR(c->Subshape(s, 0, -1, &p));
  c->set_output(0, s);
  c->set_output(1, p);
  return OkStatus();
}

// diagonals [..., 3, n], rhs [..., n, k] -> rhs's shape.
Status TridiagonalSolveShape(InferenceContext* c) {
  ShapeHandle diagonals, rhs, batch, of_rhs, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &diagonals));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &rhs));
  if (!c->RankKnown(diagonals) || !c->RankKnown(rhs)) {
    c->set_output(0, rhs);
    return OkStatus();
  }
  DimensionHandle three, n;
  if (!c->WithValue(c->Dim(diagonals, -2), 3, &three).ok()) {
    return errors::InvalidArgument(
        "Expected 3 diagonals in dimension -2, got shape ",
        c->DebugString(diagonals));
  }
  TF_RETURN_IF_ERROR(c->Subshape(diagonals, 0, -2, &batch));
  TF_RETURN_IF_ERROR(c->Subshape(rhs, 0, -2, &of_rhs));
  TF_RETURN_IF_ERROR(c->Merge(batch, of_rhs, &batch));
  if (!c->Merge(c->Dim(diagonals, -1), c->Dim(rhs, -2), &n).ok()) {
    return errors::InvalidArgument(
        "The length of diagonals and the number of rows of rhs must be equal, "
        "got shapes ",
        c->DebugString(diagonals), " and ", c->DebugString(rhs));
  }
  TF_RETURN_IF_ERROR(
      c->Concatenate(batch, c->Matrix(n, c->Dim(rhs, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .SetShapeFn(LogDeterminantShape)
    .Doc(
        "Determinants of square matrices as sign exp(log_abs_determinant): "
        "[..., n, n] -> [...], [...].");

REGISTER_OP("Lu")
    .Input("input: T")
    .Output("lu: T")
    .Output("p: output_idx_type")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Attr("output_idx_type: {int32, int64} = DT_INT32")
    .SetShapeFn(LuShape)
    .Doc(
        "input [..., n, n] = P L U: L below the diagonal of lu [..., n, n], "
        "its "
        "own of ones, and U; row i of L U is row p[..., i] of input; "
        "InvalidArgument if a matrix is singular.");

REGISTER_OP("MatrixLogarithm")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128}")
    .SetShapeFn(SquareShape)
    .Doc("Principal logarithms of square matrices: [..., n, n].");

REGISTER_OP("MatrixSquareRoot")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .SetShapeFn(SquareShape)
    .Doc("Principal square roots of square matrices: [..., n, n].");

REGISTER_OP("TridiagonalSolve")
    .Input("diagonals: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("partial_pivoting: bool = True")
    .Attr("perturb_singular: bool = False")
    .Attr("T: {double, float, complex64, complex128}")
    .SetShapeFn(TridiagonalSolveShape)
    .Doc(
        "X with A X = rhs [..., n, k], A of the diagonals [..., 3, n] above, "
        "on "
        "and below the main one: the last element of the first and the first "
        "of "
        "the last do not count.");

}  // namespace tensorwright
