// SPDX-License-Identifier: Apache-2.0
// Variables behind resource handles: made, read, given a value, destroyed.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/variable_shape.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

// The handle knows its variable's dtype and shape.
Status VarHandleShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
  ShapeHandle handle_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &handle_shape));
  c->set_output_handle_shapes_and_types(0, {ShapeAndType(handle_shape, dtype)});
  return OkStatus();
}

Status ReadVariableShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "dtype", &shape));
  c->set_output(0, shape);
  return OkStatus();
}

Status AssignVariableShape(InferenceContext* c) {
  ShapeHandle shape, unused;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "dtype", &shape));
  return c->Merge(shape, c->input(1), &unused);
}

// The length of the shape is the variable's rank; its value is the shape.
Status VariableShapeShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  const std::vector<ShapeAndType>* known = c->input_handle_shapes_and_types(0);
  const bool has_rank =
      known != nullptr && !known->empty() && c->RankKnown((*known)[0].shape);
  c->set_output(0, c->Vector(has_rank ? c->Rank((*known)[0].shape)
                                      : InferenceContext::kUnknownDim));
  return OkStatus();
}

Status VarIsInitializedShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return shape_inference::ScalarShape(c);
}

Status DestroyResourceShape(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

}  // namespace

REGISTER_OP("VarHandleOp")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("debug_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("allowed_devices: list(string) = []")
    .SetIsStateful()
    .SetShapeFn(VarHandleShape)
    .Doc(
        "A handle [] to the variable shared_name of attr shape, which "
        "AssignVariableOp gives its first value.");

REGISTER_OP("ReadVariableOp")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn(ReadVariableShape)
    .Doc("The value [...] that the variable behind resource [] has now.");

REGISTER_OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Attr("validate_shape: bool = false")
    .SetIsStateful()
    .SetShapeFn(AssignVariableShape)
    .Doc("Gives the variable behind resource [] the value [...].");

REGISTER_OP("AssignAddVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn(AssignVariableShape)
    .Doc("Adds value [...] to the variable behind resource [], of its shape.");

REGISTER_OP("AssignSubVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn(AssignVariableShape)
    .Doc(
        "Subtracts value [...] from the variable behind resource [], of its "
        "shape.");

REGISTER_OP("VariableShape")
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetIsStateful()
    .SetShapeFn(VariableShapeShape)
    .Doc("The shape [r] of the variable behind input [], whose rank is r.");

REGISTER_OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .SetIsStateful()
    .SetShapeFn(VarIsInitializedShape)
    .Doc("Whether the variable behind resource [] has a value: -> [].");

REGISTER_OP("DisableCopyOnRead")
    .Input("resource: resource")
    .SetIsStateful()
    .SetShapeFn(DestroyResourceShape)
    .Doc(
        "Lets the variable behind resource [] hand out its own memory when it "
        "is read, which variables here always do; an error if there is none.");

REGISTER_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .SetIsStateful()
    .SetShapeFn(DestroyResourceShape)
    .Doc(
        "Deletes what is behind resource []; with ignore_lookup_error it is no "
        "error that nothing is.");

}  // namespace tensorwright
