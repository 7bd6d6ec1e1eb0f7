// SPDX-License-Identifier: Apache-2.0
// Diagonals and bands of matrices.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// diagonal: [d...] of rank >= 1; output: [d..., d...].
Status DiagShape(InferenceContext* c) {
  ShapeHandle diagonal, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &diagonal));
  TF_RETURN_IF_ERROR(c->Concatenate(diagonal, diagonal, &out));
  c->set_output(0, out);
  return OkStatus();
}

// input: [d..., d...]; output: [d...].
Status DiagPartShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(in);
  if (rank == 0 || rank % 2 != 0) {
    return errors::InvalidArgument(
        "input must have even and non-zero rank, got rank ", rank);
  }
  ShapeHandle first, second, out;
  TF_RETURN_IF_ERROR(c->Subshape(in, 0, rank / 2, &first));
  TF_RETURN_IF_ERROR(c->Subshape(in, rank / 2, &second));
  TF_RETURN_IF_ERROR(c->Merge(first, second, &out));
  c->set_output(0, out);
  return OkStatus();
}

// diagonal: [..., n]; output: [..., n, n].
Status MatrixDiagShape(InferenceContext* c) {
  ShapeHandle diagonal, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &diagonal));
  if (!c->RankKnown(diagonal)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(
      c->Concatenate(diagonal, c->Vector(c->Dim(diagonal, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}

// The diagonals' shape [..., min(m, n)] of matrices [..., m, n].
Status DiagonalOf(InferenceContext* c, ShapeHandle matrices, ShapeHandle* out) {
  ShapeHandle batch;
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->Subshape(matrices, 0, -2, &batch));
  TF_RETURN_IF_ERROR(c->Min(c->Dim(matrices, -2), c->Dim(matrices, -1), &n));
  return c->Concatenate(batch, c->Vector(n), out);
}

Status MatrixDiagPartShape(InferenceContext* c) {
  ShapeHandle in, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(DiagonalOf(c, in, &out));
  c->set_output(0, out);
  return OkStatus();
}

// input: [..., m, n], diagonal: [..., min(m, n)]; the output is input's shape.
Status MatrixSetDiagShape(InferenceContext* c) {
  ShapeHandle in, diagonal;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  if (c->RankKnown(diagonal)) {
    TF_RETURN_IF_ERROR(c->WithRank(in, c->Rank(diagonal) + 1, &in));
  }
  if (c->RankKnown(in)) {
    ShapeHandle expected, batch, rows_and_cols;
    TF_RETURN_IF_ERROR(DiagonalOf(c, in, &expected));
    TF_RETURN_IF_ERROR(c->Merge(expected, diagonal, &diagonal));
    TF_RETURN_IF_ERROR(c->Subshape(diagonal, 0, -1, &batch));
    TF_RETURN_IF_ERROR(c->Subshape(in, -2, &rows_and_cols));
    TF_RETURN_IF_ERROR(c->Concatenate(batch, rows_and_cols, &in));
  }
  c->set_output(0, in);
  return OkStatus();
}

// num_lower, num_upper: scalars.
Status MatrixBandPartShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return shape_inference::UnchangedShapeWithRankAtLeast(c, 2);
}

}  // namespace

REGISTER_OP("Diag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .SetShapeFn(DiagShape)
    .Doc(
        "diagonal [d...] -> [d..., d...], zero but for output[i..., i...] = "
        "diagonal[i...].");

REGISTER_OP("DiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .SetShapeFn(DiagPartShape)
    .Doc("input [d..., d...] -> [d...]: diagonal[i...] = input[i..., i...].");

REGISTER_OP("MatrixDiag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(MatrixDiagShape)
    .Doc("diagonal [..., n] -> matrices [..., n, n] with it, zero elsewhere.");

REGISTER_OP("MatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(MatrixSetDiagShape)
    .Doc(
        "input [..., m, n], diagonal [..., min(m, n)] -> input with these main "
        "diagonals.");

REGISTER_OP("MatrixDiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .SetShapeFn(MatrixDiagPartShape)
    .Doc("The main diagonals of input: [..., m, n] -> [..., min(m, n)].");

REGISTER_OP("MatrixBandPart")
    .Input("input: T")
    .Input("num_lower: Tindex")
    .Input("num_upper: Tindex")
    .Output("band: T")
    .Attr("T: type")
    .Attr("Tindex: {int32, int64} = DT_INT64")
    .SetShapeFn(MatrixBandPartShape)
    .Doc(
        "input [..., m, n] with zeros outside its num_lower [] lower and "
        "num_upper [] upper diagonals, of which a negative number is all.");

REGISTER_OP("BatchMatrixDiag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(14, "Use MatrixDiag")
    .SetShapeFn(MatrixDiagShape)
    .Doc("diagonal [..., n] -> matrices [..., n, n] with it, zero elsewhere.");

REGISTER_OP("BatchMatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(14, "Use MatrixSetDiag")
    .SetShapeFn(MatrixSetDiagShape)
    .Doc(
        "input [..., m, n], diagonal [..., min(m, n)] -> input with these main "
        "diagonals.");

REGISTER_OP("BatchMatrixDiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Deprecated(14, "Use MatrixDiagPart")
    .SetShapeFn(MatrixDiagPartShape)
    .Doc("The main diagonals of input: [..., m, n] -> [..., min(m, n)].");

REGISTER_OP("BatchMatrixBandPart")
    .Input("input: T")
    .Input("num_lower: int64")
    .Input("num_upper: int64")
    .Output("band: T")
    .Attr("T: type")
    .Deprecated(14, "Use MatrixBandPart")
    .SetShapeFn(MatrixBandPartShape)
    .Doc(
        "input [..., m, n] with zeros outside its num_lower [] lower and "
        "num_upper [] upper diagonals, of which a negative number is all.");

}  // namespace tensorwright
