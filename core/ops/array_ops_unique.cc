// SPDX-License-Identifier: Apache-2.0
// Compares sequences: different values, differences, edit distances.

#include <algorithm>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The number of different values is not known before the run; count, if there
// is one, has as many elements as y.
Status UniqueShape(InferenceContext* c) {
  ShapeHandle x;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
  const ShapeHandle y = c->Vector(InferenceContext::kUnknownDim);
  c->set_output(0, y);
  c->set_output(1, x);
  if (c->num_outputs() > 2) c->set_output(2, y);
  return OkStatus();
}

// The same for slices along the axis in a vector of one element, or of none for
// a vector x.
Status UniqueAlongAxisShape(InferenceContext* c) {
  const ShapeHandle x = c->input(0);
  ShapeHandle axis_shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &axis_shape));
  c->set_output(0, c->RankKnown(x) ? c->UnknownShapeOfRank(c->Rank(x))
                                   : c->UnknownShape());
  const ShapeHandle unknown = c->Vector(InferenceContext::kUnknownDim);
  c->set_output(1, unknown);
  if (c->num_outputs() > 2) c->set_output(2, unknown);
  const Tensor* const axis = c->input_tensor(1);
  if (axis == nullptr || !c->RankKnown(x)) return OkStatus();
  int64_t at = 0;
  if (axis->NumElements() > 1) {
    return errors::InvalidArgument(
        "axis must be a vector of at most one element, got ",
        axis->NumElements());
  }
  if (axis->NumElements() == 0) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(x, 1, &unused));
  } else {
    const int64_t given = IntAt(*axis, 0);
    at = given < 0 ? given + c->Rank(x) : given;
    if (at < 0 || at >= c->Rank(x)) {
      return errors::InvalidArgument("axis must be in [", -c->Rank(x), ", ",
                                     c->Rank(x), "), got ", given);
    }
  }
  ShapeHandle y;
  TF_RETURN_IF_ERROR(c->ReplaceDim(x, at, c->UnknownDim(), &y));
  c->set_output(0, y);
  c->set_output(1, c->Vector(c->Dim(x, at)));
  return OkStatus();
}

Status ListDiffShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const ShapeHandle out = c->Vector(InferenceContext::kUnknownDim);
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}

// A sparse tensor's three parts: indices [n, rank], values [n], shape [rank].
Status CheckSparse(InferenceContext* c, int first) {
  ShapeHandle indices, values, shape;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  return c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused);
}

// One distance for each group: the larger of both shapes, without the last
// dimension, along which the sequences lie.
Status EditDistanceShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckSparse(c, 0));
  TF_RETURN_IF_ERROR(CheckSparse(c, 3));
  DimensionHandle rank;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(c->input(2), 0), c->Dim(c->input(5), 0), &rank));
  const Tensor* hypothesis = c->input_tensor(2);
  const Tensor* truth = c->input_tensor(5);
  if (hypothesis == nullptr || truth == nullptr) {
    c->set_output(0, c->ValueKnown(rank) && c->Value(rank) > 0
                         ? c->UnknownShapeOfRank(c->Value(rank) - 1)
                         : c->UnknownShape());
    return OkStatus();
  }
  std::vector<DimensionHandle> dims;
  for (int64_t i = 0; i + 1 < hypothesis->NumElements(); ++i) {
    const int64_t size =
        std::max(Flat<int64_t>(*hypothesis)[i], Flat<int64_t>(*truth)[i]);
    if (size < 0) {
      return errors::InvalidArgument("hypothesis_shape[", i,
                                     "] and truth_shape[", i,
                                     "] must be >= 0, got ", size);
    }
    dims.push_back(c->MakeDim(size));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(UniqueShape)
    .Doc(
        "x [n] -> its different values in order of first appearance, y [k], "
        "and where each element of x is in y, idx [n].");

REGISTER_OP("UniqueWithCounts")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(UniqueShape)
    .Doc(
        "x [n] -> its different values in order of first appearance, y [k], "
        "where each element of x is in y, idx [n], and how often each of y is "
        "in x, count [k].");

REGISTER_OP("UniqueV2")
    .Input("x: T")
    .Input("axis: Taxis")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("Taxis: {int32, int64} = DT_INT64")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(UniqueAlongAxisShape)
    .Doc(
        "x [..., n, ...] with n at the axis in axis [1] (or [0] for a vector "
        "x) -> its different slices in order of first appearance, y [..., k, "
        "...], and where each slice of x is in y, idx [n].");

REGISTER_OP("UniqueWithCountsV2")
    .Input("x: T")
    .Input("axis: Taxis")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("Taxis: {int32, int64} = DT_INT64")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(UniqueAlongAxisShape)
    .Doc(
        "x [..., n, ...] with n at the axis in axis [1] (or [0] for a vector "
        "x) -> its different slices in order of first appearance, y [..., k, "
        "...], where each slice of x is in y, idx [n], and how often each of "
        "y is in x, count [k].");

REGISTER_OP("ListDiff")
    .Input("x: T")
    .Input("y: T")
    .Output("out: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(ListDiffShape)
    .Doc(
        "x [n], y [m] -> the elements of x that are not in y, out [k], and "
        "where they are in x, idx [k].");

REGISTER_OP("EditDistance")
    .Input("hypothesis_indices: int64")
    .Input("hypothesis_values: T")
    .Input("hypothesis_shape: int64")
    .Input("truth_indices: int64")
    .Input("truth_values: T")
    .Input("truth_shape: int64")
    .Output("output: float")
    .Attr("normalize: bool = true")
    .Attr("T: type")
    .Needs("unbounded memory")
    .SetShapeFn(EditDistanceShape)
    .Doc(
        "The Levenshtein distance of the sequences along the last dimension of "
        "two sparse tensors of shape [..., n] and [..., m] -> [...]; with "
        "normalize, divided by the truth's length.");

}  // namespace tensorwright
