// SPDX-License-Identifier: Apache-2.0
// Variables and ops that change them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/variable_shape.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Attr "shape", in which [] may stand for unknown, as old graphs wrote it.
Status VariableShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out = c->UnknownShape();
  if (shape.dims() > 0) {
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// The variable takes value's shape, which is its own if attr validate_shape.
Status AssignShape(InferenceContext* c) {
  bool validate_shape = true;
  TF_RETURN_IF_ERROR(c->GetAttr("validate_shape", &validate_shape));
  if (validate_shape) return shape_inference::MergeBothInputsShapeFn(c);
  c->set_output(0, c->input(1));
  return OkStatus();
}

Status CountUpToShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status ResourceCountUpToShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(VariableShapeOf(c, 0, "T", &out));
  TF_RETURN_IF_ERROR(c->WithRank(out, 0, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Variable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(VariableShape)
    .Doc("A tensor of attr shape that keeps its value from run to run.");

REGISTER_OP("VariableV2")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ExplicitShape)
    .Doc("A tensor of attr shape that keeps its value from run to run.");

REGISTER_OP("TemporaryVariable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("var_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ExplicitShape)
    .Doc(
        "A tensor of attr shape, not initialized, that lives until "
        "DestroyTemporaryVariable of the same var_name.");

REGISTER_OP("DestroyTemporaryVariable")
    .Input("ref: Ref(T)")
    .Output("value: T")
    .Attr("T: type")
    .Attr("var_name: string")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "The last value of the temporary variable ref, [...] -> [...], which "
        "is gone afterwards.");

REGISTER_OP("IsVariableInitialized")
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .SetAllowsUninitializedInput()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("Whether the variable ref has a value: [...] -> [].");

REGISTER_OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .SetAllowsUninitializedInput()
    .SetShapeFn(AssignShape)
    .Doc("Gives variable ref the value [...] -> ref itself.");

REGISTER_OP("AssignAdd")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("Adds value [...] to variable ref [...] -> ref itself.");

REGISTER_OP("AssignSub")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("Subtracts value [...] from variable ref [...] -> ref itself.");

REGISTER_OP("CountUpTo")
    .Input("ref: Ref(T)")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .SetShapeFn(CountUpToShape)
    .Doc(
        "The value of the scalar variable ref, [], which becomes 1 more; at "
        "attr limit an OutOfRange error.");

REGISTER_OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn(ResourceCountUpToShape)
    .Doc(
        "The value of the scalar variable behind resource, [], which becomes 1 "
        "more; at attr limit an OutOfRange error.");

}  // namespace tensorwright
