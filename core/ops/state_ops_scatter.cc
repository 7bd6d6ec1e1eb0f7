// SPDX-License-Identifier: Apache-2.0
// Parts of variables changed in place, by row numbers or by coordinates.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/scatter_nd_shape.h"
#include "core/ops/variable_shape.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// updates: indices.shape + ref.shape[1:].
Status ScatterUpdateShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScatter(c, c->input(0)));
  c->set_output(0, c->input(0));
  return OkStatus();
}

// ref, indices, updates.
Status ScatterNdUpdateShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return CheckScatterNd(c, c->input(1), c->input(2), c->input(0));
}

Status ResourceScatterNdUpdateShape(InferenceContext* c) {
  ShapeHandle ref;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "T", &ref));
  return CheckScatterNd(c, c->input(1), c->input(2), ref);
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

REGISTER_OP("ScatterNdMin")
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
        "ref[indices[i...]] becomes the smaller of itself and updates[i...] "
        "for coordinates indices [i..., k] and updates [i..., ref.shape[k:]] "
        "-> ref itself.");

REGISTER_OP("ScatterNdMax")
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
        "ref[indices[i...]] becomes the larger of itself and updates[i...] for "
        "coordinates indices [i..., k] and updates [i..., ref.shape[k:]] -> "
        "ref itself.");

REGISTER_OP("ResourceScatterNdUpdate")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] = updates[i...] for the variable behind ref, "
        "coordinates indices [i..., k] and updates [i..., shape[k:]].");

REGISTER_OP("ResourceScatterNdAdd")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] += updates[i...] for the variable behind ref, "
        "coordinates indices [i..., k] and updates [i..., shape[k:]].");

REGISTER_OP("ResourceScatterNdSub")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] -= updates[i...] for the variable behind ref, "
        "coordinates indices [i..., k] and updates [i..., shape[k:]].");

REGISTER_OP("ResourceScatterNdMin")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] becomes the smaller of itself and updates[i...] "
        "for the variable behind ref, coordinates indices [i..., k] and "
        "updates [i..., shape[k:]].");

REGISTER_OP("ResourceScatterNdMax")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .SetIsStateful()
    .SetShapeFn(ResourceScatterNdUpdateShape)
    .Doc(
        "ref[indices[i...]] becomes the larger of itself and updates[i...] for "
        "the variable behind ref, coordinates indices [i..., k] and updates "
        "[i..., shape[k:]].");

}  // namespace tensorwright
