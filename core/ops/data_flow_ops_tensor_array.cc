// SPDX-License-Identifier: Apache-2.0
// TensorArrays: lists of tensors that loops write and read by index.
//
// Three generations differ in the handle: a reference to a string (deprecated),
// a string, and a resource.  `flow` is a scalar that carries the order: an op
// that takes the flow of a write comes after it.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

// A resource is a scalar; the older handles name container and array.
Status CheckHandle(InferenceContext* c) {
  ShapeHandle handle = c->input(0);
  if (!c->RankKnown(handle) || c->Rank(handle) == 0) return OkStatus();
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(handle, 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

Status CheckFlow(InferenceContext* c, int input) {
  ShapeHandle unused;
  return c->WithRank(c->input(input), 0, &unused);
}

Status CheckHandleAndFlow(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return CheckFlow(c, c->num_inputs() - 1);
}

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
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

Status GradientV3(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  c->set_output(0, c->Scalar());
  c->set_output(1, c->Scalar());
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr) c->set_output_handle_shapes_and_types(0, *known);
  return OkStatus();
}

Status Write(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr && !known->empty()) {
    TF_RETURN_IF_ERROR(c->Merge((*known)[0].shape, c->input(2), &unused));
  }
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Read(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const auto* known = c->input_handle_shapes_and_types(0);
  c->set_output(0, known != nullptr && !known->empty() ? (*known)[0].shape
                                                       : c->UnknownShape());
  return OkStatus();
}

// A row for each index.
Status Gather(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle indices, element, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  PartialTensorShape element_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("element_shape", &element_shape));
  TF_RETURN_IF_ERROR(
      c->MakeShapeFromPartialTensorShape(element_shape, &element));
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr && !known->empty()) {
    TF_RETURN_IF_ERROR(c->Merge(element, (*known)[0].shape, &element));
  }
  TF_RETURN_IF_ERROR(c->Concatenate(indices, element, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status Pack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  PartialTensorShape element_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("element_shape", &element_shape));
  ShapeHandle element, out;
  TF_RETURN_IF_ERROR(
      c->MakeShapeFromPartialTensorShape(element_shape, &element));
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->Vector(InferenceContext::kUnknownDim), element, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status Scatter(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle indices, value;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &value));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(value, 0), &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Unpack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Concat(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  PartialTensorShape rest_shape;
  TF_RETURN_IF_ERROR(c->GetAttr("element_shape_except0", &rest_shape));
  ShapeHandle rest, out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(rest_shape, &rest));
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->Vector(InferenceContext::kUnknownDim), rest, &out));
  c->set_output(0, out);
  c->set_output(1, c->Vector(InferenceContext::kUnknownDim));
  return OkStatus();
}

Status Split(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Size(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleAndFlow(c));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

}  // namespace

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

REGISTER_OP("TensorArrayWriteV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(Write)
    .Doc("Element index [] becomes value [...]; flow_in [] -> flow_out [].");

REGISTER_OP("TensorArrayWriteV2")
    .Input("handle: string")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Write)
    .Doc(
        "Element index [] becomes value [...]; flow_in [] -> flow_out [], as a "
        "string handle.");

REGISTER_OP("TensorArrayWrite")
    .Input("handle: Ref(string)")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Write)
    .Deprecated(16, "Use TensorArrayWriteV3")
    .Doc(
        "Element index [] becomes value [...]; flow_in [] -> flow_out [], as a "
        "reference to a string handle.");

