// SPDX-License-Identifier: Apache-2.0
// Ops that write elements of TensorArrays: one, rows, or pieces of a tensor.

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/data_flow_ops_tensor_array.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status Write(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr && !known->empty()) {
    TF_RETURN_IF_ERROR(c->Merge((*known)[0].shape, c->input(2), &unused));
  }
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Scatter(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  ShapeHandle indices, value;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &value));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(value, 0), &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Unpack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status Split(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckTensorArrayAndFlow(c));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

}  // namespace

REGISTER_OP("TensorArrayWriteV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(Write)
    .Doc("Element index [] becomes value [...]; flow_in [] -> flow_out [].");

REGISTER_OP("TensorArrayWriteV2")
    .Input("handle: string")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Needs("unbounded memory")
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
    .Needs("unbounded memory")
    .SetShapeFn(Write)
    .Deprecated(16, "Use TensorArrayWriteV3")
    .Doc(
        "Element index [] becomes value [...]; flow_in [] -> flow_out [], as a "
        "reference to a string handle.");

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
    .Needs("unbounded memory")
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
    .Needs("unbounded memory")
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
    .Needs("unbounded memory")
    .SetShapeFn(Scatter)
    .Deprecated(16, "Use TensorArrayScatterV3")
    .Doc(
        "Element indices[i] becomes value[i]: [n], [n, ...], flow_in [] -> "
        "flow_out [], as a reference to a string handle.");

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

}  // namespace tensorwright
