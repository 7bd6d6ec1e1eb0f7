// SPDX-License-Identifier: Apache-2.0
// Tensors that a session keeps between runs, by handles.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status GetSessionTensorShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return shape_inference::UnknownShape(c);
}

Status DeleteSessionTensorShape(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

}  // namespace

REGISTER_OP("GetSessionHandle")
    .Input("value: T")
    .Output("handle: string")
    .Attr("T: type")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A handle [] of value [...], which the session keeps if the handle is "
        "fetched.");

REGISTER_OP("GetSessionHandleV2")
    .Input("value: T")
    .Output("handle: resource")
    .Attr("T: type")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("GetSessionHandle with a resource for the handle.");

REGISTER_OP("GetSessionTensor")
    .Input("handle: string")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetShapeFn(GetSessionTensorShape)
    .Doc("The tensor [...] that the session keeps under handle [].");

REGISTER_OP("DeleteSessionTensor")
    .Input("handle: string")
    .SetShapeFn(DeleteSessionTensorShape)
    .Doc("Has the session drop the tensor that it keeps under handle [].");

}  // namespace tensorwright
