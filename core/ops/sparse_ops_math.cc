// SPDX-License-Identifier: Apache-2.0
// Arithmetic of sparse tensors, with each other and with dense ones.

#include <cstdint>
#include <vector>

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/sparse_ops_shape.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// indices, values and shape of two tensors of one rank.
Status TwoSparseInputs(InferenceContext* c, DimensionHandle* rank) {
  DimensionHandle unused, a, b;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &unused, &a));
  TF_RETURN_IF_ERROR(SparseInputShape(c, 3, &unused, &b));
  return c->Merge(a, b, rank);
}

Status SparseAddShape(InferenceContext* c) {
  DimensionHandle rank;
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(TwoSparseInputs(c, &rank));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(6), 0, &unused));
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim, rank);
  return OkStatus();
}

Status SparseAddGradShape(InferenceContext* c) {
  ShapeHandle grad, rows[3];
  DimensionHandle unused, rank = c->UnknownDim();
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &grad));
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i + 1), 2, &rows[i]));
    TF_RETURN_IF_ERROR(c->Merge(rank, c->Dim(rows[i], 1), &rank));
  }
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grad, 0), c->Dim(rows[2], 0), &unused));
  c->set_output(0, c->Vector(c->Dim(rows[0], 0)));
  c->set_output(1, c->Vector(c->Dim(rows[1], 0)));
  return OkStatus();
}

Status SparseSparseShape(InferenceContext* c) {
  DimensionHandle rank;
  TF_RETURN_IF_ERROR(TwoSparseInputs(c, &rank));
  c->set_output(0, c->Matrix(c->UnknownDim(), rank));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// One value for each value of the sparse tensor.
Status SparseValuesShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  c->set_output(0, c->Vector(n));
  return OkStatus();
}

Status SparseTensorDenseAddShape(InferenceContext* c) {
  DimensionHandle n, rank;
  ShapeHandle b;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  b = c->input(3);
  if (c->ValueKnown(rank)) {
    TF_RETURN_IF_ERROR(c->WithRank(b, c->Value(rank), &b));
  }
  c->set_output(0, b);
  return OkStatus();
}

Status SparseTensorDenseMatMulShape(InferenceContext* c) {
  DimensionHandle unused, rank;
  ShapeHandle a, b;
  bool adjoint_a = false, adjoint_b = false;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &unused, &rank));
  TF_RETURN_IF_ERROR(c->WithValue(rank, 2, &rank));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(a, 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 2, &b));
  TF_RETURN_IF_ERROR(c->GetAttr("adjoint_a", &adjoint_a));
  TF_RETURN_IF_ERROR(c->GetAttr("adjoint_b", &adjoint_b));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, adjoint_a ? 0 : 1),
                              c->Dim(b, adjoint_b ? 1 : 0), &unused));
  c->set_output(
      0, c->Matrix(c->Dim(a, adjoint_a ? 1 : 0), c->Dim(b, adjoint_b ? 0 : 1)));
  return OkStatus();
}

// The sizes of the result of a reduction; unknown if the sizes or the axes are.
Status SparseReduceShape(InferenceContext* c) {
  DimensionHandle n, rank;
  ShapeHandle shape, unused;
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(3), 1, &unused));
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &shape));
  const Tensor* axes = c->input_tensor(3);
  if (!c->RankKnown(shape) || axes == nullptr) {
    c->set_output(0, c->RankKnown(shape) && keep_dims
                         ? c->UnknownShapeOfRank(c->Rank(shape))
                         : c->UnknownShape());
    return OkStatus();
  }
  const int64_t dims = c->Rank(shape);
  std::vector<bool> reduced(dims, false);
  for (int64_t i = 0; i < axes->NumElements(); ++i) {
    const int64_t axis = axes->base<int32_t>()[i];
    if (axis < -dims || axis >= dims) {
      return errors::InvalidArgument("Invalid reduction dimension ", axis,
                                     ", for input with ", dims, " dimensions.");
    }
    reduced[axis < 0 ? axis + dims : axis] = true;
  }
  std::vector<DimensionHandle> kept;
  for (int64_t d = 0; d < dims; ++d) {
    if (!reduced[d]) {
      kept.push_back(c->Dim(shape, d));
    } else if (keep_dims) {
      kept.push_back(c->MakeDim(1));
    }
  }
  c->set_output(0, c->MakeShape(kept));
  return OkStatus();
}

