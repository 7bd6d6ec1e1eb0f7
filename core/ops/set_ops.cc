// SPDX-License-Identifier: Apache-2.0
// Sets along the last dimension: their sizes, unions, intersections and
// differences.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The outputs are a sparse tensor of rank `rank`.
Status SparseOutputs(InferenceContext* c, DimensionHandle rank) {
  c->set_output(0, c->Matrix(c->UnknownDim(), rank));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}

// Inputs first, first + 1, first + 2: indices [n, rank], values [n], shape
// [rank].
Status SparseInput(InferenceContext* c, int first, DimensionHandle* rank) {
  ShapeHandle indices, values, shape;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), rank));
  if (c->ValueKnown(*rank) && c->Value(*rank) < 2) {
    return errors::InvalidArgument("Input ", first + 2,
                                   ": a set needs a rank of at least 2, got ",
                                   c->Value(*rank));
  }
  return OkStatus();
}

Status SetSizeShape(InferenceContext* c) {
  ShapeHandle indices, values, shape, out;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &out));
  if (!c->RankKnown(out)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(out, 1, &out));
  TF_RETURN_IF_ERROR(c->Subshape(out, 0, -1, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status DenseToDenseShape(InferenceContext* c) {
  ShapeHandle a = c->input(0), b = c->input(1);
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(a, 2, &a));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(b, 2, &b));
  if (c->RankKnown(a)) TF_RETURN_IF_ERROR(c->WithRank(b, c->Rank(a), &b));
  if (c->RankKnown(b)) TF_RETURN_IF_ERROR(c->WithRank(a, c->Rank(b), &a));
  if (!c->RankKnown(a)) return SparseOutputs(c, c->UnknownDim());
  ShapeHandle groups_a, groups_b, unused;
  TF_RETURN_IF_ERROR(c->Subshape(a, 0, -1, &groups_a));
  TF_RETURN_IF_ERROR(c->Subshape(b, 0, -1, &groups_b));
  TF_RETURN_IF_ERROR(c->Merge(groups_a, groups_b, &unused));
  return SparseOutputs(c, c->MakeDim(c->Rank(a)));
}

Status DenseToSparseShape(InferenceContext* c) {
  ShapeHandle a;
  DimensionHandle rank;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(SparseInput(c, 1, &rank));
  if (c->RankKnown(a)) {
    TF_RETURN_IF_ERROR(c->WithValue(rank, c->Rank(a), &rank));
  }
  return SparseOutputs(c, rank);
}

Status SparseToSparseShape(InferenceContext* c) {
  DimensionHandle a, b, rank;
  TF_RETURN_IF_ERROR(SparseInput(c, 0, &a));
  TF_RETURN_IF_ERROR(SparseInput(c, 3, &b));
  TF_RETURN_IF_ERROR(c->Merge(a, b, &rank));
  return SparseOutputs(c, rank);
}

constexpr char kTypes[] =
    "T: {int8, int16, int32, int64, uint8, uint16, string}";

}  // namespace

REGISTER_OP("SetSize")
    .Input("set_indices: int64")
    .Input("set_values: T")
    .Input("set_shape: int64")
    .Output("size: int32")
    .Attr("validate_indices: bool = true")
    .Attr(kTypes)
    .SetShapeFn(SetSizeShape)
    .Doc(
        "How many different values each set has: sets along the last dimension "
        "of a sparse tensor of shape [..., n] -> [...].");

REGISTER_OP("DenseToDenseSetOperation")
    .Input("set1: T")
    .Input("set2: T")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr(kTypes)
    .SetShapeFn(DenseToDenseShape)
    .Doc(
        "a-b, b-a, intersection or union of the sets along the last dimension "
        "of set1 [..., n] and set2 [..., m], as a sparse tensor [..., most], "
        "values ascending.");

REGISTER_OP("DenseToSparseSetOperation")
    .Input("set1: T")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr(kTypes)
    .SetShapeFn(DenseToSparseShape)
    .Doc(
        "As DenseToDenseSetOperation, where set2 is a sparse tensor of shape "
        "[..., m].");

REGISTER_OP("SparseToSparseSetOperation")
    .Input("set1_indices: int64")
    .Input("set1_values: T")
    .Input("set1_shape: int64")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr(kTypes)
    .SetShapeFn(SparseToSparseShape)
    .Doc(
        "As DenseToDenseSetOperation, where both are sparse tensors, of shapes "
        "[..., n] and [..., m].");

}  // namespace tensorwright
