// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra: factors, solutions, determinants.  Batches of matrices
// lie in the last two dimensions.

#include <string>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Sets *out to [..., n, n], with n known if either dimension is.
Status SquareMatrices(InferenceContext* c, ShapeHandle in, ShapeHandle* out) {
  ShapeHandle s, batch;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(in, 2, &s));
  if (!c->RankKnown(s)) {
    *out = s;
    return OkStatus();
  }
  DimensionHandle n;
  if (!c->Merge(c->Dim(s, -2), c->Dim(s, -1), &n).ok()) {
    return errors::InvalidArgument("Input matrix must be square, got shape ",
                                   c->DebugString(s));
  }
  TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &batch));
  return c->Concatenate(batch, c->Matrix(n, n), out);
}

// The first output is like the first input, square matrices.
Status UnchangedSquareShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(0), &out));
  c->set_output(0, out);
  return OkStatus();
}

Status CholeskyGradShape(InferenceContext* c) {
  ShapeHandle l, grad;
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(0), &l));
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(1), &grad));
  TF_RETURN_IF_ERROR(c->Merge(l, grad, &l));
  c->set_output(0, l);
  return OkStatus();
}

// [..., n, n] -> [...], for every output.
Status DeterminantShape(InferenceContext* c) {
  ShapeHandle s, out;
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(0), &s));
  out = s;
  if (c->RankKnown(s)) TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &out));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}

// The dimensions before the last two; unknown if the rank is.
Status BatchOf(InferenceContext* c, ShapeHandle s, ShapeHandle* batch) {
  if (!c->RankKnown(s)) {
    *batch = s;
    return OkStatus();
  }
  return c->Subshape(s, 0, -2, batch);
}

// matrix [..., m, n], rhs [..., m, k] -> [..., n, k].
Status SolveShape(InferenceContext* c, bool square, bool broadcast) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  if (square) TF_RETURN_IF_ERROR(SquareMatrices(c, a, &a));
  if (!broadcast) {
    // If one rank is known, so is the other.
    if (c->RankKnown(a)) TF_RETURN_IF_ERROR(c->WithRank(b, c->Rank(a), &b));
    if (c->RankKnown(b)) TF_RETURN_IF_ERROR(c->WithRank(a, c->Rank(b), &a));
  }
  if (!c->RankKnown(a) || !c->RankKnown(b)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  ShapeHandle batch_a, batch_b, batch, out;
  TF_RETURN_IF_ERROR(BatchOf(c, a, &batch_a));
  TF_RETURN_IF_ERROR(BatchOf(c, b, &batch_b));
  if (broadcast) {
    TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
        c, batch_a, batch_b, &batch));
  } else if (!c->Merge(batch_a, batch_b, &batch).ok()) {
    return errors::InvalidArgument(
        "matrix and rhs must have the same outer dimensions, got shapes ",
        c->DebugString(a), " and ", c->DebugString(b));
  }
  DimensionHandle m;
  if (!c->Merge(c->Dim(a, -2), c->Dim(b, -2), &m).ok()) {
    return errors::InvalidArgument(
        "Input matrix and rhs are incompatible, got shapes ", c->DebugString(a),
        " and ", c->DebugString(b));
  }
  DimensionHandle n = square ? m : c->Dim(a, -1);
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, c->Dim(b, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}

Status MatrixSolveShape(InferenceContext* c) {
  return SolveShape(c, /*square=*/true, /*broadcast=*/false);
}

Status TriangularSolveShape(InferenceContext* c) {
  return SolveShape(c, /*square=*/true, /*broadcast=*/true);
}

Status MatrixSolveLsShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return SolveShape(c, /*square=*/false, /*broadcast=*/false);
}

// [..., n, n] -> eigenvalues above eigenvectors: [..., n + 1, n].
Status SelfAdjointEigShape(InferenceContext* c) {
  ShapeHandle s, batch, out;
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(0), &s));
  if (!c->RankKnown(s)) {
    c->set_output(0, s);
    return OkStatus();
  }
  const DimensionHandle n = c->Dim(s, -1);
  DimensionHandle rows;
  TF_RETURN_IF_ERROR(c->Add(n, 1, &rows));
  TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &batch));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, n), &out));
  c->set_output(0, out);
  return OkStatus();
}

// [..., n, n] -> e [..., n], v [..., n, n], or [0] without vectors.
Status SelfAdjointEigV2Shape(InferenceContext* c) {
  ShapeHandle s, batch, e;
  TF_RETURN_IF_ERROR(SquareMatrices(c, c->input(0), &s));
  bool compute_v;
  TF_RETURN_IF_ERROR(c->GetAttr("compute_v", &compute_v));
  e = s;
  if (c->RankKnown(s)) TF_RETURN_IF_ERROR(c->Subshape(s, 0, -1, &e));
  c->set_output(0, e);
  c->set_output(1, compute_v ? s : c->Vector(0));
  return OkStatus();
}