Status SparseReduceSparseShape(InferenceContext* c) {
  DimensionHandle n, rank;
  ShapeHandle unused;
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(3), 1, &unused));
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim,
                    keep_dims ? rank : c->UnknownDim());
  return OkStatus();
}

}  // namespace

REGISTER_OP("SparseAdd")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Input("thresh: Treal")
    .Output("sum_indices: int64")
    .Output("sum_values: T")
    .Output("sum_shape: int64")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr(
        "Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(SparseAddShape)
    .Doc(
        "The sum of two sparse tensors in row-major order, without the sums of "
        "two elements whose magnitude is below thresh.");

REGISTER_OP("SparseAddGrad")
    .Input("backprop_val_grad: T")
    .Input("a_indices: int64")
    .Input("b_indices: int64")
    .Input("sum_indices: int64")
    .Output("a_val_grad: T")
    .Output("b_val_grad: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseAddGradShape)
    .Doc(
        "The gradients of the values of both summands of SparseAdd: [m], "
        "[n, rank], [k, rank], [m, rank] -> [n], [k].");

REGISTER_OP("SparseSparseMaximum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(SparseSparseShape)
    .Doc(
        "The larger of the elements of two sparse tensors in row-major "
        "order; what is not there is 0.");

REGISTER_OP("SparseSparseMinimum")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseSparseShape)
    .Doc(
        "The smaller of the elements of two sparse tensors in row-major "
        "order; what is not there is 0.");

REGISTER_OP("SparseDenseCwiseAdd")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Input("dense: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseValuesShape)
    .Doc(
        "The elements of a sparse tensor plus those of a dense one, "
        "broadcast to it, at the same places: values [n] -> [n].");

REGISTER_OP("SparseDenseCwiseMul")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Input("dense: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseValuesShape)
    .Doc(
        "The elements of a sparse tensor times those of a dense one, "
        "broadcast to it, at the same places: values [n] -> [n].");

REGISTER_OP("SparseDenseCwiseDiv")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Input("dense: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseValuesShape)
    .Doc(
        "The elements of a sparse tensor divided by those of a dense one "
        "without zeros, broadcast to it, at the same places: values [n] -> "
        "[n].");

REGISTER_OP("SparseSoftmax")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .SetShapeFn(SparseValuesShape)
    .Doc(
        "The softmax of the elements that share all coordinates but the "
        "last: values [n] -> [n].");

REGISTER_OP("SparseTensorDenseAdd")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: Tindices")
    .Input("b: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(SparseTensorDenseAddShape)
    .Doc(
        "A dense tensor with the elements of a sparse one of the same shape "
        "added.");

REGISTER_OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = DT_INT64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseTensorDenseMatMulShape)
    .Doc(
        "The product of a sparse matrix and a dense one, or of their "
        "adjoints: [m, k], [k, n] -> [m, n].");

REGISTER_OP("SparseReduceSum")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Input("reduction_axes: int32")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Needs("unbounded memory")
    .SetShapeFn(SparseReduceShape)
    .Doc(
        "Sums of the elements of a sparse tensor over reduction_axes, as a "
        "dense tensor.");

REGISTER_OP("SparseReduceSumSparse")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Input("reduction_axes: int32")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("keep_dims: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseReduceSparseShape)
    .Doc(
        "Sums of the elements of a sparse tensor over reduction_axes, as a "
        "sparse tensor.");

REGISTER_OP("SparseReduceMax")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Input("reduction_axes: int32")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Needs("unbounded memory")
    .SetShapeFn(SparseReduceShape)
    .Doc(
        "The largest elements of a sparse tensor over reduction_axes, as a "
        "dense tensor; 0 where there are none.");

REGISTER_OP("SparseReduceMaxSparse")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Input("reduction_axes: int32")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("keep_dims: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(SparseReduceSparseShape)
    .Doc(
        "The largest elements of a sparse tensor over reduction_axes, as a "
        "sparse tensor.");

}  // namespace tensorwright
