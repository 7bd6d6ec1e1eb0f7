// SPDX-License-Identifier: Apache-2.0
// Ops that read elements of TensorArrays: one, some as the rows of a tensor, or
// all end to end.

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/data_flow_ops_tensor_array.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status Read(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const auto* known = c->input_handle_shapes_and_types(0);
  c->set_output(0, known != nullptr && !known->empty() ? (*known)[0].shape
                                                       : c->UnknownShape());
  return OkStatus();
}

// A row for each index.
Status Gather(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
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
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
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

Status Concat(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
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

}  // namespace

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

}  // namespace tensorwright
