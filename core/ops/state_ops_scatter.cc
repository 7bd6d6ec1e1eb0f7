// SPDX-License-Identifier: Apache-2.0
// Parts of variables changed in place, by row numbers or by coordinates.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/scatter_nd_shape.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// updates: indices.shape + ref.shape[1:].
Status ScatterUpdateShape(InferenceContext* c) {
  ShapeHandle ref, slice, expected, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &ref));
  TF_RETURN_IF_ERROR(c->Subshape(ref, 1, &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(c->input(1), slice, &expected));
  // One scalar may update all slices.
  if (c->Rank(c->input(2)) != 0) {
    TF_RETURN_IF_ERROR(c->Merge(c->input(2), expected, &unused));
  }
  c->set_output(0, ref);
  return OkStatus();
}

// ref, indices, updates.
Status ScatterNdUpdateShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return CheckScatterNd(c, c->input(1), c->input(2), c->input(0));
}

}  // namespace

REGISTER_OP("ScatterUpdate")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] = updates[i] for ref [n, ...], updates of shape "
        "indices.shape + ref.shape[1:], or one number [] -> ref itself.");

REGISTER_OP("ScatterAdd")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] += updates[i] for ref [n, ...], updates of shape "
        "indices.shape + ref.shape[1:], or one number [] -> ref itself.");

REGISTER_OP("ScatterSub")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] -= updates[i] for ref [n, ...], updates of shape "
        "indices.shape + ref.shape[1:], or one number [] -> ref itself.");

REGISTER_OP("ScatterMul")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] *= updates[i] for ref [n, ...], updates of shape "
        "indices.shape + ref.shape[1:], or one number [] -> ref itself.");

REGISTER_OP("ScatterDiv")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] /= updates[i] for ref [n, ...], updates of shape "
        "indices.shape + ref.shape[1:], or one number [] -> ref itself.");

REGISTER_OP("ScatterMin")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] = min(ref[indices[i]], updates[i]) for ref [n, ...], "
        "updates of shape indices.shape + ref.shape[1:], or one number [] -> "
        "ref itself.");

REGISTER_OP("ScatterMax")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ScatterUpdateShape)
    .Doc(
        "ref[indices[i]] = max(ref[indices[i]], updates[i]) for ref [n, ...], "
        "updates of shape indices.shape + ref.shape[1:], or one number [] -> "
        "ref itself.");

REGISTER_OP("ScatterNdUpdate")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(ScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] = updates[i...] for coordinates indices [i..., k] "
        "and updates [i..., ref.shape[k:]] -> ref itself.");

REGISTER_OP("ScatterNdAdd")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(ScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] += updates[i...] for coordinates indices [i..., "
        "k] and updates [i..., ref.shape[k:]] -> ref itself.");

REGISTER_OP("ScatterNdSub")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(ScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] -= updates[i...] for coordinates indices [i..., "
        "k] and updates [i..., ref.shape[k:]] -> ref itself.");

}  // namespace tensorwright