// [..., m, n] -> q [..., m, k], r [..., k, n], k = min(m, n); or k = m.
Status QrShape(InferenceContext* c) {
  ShapeHandle s, batch, q, r;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &s));
  bool full;
  TF_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  if (!c->RankKnown(s)) {
    c->set_output(0, c->UnknownShape());
    c->set_output(1, c->UnknownShape());
    return OkStatus();
  }
  const DimensionHandle m = c->Dim(s, -2), n = c->Dim(s, -1);
  DimensionHandle k = m;
  if (!full) TF_RETURN_IF_ERROR(c->Min(m, n, &k));
  TF_RETURN_IF_ERROR(c->Subshape(s, 0, -2, &batch));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(m, k), &q));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(k, n), &r));
  c->set_output(0, q);
  c->set_output(1, r);
  return OkStatus();
}

// [..., m, n] -> s [..., k], u [..., m, k], v [..., n, k], k = min(m, n); the
// latter two square if all vectors are wanted, and [0] if none.
Status SvdShape(InferenceContext* c) {
  ShapeHandle in, batch, s, u, v;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  bool full, compute_uv;
  TF_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  TF_RETURN_IF_ERROR(c->GetAttr("compute_uv", &compute_uv));
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    for (int i = 1; i < 3; ++i) {
      c->set_output(i, compute_uv ? c->UnknownShape() : c->Vector(0));
    }
    return OkStatus();
  }
  const DimensionHandle m = c->Dim(in, -2), n = c->Dim(in, -1);
  DimensionHandle k;
  TF_RETURN_IF_ERROR(c->Min(m, n, &k));
  TF_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &batch));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Vector(k), &s));
  c->set_output(0, s);
  if (!compute_uv) {
    c->set_output(1, c->Vector(0));
    c->set_output(2, c->Vector(0));
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(m, full ? m : k), &u));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, full ? n : k), &v));
  c->set_output(1, u);
  c->set_output(2, v);
  return OkStatus();
}

constexpr char kReals[] = "T: {double, float}";
constexpr char kFloats[] = "T: {double, float, complex64, complex128}";

}  // namespace

REGISTER_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {float, double, complex64, complex128}")
    .SetShapeFn(DeterminantShape)
    .Doc("Determinants of square matrices: [..., n, n] -> [...].");

REGISTER_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = False")
    .Attr(kFloats)
    .SetShapeFn(UnchangedSquareShape)
    .Doc(
        "Inverses of square matrices [..., n, n], or of their adjoints; "
        "InvalidArgument if one is singular.");

