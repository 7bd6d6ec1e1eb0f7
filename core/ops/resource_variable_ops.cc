// SPDX-License-Identifier: Apache-2.0
// Variables behind resource handles.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

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

// What is known of the variable behind input 0; InvalidArgument if that is of
// another dtype than the attr says.
Status VariableBehind(InferenceContext* c, ShapeHandle* shape) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  *shape = c->UnknownShape();
  const std::vector<ShapeAndType>* known = c->input_handle_shapes_and_types(0);
  if (known == nullptr || known->empty()) return OkStatus();
  DataType dtype = DT_INVALID;
  TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  if ((*known)[0].dtype != dtype) {
    return errors::InvalidArgument("the variable has dtype ",
                                   DataTypeString((*known)[0].dtype),
                                   ", attr dtype is ", DataTypeString(dtype));
  }
  *shape = (*known)[0].shape;
  return OkStatus();
}

Status ReadVariableShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(VariableBehind(c, &shape));
  c->set_output(0, shape);
  return OkStatus();
}

Status AssignVariableShape(InferenceContext* c) {
  ShapeHandle shape, unused;
  TF_RETURN_IF_ERROR(VariableBehind(c, &shape));
  return c->Merge(shape, c->input(1), &unused);
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
    .Attr("dtype: type")
    .Attr("shape: shape")
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

REGISTER_OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .SetIsStateful()
    .SetShapeFn(VarIsInitializedShape)
    .Doc("Whether the variable behind resource [] has a value: -> [].");

REGISTER_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .SetIsStateful()
    .SetShapeFn(DestroyResourceShape)
    .Doc(
        "Deletes what is behind resource []; with ignore_lookup_error it is no "
        "error that nothing is.");

}  // namespace tensorwright
