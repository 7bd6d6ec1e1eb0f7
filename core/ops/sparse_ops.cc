// SPDX-License-Identifier: Apache-2.0
// Ops on whole sparse tensors: make them dense, put them in order, cut and join
// them.

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

// Inputs: indices, values and shape; outputs: indices and values of the same
// sizes.
Status SparseReorderShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  c->set_output(0, c->Matrix(n, rank));
  c->set_output(1, c->Vector(n));
  return OkStatus();
}

Status SparseReshapeShape(InferenceContext* c) {
  ShapeHandle indices, shape, wanted;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &wanted));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused));
  c->set_output(0, c->Matrix(c->Dim(indices, 0), c->Dim(wanted, 0)));
  c->set_output(1, c->Vector(c->Dim(wanted, 0)));
  return OkStatus();
}

Status SparseToDenseShape(InferenceContext* c) {
  ShapeHandle unused, out;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 2, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  c->set_output(0, out);
  return OkStatus();
}

// N indices, N values and N shapes, all of one rank.
Status SparseConcatShape(InferenceContext* c) {
  int n = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("N", &n));
  DimensionHandle entries = c->MakeDim(0), rank = c->UnknownDim();
  for (int i = 0; i < n; ++i) {
    ShapeHandle indices, values, shape;
    DimensionHandle own;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &indices));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(n + i), 1, &values));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2 * n + i), 1, &shape));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &own));
    TF_RETURN_IF_ERROR(c->Merge(rank, c->Dim(indices, 1), &rank));
    TF_RETURN_IF_ERROR(c->Merge(rank, c->Dim(shape, 0), &rank));
    TF_RETURN_IF_ERROR(c->Add(entries, own, &entries));
  }
  SparseOutputShape(c, 0, entries, rank);
  return OkStatus();
}

Status SparseSplitShape(InferenceContext* c) {
  int parts = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("num_split", &parts));
  ShapeHandle unused;
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(SparseInputShape(c, 1, &n, &rank));
  for (int i = 0; i < parts; ++i) {
    SparseOutputShape(c, i, InferenceContext::kUnknownDim, rank, parts);
  }
  return OkStatus();
}

Status SparseSliceShape(InferenceContext* c) {
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  for (int i = 3; i <= 4; ++i) {
    ShapeHandle sizes;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &sizes));
    TF_RETURN_IF_ERROR(c->Merge(rank, c->Dim(sizes, 0), &rank));
  }
  SparseOutputShape(c, 0, InferenceContext::kUnknownDim, rank);
  return OkStatus();
}

Status SparseSliceGradShape(InferenceContext* c) {
  ShapeHandle grad, in, start, out;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &grad));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &in));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &start));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 2, &out));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(grad, 0), c->Dim(out, 0), &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(in, 1), c->Dim(out, 1), &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(in, 1), c->Dim(start, 0), &unused));
  c->set_output(0, c->Vector(c->Dim(in, 0)));
  return OkStatus();
}

Status FillEmptyRowsShape(InferenceContext* c) {
  DimensionHandle n, rank;
  ShapeHandle unused, dense;
  TF_RETURN_IF_ERROR(SparseInputShape(c, 0, &n, &rank));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  DimensionHandle rows = c->UnknownDim();
  if (const Tensor* sizes = c->input_tensor(2);
      sizes != nullptr && sizes->NumElements() > 0) {
    const int64_t size = *sizes->base<int64_t>();
    if (size < 0) {
      return errors::InvalidArgument(
          "dense_shape[0] must be non-negative, got ", size);
    }
    rows = c->MakeDim(size);
  }
  c->set_output(0, c->Matrix(c->UnknownDim(), rank));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(rows));
  c->set_output(3, c->Vector(n));
  return OkStatus();
}

Status FillEmptyRowsGradShape(InferenceContext* c) {
  ShapeHandle reverse, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &reverse));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  c->set_output(0, reverse);
  c->set_output(1, c->Scalar());
  return OkStatus();
}

}  // namespace

REGISTER_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(SparseToDenseShape)
    .Doc(
        "A dense tensor of default_value, with sparse_values at "
        "sparse_indices: [n, rank], [rank], [n] or [], [] -> output_shape.");

REGISTER_OP("SparseReorder")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: type")
    .SetShapeFn(SparseReorderShape)
    .Doc(
        "Puts the elements of a sparse tensor into row-major order: indices "
        "[n, rank], values [n] -> the same.");

REGISTER_OP("SparseReshape")
    .Input("input_indices: int64")
    .Input("input_shape: int64")
    .Input("new_shape: int64")
    .Output("output_indices: int64")
    .Output("output_shape: int64")
    .SetShapeFn(SparseReshapeShape)
    .Doc(
        "The indices of a sparse tensor seen in another shape, of which one "
        "size may be -1: [n, rank], [rank], [new rank] -> [n, new rank], "
        "[new rank].");

REGISTER_OP("SparseConcat")
    .Input("indices: N * int64")
    .Input("values: N * T")
    .Input("shapes: N * int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("concat_dim: int")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .SetShapeFn(SparseConcatShape)
    .Doc(
        "Joins sparse tensors of one rank along concat_dim; the result is "
        "in row-major order.");

REGISTER_OP("SparseSplit")
    .Input("split_dim: int64")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Output("output_indices: num_split * int64")
    .Output("output_values: num_split * T")
    .Output("output_shape: num_split * int64")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .SetShapeFn(SparseSplitShape)
    .Doc(
        "Cuts a sparse tensor into num_split parts along split_dim; the "
        "first ones are larger by one where it does not divide.");

REGISTER_OP("SparseSlice")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Input("start: int64")
    .Input("size: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("T: type")
    .SetShapeFn(SparseSliceShape)
    .Doc(
        "The elements of a sparse tensor in the box at start [rank] of size "
        "[rank], with indices counted from start.");

REGISTER_OP("SparseSliceGrad")
    .Input("backprop_val_grad: T")
    .Input("input_indices: int64")
    .Input("input_start: int64")
    .Input("output_indices: int64")
    .Output("val_grad: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .SetShapeFn(SparseSliceGradShape)
    .Doc(
        "The gradient of the values that SparseSlice took a part of: [m], "
        "[n, rank], [rank], [m, rank] -> [n].");

REGISTER_OP("SparseFillEmptyRows")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .Input("default_value: T")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .Needs("unbounded memory")
    .SetShapeFn(FillEmptyRowsShape)
    .Doc(
        "Puts default_value at the start of each row without elements; says "
        "which rows these are, and where each element is now.");

REGISTER_OP("SparseFillEmptyRowsGrad")
    .Input("reverse_index_map: int64")
    .Input("grad_values: T")
    .Output("d_values: T")
    .Output("d_default_value: T")
    .Attr("T: type")
    .SetShapeFn(FillEmptyRowsGradShape)
    .Doc(
        "The gradients of the values and the default value of "
        "SparseFillEmptyRows: [n], [m] -> [n], [].");

}  // namespace tensorwright
