// SPDX-License-Identifier: Apache-2.0
// Ragged tensors: values [n, ...] and splits [rows + 1], by which row i holds
// values splits[i] to splits[i + 1]; the values of outer rows are inner rows.

#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Inputs [begin, end) are splits: vectors of one element at least.
Status CheckSplits(InferenceContext* c, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    ShapeHandle splits;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &splits));
    if (c->ValueKnown(c->Dim(splits, 0)) && c->Value(c->Dim(splits, 0)) == 0) {
      return errors::InvalidArgument(
          c->op_def().name(),
          ": splits must not be empty, those of ragged "
          "dimension ",
          i - begin, " are");
    }
  }
  return OkStatus();
}

// starts, limits, deltas: scalars, or vectors of one size.
Status RaggedRangeShape(InferenceContext* c) {
  DimensionHandle rows = c->UnknownDim();
  bool is_scalar = true;
  for (int i = 0; i < 3; ++i) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &shape));
    is_scalar = is_scalar && c->RankKnown(shape) && c->Rank(shape) == 0;
    if (!c->RankKnown(shape) || c->Rank(shape) == 0) continue;
    TF_RETURN_IF_ERROR(c->Merge(rows, c->Dim(shape, 0), &rows));
  }
  if (is_scalar) rows = c->MakeDim(1);
  DimensionHandle splits;
  TF_RETURN_IF_ERROR(c->Add(rows, 1, &splits));
  c->set_output(0, c->Vector(splits));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// Splits of each ragged dimension and values [n, ...].
Status RaggedTensorToSparseShape(InferenceContext* c) {
  const int ragged_rank = c->num_inputs() - 1;
  TF_RETURN_IF_ERROR(CheckSplits(c, 0, ragged_rank));
  ShapeHandle values;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(ragged_rank), 1, &values));
  const DimensionHandle rank = c->RankKnown(values)
                                   ? c->MakeDim(ragged_rank + c->Rank(values))
                                   : c->UnknownDim();
  const DimensionHandle count = c->NumElements(values);
  c->set_output(0, c->Matrix(count, rank));
  c->set_output(1, c->Vector(count));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}

Status RaggedGatherShape(InferenceContext* c) {
  const int params_rank = c->num_inputs() - 2;
  const int output_rank = c->num_outputs() - 1;
  TF_RETURN_IF_ERROR(CheckSplits(c, 0, params_rank));
  ShapeHandle values, indices, inner, output;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(params_rank), 1, &values));
  const int indices_rank = output_rank - params_rank + 1;
  if (indices_rank < 0) {
    return errors::InvalidArgument(
        "RaggedGather: OUTPUT_RAGGED_RANK must be that of params, ",
        params_rank, ", less 1 plus the rank of indices, got ", output_rank);
  }
  TF_RETURN_IF_ERROR(
      c->WithRank(c->input(params_rank + 1), indices_rank, &indices));
  for (int i = 0; i < output_rank; ++i) {
    c->set_output(i, c->Vector(c->UnknownDim()));
  }
  TF_RETURN_IF_ERROR(c->Subshape(values, 1, &inner));
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->Vector(c->UnknownDim()), inner, &output));
  c->set_output(output_rank, output);
  return OkStatus();
}

}  // namespace

REGISTER_OP("RaggedRange")
    .Input("starts: T")
    .Input("limits: T")
    .Input("deltas: T")
    .Output("rt_nested_splits: Tsplits")
    .Output("rt_dense_values: T")
    .Attr("T: {bfloat16, float, double, int32, int64} = DT_INT32")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(RaggedRangeShape)
    .Doc(
        "Rows starts[i], starts[i] + deltas[i], ... before limits[i], of "
        "vectors [n] or scalars -> splits [n + 1] and the values of all rows.");

REGISTER_OP("RaggedTensorToSparse")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: T")
    .Output("sparse_indices: int64")
    .Output("sparse_values: T")
    .Output("sparse_dense_shape: int64")
    .Attr("RAGGED_RANK: int >= 1")
    .Attr("T: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .SetShapeFn(RaggedTensorToSparseShape)
    .Doc(
        "A ragged tensor of values [n, ...] as a sparse one: the place of each "
        "element, the elements, and the sizes of the box that holds all rows.");

REGISTER_OP("RaggedGather")
    .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
    .Input("params_dense_values: Tvalues")
    .Input("indices: Tindices")
    .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("Tvalues: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Attr("PARAMS_RAGGED_RANK: int >= 1")
    .Attr("OUTPUT_RAGGED_RANK: int >= 0")
    .SetShapeFn(RaggedGatherShape)
    .Doc(
        "The outer rows of a ragged tensor that indices [...] name, in the "
        "order and the shape of indices.");

}  // namespace tensorwright
