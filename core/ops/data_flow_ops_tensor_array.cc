// SPDX-License-Identifier: Apache-2.0
// TensorArrays: lists of tensors that loops write and read by index.  This file
// has the ops that make, measure and close them; _read.cc and _write.cc have
// those that use the elements.
//
// Three generations differ in the handle: a reference to a string (deprecated),
// a string, and a resource.  `flow` is a scalar that carries the order: an op
// that takes the flow of a write comes after it.
#include "core/ops/data_flow_ops_tensor_array.h"

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

Status NewArray(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

Status NewArrayV3(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Scalar());
  c->set_output(1, c->Scalar());
  bool identical = false;
  TF_RETURN_IF_ERROR(c->GetAttr("identical_element_shapes", &identical));
  PartialTensorShape element_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("element_shape", &element_shape));
  if (!identical && !element_shape.IsFullyDefined()) return OkStatus();
  DataType dtype;
  TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  ShapeHandle element;
  TF_RETURN_IF_ERROR(
      c->MakeShapeFromPartialTensorShape(element_shape, &element));
  c->set_output_handle_shapes_and_types(0, {ShapeAndType(element, dtype)});
  return OkStatus();
}

Status Gradient(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

Status GradientV3(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  c->set_output(0, c->Scalar());
  c->set_output(1, c->Scalar());
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr) c->set_output_handle_shapes_and_types(0, *known);
  return OkStatus();
}

Status Size(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

}  // namespace

Status CheckTensorArray(InferenceContext* c) {
  ShapeHandle handle = c->input(0);
  if (!c->RankKnown(handle) || c->Rank(handle) == 0) return OkStatus();
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(handle, 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

Status CheckTensorArrayAndFlow(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArray(c));
  ShapeHandle unused;
  return c->WithRank(c->input(c->num_inputs() - 1), 0, &unused);
}

REGISTER_OP("TensorArrayV3")
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(NewArrayV3)
    .Doc("A new list of size [] tensors of attr dtype, for this run.");

REGISTER_OP("TensorArrayV2")
    .Input("size: int32")
    .Output("handle: string")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(NewArray)
    .Doc(
        "A new list of size [] tensors of attr dtype, for this run, as a "
        "string handle.");

REGISTER_OP("TensorArray")
    .Input("size: int32")
    .Output("handle: Ref(string)")
    .Attr("dtype: type")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("tensor_array_name: string = ''")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(NewArray)
    .Deprecated(16, "Use TensorArrayV3")
    .Doc(
        "A new list of size [] tensors of attr dtype, for this run, as a "
        "reference to a string handle.");

REGISTER_OP("TensorArrayGradV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .SetIsStateful()
    .SetShapeFn(GradientV3)
    .Doc(
        "The array of gradients of the array handle, one for each source; made "
        "on first use.");

REGISTER_OP("TensorArrayGradV2")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: string")
    .Attr("source: string")
    .SetIsStateful()
    .SetShapeFn(Gradient)
    .Doc(
        "The array of gradients of the array handle, one for each source; made "
        "on first use, as a string handle.");

REGISTER_OP("TensorArrayGrad")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("grad_handle: Ref(string)")
    .Attr("source: string")
    .SetIsStateful()
    .SetShapeFn(Gradient)
    .Deprecated(16, "Use TensorArrayGradV3")
    .Doc(
        "The array of gradients of the array handle, one for each source; made "
        "on first use, as a reference to a string handle.");

REGISTER_OP("TensorArraySizeV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("size: int32")
    .SetIsStateful()
    .SetShapeFn(Size)
    .Doc("The number of elements: -> size [].");

REGISTER_OP("TensorArraySizeV2")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("size: int32")
    .SetShapeFn(Size)
    .Doc("The number of elements: -> size [], as a string handle.");

REGISTER_OP("TensorArraySize")
    .Input("handle: Ref(string)")
    .Input("flow_in: float")
    .Output("size: int32")
    .SetShapeFn(Size)
    .Deprecated(16, "Use TensorArraySizeV3")
    .Doc(
        "The number of elements: -> size [], as a reference to a string "
        "handle.");

REGISTER_OP("TensorArrayCloseV3")
    .Input("handle: resource")
    .SetIsStateful()
    .SetShapeFn(CheckTensorArray)
    .Doc("Frees the elements of the array handle.");

REGISTER_OP("TensorArrayCloseV2")
    .Input("handle: string")
    .SetShapeFn(CheckTensorArray)
    .Doc("Frees the elements of the array handle, as a string handle.");

REGISTER_OP("TensorArrayClose")
    .Input("handle: Ref(string)")
    .SetShapeFn(CheckTensorArray)
    .Deprecated(16, "Use TensorArrayCloseV3")
    .Doc(
        "Frees the elements of the array handle, as a reference to a string "
        "handle.");

}  // namespace tensorwright