REGISTER_OP("TensorArrayReadV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn(Read)
    .Doc("Element index [] -> value [...]; flow_in [] orders it after writes.");

REGISTER_OP("TensorArrayReadV2")
    .Input("handle: string")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetShapeFn(Read)
    .Doc(
        "Element index [] -> value [...]; flow_in [] orders it after writes, "
        "as a string handle.");

REGISTER_OP("TensorArrayRead")
    .Input("handle: Ref(string)")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetShapeFn(Read)
    .Deprecated(16, "Use TensorArrayReadV3")
    .Doc(
        "Element index [] -> value [...]; flow_in [] orders it after writes, "
        "as a reference to a string handle.");

REGISTER_OP("TensorArrayPack")
    .Input("handle: Ref(string)")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .SetShapeFn(Pack)
    .Deprecated(16, "Use TensorArrayGatherV3")
    .Doc(
        "All elements, of one shape -> value [size, ...], as a reference to a "
        "string handle.");

REGISTER_OP("TensorArrayGatherV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .SetIsStateful()
    .SetShapeFn(Gather)
    .Doc("Elements indices [n], of one shape -> value [n, ...].");

REGISTER_OP("TensorArrayGatherV2")
    .Input("handle: string")
    .Input("indices: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .SetShapeFn(Gather)
    .Doc(
        "Elements indices [n], of one shape -> value [n, ...], as a string "
        "handle.");

REGISTER_OP("TensorArrayGather")
    .Input("handle: Ref(string)")
    .Input("indices: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .SetShapeFn(Gather)
    .Deprecated(16, "Use TensorArrayGatherV3")
    .Doc(
        "Elements indices [n], of one shape -> value [n, ...], as a reference "
        "to a string handle.");

REGISTER_OP("TensorArrayUnpack")
    .Input("handle: Ref(string)")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Unpack)
    .Deprecated(16, "Use TensorArrayScatterV3")
    .Doc(
        "Element i becomes value[i]: value [n, ...], flow_in [] -> flow_out "
        "[], as a reference to a string handle.");

REGISTER_OP("TensorArrayScatterV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(Scatter)
    .Doc(
        "Element indices[i] becomes value[i]: [n], [n, ...], flow_in [] -> "
        "flow_out [].");

REGISTER_OP("TensorArrayScatterV2")
    .Input("handle: string")
    .Input("indices: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Scatter)
    .Doc(
        "Element indices[i] becomes value[i]: [n], [n, ...], flow_in [] -> "
        "flow_out [], as a string handle.");

REGISTER_OP("TensorArrayScatter")
    .Input("handle: Ref(string)")
    .Input("indices: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Scatter)
    .Deprecated(16, "Use TensorArrayScatterV3")
    .Doc(
        "Element indices[i] becomes value[i]: [n], [n, ...], flow_in [] -> "
        "flow_out [], as a reference to a string handle.");

REGISTER_OP("TensorArrayConcatV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Output("lengths: int64")
    .Attr("dtype: type")
    .Attr("element_shape_except0: shape = { unknown_rank: true }")
    .SetIsStateful()
    .SetShapeFn(Concat)
    .Doc(
        "All elements end to end along dimension 0 -> value [sum, ...], "
        "lengths [size].");

REGISTER_OP("TensorArrayConcatV2")
    .Input("handle: string")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Output("lengths: int64")
    .Attr("dtype: type")
    .Attr("element_shape_except0: shape = { unknown_rank: true }")
    .SetShapeFn(Concat)
    .Doc(
        "All elements end to end along dimension 0 -> value [sum, ...], "
        "lengths [size], as a string handle.");

REGISTER_OP("TensorArrayConcat")
    .Input("handle: Ref(string)")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Output("lengths: int64")
    .Attr("dtype: type")
    .Attr("element_shape_except0: shape = { unknown_rank: true }")
    .SetShapeFn(Concat)
    .Deprecated(16, "Use TensorArrayConcatV3")
    .Doc(
        "All elements end to end along dimension 0 -> value [sum, ...], "
        "lengths [size], as a reference to a string handle.");

REGISTER_OP("TensorArraySplitV3")
    .Input("handle: resource")
    .Input("value: T")
    .Input("lengths: int64")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(Split)
    .Doc(
        "Element i becomes the next lengths[i] rows of value: [sum, ...], [n], "
        "flow_in [] -> flow_out [].");

REGISTER_OP("TensorArraySplitV2")
    .Input("handle: string")
    .Input("value: T")
    .Input("lengths: int64")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Split)
    .Doc(
        "Element i becomes the next lengths[i] rows of value: [sum, ...], [n], "
        "flow_in [] -> flow_out [], as a string handle.");

REGISTER_OP("TensorArraySplit")
    .Input("handle: Ref(string)")
    .Input("value: T")
    .Input("lengths: int64")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetShapeFn(Split)
    .Deprecated(16, "Use TensorArraySplitV3")
    .Doc(
        "Element i becomes the next lengths[i] rows of value: [sum, ...], [n], "
        "flow_in [] -> flow_out [], as a reference to a string handle.");

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
    .SetShapeFn(CheckHandle)
    .Doc("Frees the elements of the array handle.");

REGISTER_OP("TensorArrayCloseV2")
    .Input("handle: string")
    .SetShapeFn(CheckHandle)
    .Doc("Frees the elements of the array handle, as a string handle.");

REGISTER_OP("TensorArrayClose")
    .Input("handle: Ref(string)")
    .SetShapeFn(CheckHandle)
    .Deprecated(16, "Use TensorArrayCloseV3")
    .Doc(
        "Frees the elements of the array handle, as a reference to a string "
        "handle.");

}  // namespace tensorwright
