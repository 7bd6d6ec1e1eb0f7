// SPDX-License-Identifier: Apache-2.0
// Parts of variables behind resource handles, read and changed in place.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/variable_shape.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// resource: [batch..., n, rest...], indices: [batch..., outer...] -> [batch...,
// outer..., rest...].
Status ResourceGatherShape(InferenceContext* c) {
  ShapeHandle params, indices, batch, unused, outer, rest, out;
  int32_t batch_dims = 0;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "dtype", &params));
  TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (batch_dims < 0) {
    return errors::InvalidArgument("batch_dims must not be negative, got ",
                                   batch_dims);
  }
  TF_RETURN_IF_ERROR(
      c->WithRankAtLeast(params, int64_t{batch_dims} + 1, &params));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), batch_dims, &indices));
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, batch_dims, &batch));
  TF_RETURN_IF_ERROR(c->MergePrefix(params, batch, &unused, &batch));
  TF_RETURN_IF_ERROR(c->Subshape(indices, batch_dims, &outer));
  TF_RETURN_IF_ERROR(c->Subshape(params, int64_t{batch_dims} + 1, &rest));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, outer, &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

// indices: [i..., k] -> [i..., resource.shape[k:]].
Status ResourceGatherNdShape(InferenceContext* c) {
  ShapeHandle params, indices, outer, rest, out;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "dtype", &params));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(depth)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  if (c->Value(depth) > c->Rank(params)) {
    return errors::InvalidArgument(
        "the last dimension of indices must be <= the rank of the variable, "
        "got ",
        c->Value(depth), " for shape ", c->DebugString(params));
  }
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &outer));
  TF_RETURN_IF_ERROR(c->Subshape(params, c->Value(depth), &rest));
  TF_RETURN_IF_ERROR(c->Concatenate(outer, rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status ResourceScatterShape(InferenceContext* c) {
  ShapeHandle ref;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "dtype", &ref));
  return CheckScatter(c, ref);
}

}  // namespace

REGISTER_OP("ResourceGather")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceGatherShape)
    .Doc(
        "Rows indices [batch..., i...] of the variable behind resource, "
        "[batch..., n, rest...] -> [batch..., i..., rest...].");

REGISTER_OP("ResourceGatherNd")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceGatherNdShape)
    .Doc(
        "Slices of the variable behind resource [] at coordinates indices "
        "[i..., k] -> [i..., shape[k:]].");

REGISTER_OP("ResourceScatterAdd")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] += updates[i] for a variable [n, ...], updates "
        "of shape indices.shape + variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterSub")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] -= updates[i] for a variable [n, ...], updates "
        "of shape indices.shape + variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterMul")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] *= updates[i] for a variable [n, ...], updates "
        "of shape indices.shape + variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterDiv")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] /= updates[i] for a variable [n, ...], updates "
        "of shape indices.shape + variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterMin")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] = min(resource[indices[i]], updates[i]) for a "
        "variable [n, ...], updates of shape indices.shape + "
        "variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterMax")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] = max(resource[indices[i]], updates[i]) for a "
        "variable [n, ...], updates of shape indices.shape + "
        "variable.shape[1:], or one number [].");

REGISTER_OP("ResourceScatterUpdate")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterShape)
    .Doc(
        "resource[indices[i]] = updates[i] for a variable [n, ...], updates of "
        "shape indices.shape + variable.shape[1:], or one number [].");

}  // namespace tensorwright
