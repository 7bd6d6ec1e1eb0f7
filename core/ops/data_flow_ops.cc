// SPDX-License-Identifier: Apache-2.0
// Ops that take tensors apart and put them together by indices, and stacks of
// tensors.

#include <algorithm>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The handle has the names of container and stack.
Status CheckStackHandle(InferenceContext* c) {
  ShapeHandle handle;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

Status StackShape(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

Status StackPushShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckStackHandle(c));
  c->set_output(0, c->input(1));
  return OkStatus();
}

Status StackPopShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckStackHandle(c));
  c->set_output(0, c->UnknownShape());
  return OkStatus();
}

Status StackV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status CheckStackV2Handle(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

Status StackPushV2Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckStackV2Handle(c));
  c->set_output(0, c->input(1));
  return OkStatus();
}

Status StackPopV2Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckStackV2Handle(c));
  c->set_output(0, c->UnknownShape());
  return OkStatus();
}

// data[i]: indices[i].shape + rest; merged: [max index + 1] + rest.
Status DynamicStitchShape(InferenceContext* c) {
  const int n = c->num_inputs() / 2;
  bool all_known = true;
  int64_t max_index = -1;
  ShapeHandle rest = c->UnknownShape();
  for (int i = 0; i < n; ++i) {
    const Tensor* indices = c->input_tensor(i);
    if (indices == nullptr) {
      all_known = false;
    } else {
      for (int32_t index : Flat<int32_t>(*indices)) {
        max_index = std::max<int64_t>(max_index, index);
      }
    }
    const ShapeHandle indices_shape = c->input(i);
    const ShapeHandle data_shape = c->input(i + n);
    if (!c->RankKnown(indices_shape)) continue;
    ShapeHandle unused, data_rest;
    TF_RETURN_IF_ERROR(
        c->MergePrefix(data_shape, indices_shape, &unused, &unused));
    TF_RETURN_IF_ERROR(
        c->Subshape(data_shape, c->Rank(indices_shape), &data_rest));
    TF_RETURN_IF_ERROR(c->Merge(rest, data_rest, &rest));
  }
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->Concatenate(
      c->Vector(all_known ? max_index + 1 : InferenceContext::kUnknownDim),
      rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

// data: partitions.shape + rest; every output: [?] + rest.
Status DynamicPartitionShape(InferenceContext* c) {
  ShapeHandle data = c->input(0), partitions = c->input(1);
  ShapeHandle out = c->UnknownShape();
  if (c->RankKnown(partitions)) {
    ShapeHandle rest;
    TF_RETURN_IF_ERROR(c->MergePrefix(data, partitions, &data, &partitions));
    TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(partitions), &rest));
    TF_RETURN_IF_ERROR(
        c->Concatenate(c->Vector(InferenceContext::kUnknownDim), rest, &out));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Stack")
    .Output("handle: Ref(string)")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(StackShape)
    .Doc(
        "A new stack of tensors of attr elem_type, for this run: its handle "
        "[2].");

REGISTER_OP("StackPush")
    .Input("handle: Ref(string)")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(StackPushShape)
    .Doc("Puts elem [...] on the stack handle [2] -> elem itself.");

REGISTER_OP("StackPop")
    .Input("handle: Ref(string)")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .SetShapeFn(StackPopShape)
    .Doc("Takes the last tensor [...] off the stack handle [2].");

REGISTER_OP("StackClose")
    .Input("handle: Ref(string)")
    .SetShapeFn(CheckStackHandle)
    .Doc("Deletes the stack handle [2] and what is on it.");

REGISTER_OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(StackV2Shape)
    .Doc(
        "A new stack of at most max_size [] tensors (any number if negative) "
        "of attr elem_type, for this run: its handle [].");

REGISTER_OP("StackPushV2")
    .Input("handle: resource")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(StackPushV2Shape)
    .Doc("Puts elem [...] on the stack handle [] -> elem itself.");

REGISTER_OP("StackPopV2")
    .Input("handle: resource")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .SetIsStateful()
    .SetShapeFn(StackPopV2Shape)
    .Doc("Takes the last tensor [...] off the stack handle [].");

REGISTER_OP("StackCloseV2")
    .Input("handle: resource")
    .SetIsStateful()
    .SetShapeFn(CheckStackV2Handle)
    .Doc("Deletes the stack handle [] and what is on it.");

REGISTER_OP("DynamicStitch")
    .Input("indices: N*int32")
    .Input("data: N*T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Needs("unbounded memory")
    .SetShapeFn(DynamicStitchShape)
    .Doc(
        "merged[indices[m][i...]] = data[m][i..., ...]: indices N x any shape, "
        "data N x (indices.shape + rest) -> [max index + 1] + rest.");

REGISTER_OP("DynamicPartition")
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions*T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .SetShapeFn(DynamicPartitionShape)
    .Doc(
        "data (partitions.shape + rest), partitions -> num_partitions x [k] + "
        "rest: the slices of data whose partition is 0, 1, ....");

}  // namespace tensorwright
