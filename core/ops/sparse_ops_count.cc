// SPDX-License-Identifier: Apache-2.0
// Counts of values, as sparse tensors.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

void SetCounts(InferenceContext* c, DimensionHandle rank) {
  const DimensionHandle n = c->UnknownDim();
  c->set_output(0, c->Matrix(n, rank));
  c->set_output(1, c->Vector(n));
  c->set_output(2, c->Vector(rank));
}

// values [n] or [rows, n].
Status DenseCountShape(InferenceContext* c) {
  ShapeHandle values;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(values, 2, &values));
  SetCounts(
      c, c->RankKnown(values) ? c->MakeDim(c->Rank(values)) : c->UnknownDim());
  return OkStatus();
}

// indices [n, rank], values [n], dense_shape [rank].
Status SparseCountShape(InferenceContext* c) {
  ShapeHandle indices, values, shape;
  DimensionHandle n, rank;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &n));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &rank));
  if (!c->ValueKnown(rank)) {
    SetCounts(c, c->UnknownDim());
    return OkStatus();
  }
  if (c->Value(rank) < 1) {
    return errors::InvalidArgument(
        "dense_shape must have an element at least, got shape ",
        c->DebugString(shape));
  }
  SetCounts(c, c->MakeDim(c->Value(rank) == 1 ? 1 : 2));
  return OkStatus();
}

// splits [rows + 1], values [n].
Status RaggedCountShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  SetCounts(c, c->MakeDim(2));
  return OkStatus();
}

}  // namespace

REGISTER_OP("DenseCountSparseOutput")
    .Input("values: T")
    .Input("weights: output_type")
    .Output("output_indices: int64")
    .Output("output_values: output_type")
    .Output("output_dense_shape: int64")
    .Attr("T: {int32, int64}")
    .Attr("minlength: int >= -1 = -1")
    .Attr("maxlength: int >= -1 = -1")
    .Attr("binary_output: bool")
    .Attr("output_type: {int32, int64, float, double}")
    .SetShapeFn(DenseCountShape)
    .Doc(
        "How often each value occurs in values [n], or in each row of [rows, "
        "n], or the sum of the weights beside it: a sparse tensor [size] or "
        "[rows, size], where size is maxlength, beyond which nothing counts, "
        "or what is needed and minlength at least.");

REGISTER_OP("SparseCountSparseOutput")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .Input("weights: output_type")
    .Output("output_indices: int64")
    .Output("output_values: output_type")
    .Output("output_dense_shape: int64")
    .Attr("T: {int32, int64}")
    .Attr("minlength: int >= -1 = -1")
    .Attr("maxlength: int >= -1 = -1")
    .Attr("binary_output: bool")
    .Attr("output_type: {int32, int64, float, double}")
    .SetShapeFn(SparseCountShape)
    .Doc(
        "DenseCountSparseOutput of the elements that a sparse tensor has, "
        "whose first dimension is the rows': indices [n, rank], values [n], "
        "dense_shape [rank].");

REGISTER_OP("RaggedCountSparseOutput")
    .Input("splits: int64")
    .Input("values: T")
    .Input("weights: output_type")
    .Output("output_indices: int64")
    .Output("output_values: output_type")
    .Output("output_dense_shape: int64")
    .Attr("T: {int32, int64}")
    .Attr("minlength: int >= -1 = -1")
    .Attr("maxlength: int >= -1 = -1")
    .Attr("binary_output: bool")
    .Attr("output_type: {int32, int64, float, double}")
    .SetShapeFn(RaggedCountShape)
    .Doc(
        "DenseCountSparseOutput of rows of different lengths: row r has the "
        "values [n] from splits[r] to splits[r + 1], splits [rows + 1].");

}  // namespace tensorwright