REGISTER_OP("Cholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr(kFloats)
    .SetShapeFn(UnchangedSquareShape)
    .Doc(
        "Lower triangular L with L L^H = input [..., n, n], Hermitian and "
        "positive definite, of which the lower triangle is read.");

REGISTER_OP("CholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .SetShapeFn(CholeskyGradShape)
    .Doc(
        "The gradient of Cholesky's input, symmetric, of its output l and the "
        "output's gradient: [..., n, n] each.");

REGISTER_OP("SelfAdjointEig")
    .Input("input: T")
    .Output("output: T")
    .Attr(kReals)
    .Deprecated(11, "Use SelfAdjointEigV2 instead.")
    .SetShapeFn(SelfAdjointEigShape)
    .Doc(
        "Eigenvalues of symmetric matrices in a row above their eigenvectors, "
        "which are columns: [..., n, n] -> [..., n + 1, n].");

REGISTER_OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = True")
    .Attr(kFloats)
    .SetShapeFn(SelfAdjointEigV2Shape)
    .Doc(
        "Eigenvalues e [..., n], ascending, and eigenvectors, the columns of v "
        "[..., n, n] (or [0]), of Hermitian matrices [..., n, n], of which the "
        "lower triangle is read.");

REGISTER_OP("MatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = False")
    .Attr(kFloats)
    .SetShapeFn(MatrixSolveShape)
    .Doc(
        "X with matrix X = rhs, or of the adjoint: [..., n, n], [..., n, k] -> "
        "[..., n, k]; InvalidArgument if a matrix is singular.");

REGISTER_OP("MatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = True")
    .Attr("adjoint: bool = False")
    .Attr(kFloats)
    .SetShapeFn(TriangularSolveShape)
    .Doc(
        "X with matrix X = rhs, where the lower or upper triangle of matrix "
        "counts, or its adjoint: [..., n, n], [..., n, k] -> [..., n, k], "
        "outer "
        "dimensions broadcast.");

REGISTER_OP("MatrixSolveLs")
    .Input("matrix: T")
    .Input("rhs: T")
    .Input("l2_regularizer: double")
    .Output("output: T")
    .Attr("T: {double, float, complex64, complex128}")
    .Attr("fast: bool = True")
    .SetShapeFn(MatrixSolveLsShape)
    .Doc(
        "X of the least |matrix X - rhs|^2 + l2_regularizer |X|^2, by normal "
        "equations if fast, else the least X of those without l2_regularizer: "
        "[..., m, n], [..., m, k] -> [..., n, k].");

REGISTER_OP("Qr")
    .Input("input: T")
    .Output("q: T")
    .Output("r: T")
    .Attr("full_matrices: bool = False")
    .Attr(kFloats)
    .SetShapeFn(QrShape)
    .Doc(
        "input [..., m, n] = q r with orthonormal columns q [..., m, k] and "
        "upper triangular r [..., k, n]; k = min(m, n), or m.");

REGISTER_OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = True")
    .Attr("full_matrices: bool = False")
    .Attr(kFloats)
    .SetShapeFn(SvdShape)
    .Doc(
        "input [..., m, n] = u diag(s) v^H, s [..., k] descending, k = min(m, "
        "n), u [..., m, k], v [..., n, k], or square, or [0].");

// ---- Deprecated forms, whose names tell that they take batches.

REGISTER_OP("BatchSelfAdjointEig")
    .Input("input: T")
    .Output("output: T")
    .Attr(kReals)
    .Deprecated(11, "Use SelfAdjointEigV2 instead.")
    .SetShapeFn(SelfAdjointEigShape)
    .Doc("As SelfAdjointEig: [..., n, n] -> [..., n + 1, n].");

REGISTER_OP("BatchMatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {float, double, complex64, complex128}")
    .Deprecated(13, "Use MatrixDeterminant instead.")
    .SetShapeFn(DeterminantShape)
    .Doc("As MatrixDeterminant: [..., n, n] -> [...].");

REGISTER_OP("BatchMatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = False")
    .Attr(kReals)
    .Deprecated(13, "Use MatrixInverse instead.")
    .SetShapeFn(UnchangedSquareShape)
    .Doc("As MatrixInverse: [..., n, n] -> [..., n, n].");

REGISTER_OP("BatchCholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr(kReals)
    .Deprecated(13, "Use Cholesky instead.")
    .SetShapeFn(UnchangedSquareShape)
    .Doc("As Cholesky: [..., n, n] -> [..., n, n].");

REGISTER_OP("BatchCholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Deprecated(13, "Use CholeskyGrad instead.")
    .SetShapeFn(CholeskyGradShape)
    .Doc("As CholeskyGrad: [..., n, n], [..., n, n] -> [..., n, n].");

REGISTER_OP("BatchSelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = True")
    .Attr(kReals)
    .Deprecated(13, "Use SelfAdjointEigV2 instead.")
    .SetShapeFn(SelfAdjointEigV2Shape)
    .Doc("As SelfAdjointEigV2: [..., n, n] -> [..., n], [..., n, n] or [0].");

REGISTER_OP("BatchMatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = False")
    .Attr(kReals)
    .Deprecated(13, "Use MatrixSolve instead.")
    .SetShapeFn(MatrixSolveShape)
    .Doc("As MatrixSolve: [..., n, n], [..., n, k] -> [..., n, k].");

REGISTER_OP("BatchMatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = True")
    .Attr("adjoint: bool = False")
    .Attr(kReals)
    .Deprecated(13, "Use MatrixTriangularSolve instead.")
    .SetShapeFn(MatrixSolveShape)
    .Doc("As MatrixTriangularSolve: [..., n, n], [..., n, k] -> [..., n, k].");

REGISTER_OP("BatchMatrixSolveLs")
    .Input("matrix: T")
    .Input("rhs: T")
    .Input("l2_regularizer: double")
    .Output("output: T")
    .Attr(kReals)
    .Attr("fast: bool = True")
    .Deprecated(13, "Use MatrixSolveLs instead.")
    .SetShapeFn(MatrixSolveLsShape)
    .Doc("As MatrixSolveLs: [..., m, n], [..., m, k] -> [..., n, k].");

REGISTER_OP("BatchSvd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = True")
    .Attr("full_matrices: bool = False")
    .Attr("T: {double, float, complex64, complex128}")
    .Deprecated(13, "Use Svd instead.")
    .SetShapeFn(SvdShape)
    .Doc("As Svd: [..., m, n] -> [..., k], [..., m, k], [..., n, k].");

}  // namespace tensorwright
