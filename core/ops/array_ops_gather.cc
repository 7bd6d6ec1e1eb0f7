// SPDX-License-Identifier: Apache-2.0
// Elements by their indices: gather, scatter, one-hot, where.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/scatter_nd_shape.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// params: [n, ...]; each index takes one slice of it.
Status GatherShape(InferenceContext* c) {
  ShapeHandle params, slice, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TF_RETURN_IF_ERROR(c->Subshape(params, 1, &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(c->input(1), slice, &out));
  c->set_output(0, out);
  return OkStatus();
}

// GatherV2's attr batch_dims, counted from the front.
Status GetBatchDims(InferenceContext* c, ShapeHandle* params,
                    ShapeHandle* indices, int64_t* batch_dims) {
  TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", batch_dims));
  if (c->RankKnown(*indices)) {
    const int32_t rank = c->Rank(*indices);
    if (*batch_dims < -rank || *batch_dims > rank) {
      return errors::InvalidArgument("Expected batch_dims in the range [",
                                     -rank, ", ", rank, "], but got ",
                                     *batch_dims);
    }
    if (*batch_dims < 0) *batch_dims += rank;
  }
  if (*batch_dims >= 0) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(*params, *batch_dims + 1, params));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(*indices, *batch_dims, indices));
  }
  return OkStatus();
}

// params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].
Status GatherV2Shape(InferenceContext* c) {
  ShapeHandle params, indices = c->input(1), unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  int64_t batch_dims = 0;
  TF_RETURN_IF_ERROR(GetBatchDims(c, &params, &indices, &batch_dims));
  const Tensor* axis_tensor = c->input_tensor(2);
  if (axis_tensor == nullptr || batch_dims < 0) {
    const bool known =
        c->RankKnown(params) && c->RankKnown(indices) && batch_dims >= 0;
    c->set_output(
        0, known ? c->UnknownShapeOfRank(c->Rank(params) + c->Rank(indices) -
                                         1 - batch_dims)
                 : c->UnknownShape());
    return OkStatus();
  }
  int64_t axis = 0;
  TF_RETURN_IF_ERROR(c->GetScalarFromTensor(axis_tensor, &axis));
  if (!c->RankKnown(params) && axis < 0) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  if (axis < 0 || c->RankKnown(params)) {
    TF_RETURN_IF_ERROR(
        shape_inference::NormalizeAxis("axis", axis, c->Rank(params), &axis));
  }
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(params, axis + 1, &params));
  if (axis < batch_dims) {
    return errors::InvalidArgument("batch_dims (", batch_dims,
                                   ") must be less than or equal to axis (",
                                   axis, ")");
  }
  ShapeHandle before, middle, after, out, batch, index_batch;
  TF_RETURN_IF_ERROR(c->Subshape(params, 0, batch_dims, &batch));
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, batch_dims, &index_batch));
  TF_RETURN_IF_ERROR(c->Merge(batch, index_batch, &unused));
  TF_RETURN_IF_ERROR(c->Subshape(params, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(indices, batch_dims, &middle));
  TF_RETURN_IF_ERROR(c->Subshape(params, axis + 1, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, middle, &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}

// indices: [..., k]; each of its vectors names a slice of params of rank - k.
Status GatherNdShape(InferenceContext* c) {
  const ShapeHandle params = c->input(0);
  ShapeHandle indices;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle k = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(k)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  if (c->Value(k) > c->Rank(params)) {
    return errors::InvalidArgument(
        "indices.shape[-1] must be <= params.rank, but saw indices shape: ",
        c->DebugString(indices), " and params shape: ", c->DebugString(params));
  }
  ShapeHandle outer, slice, out;
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &outer));
  TF_RETURN_IF_ERROR(c->Subshape(params, c->Value(k), &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(outer, slice, &out));
  c->set_output(0, out);
  return OkStatus();
}

// indices: [..., k], updates: [..., shape[k:]].
Status ScatterNdShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &out));
  c->set_output(0, out);
  return CheckScatterNd(c, c->input(0), c->input(1), out);
}

// The first input is the tensor that is added to.
Status ScatterNdNonAliasingAddShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return CheckScatterNd(c, c->input(1), c->input(2), c->input(0));
}

// indices: any shape; a dimension of depth is inserted at attr axis, -1 for the
// end.
Status OneHotShape(InferenceContext* c) {
  int64_t axis = -1;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -1) {
    return errors::InvalidArgument("axis must be >= -1, got ", axis);
  }
  DimensionHandle depth;
  ShapeHandle unused;
  for (int i = 1; i < 4; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &depth));
  ShapeHandle indices = c->input(0);
  if (!c->RankKnown(indices)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(indices);
  if (axis > rank) {
    return errors::InvalidArgument("axis must be -1 or in [0, ", rank,
                                   "], got ", axis);
  }
  if (axis == -1) axis = rank;
  ShapeHandle before, after, out;
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(indices, axis, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(depth), &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}

// One row of coordinates for each true element.
Status WhereShape(InferenceContext* c) {
  const int32_t rank = c->Rank(c->input(0));
  c->set_output(0, c->Matrix(InferenceContext::kUnknownDim,
                             rank == InferenceContext::kUnknownRank
                                 ? InferenceContext::kUnknownDim
                                 : rank));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(GatherShape)
    .Doc(
        "params [n, ...], indices of any shape, in [0, n) -> the slices of "
        "params that indices name: indices.shape + params.shape[1:].");

REGISTER_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(GatherV2Shape)
    .Doc(
        "The slices of params along dimension axis [] that indices name: "
        "params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis "
        "+ 1:].");

REGISTER_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(GatherNdShape)
    .Doc(
        "params of rank >= k, indices [..., k] -> the slices "
        "params[indices[...]]: indices.shape[:-1] + params.shape[k:].");

REGISTER_OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(ScatterNdShape)
    .Doc(
        "Zeros of shape `shape` to which each slice of updates [..., "
        "shape[k:]] is added at its place in indices [..., k].");

REGISTER_OP("ScatterNdNonAliasingAdd")
    .Input("input: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: {numbertype, bool}")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(ScatterNdNonAliasingAddShape)
    .Doc(
        "input with each slice of updates [..., input.shape[k:]] added at its "
        "place in indices [..., k], in input's memory if nobody else needs "
        "it.");

REGISTER_OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(OneHotShape)
    .Doc(
        "indices [...], depth [] -> on_value [] at each index along a new "
        "dimension of size depth, off_value [] elsewhere.");

REGISTER_OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64, bool} = DT_BOOL")
    .SetShapeFn(WhereShape)
    .Doc(
        "The coordinates of the elements of input that are not zero, in "
        "row-major order: [...] of rank n -> [k, n].");

}  // namespace tensorwright
