// SPDX-License-Identifier: Apache-2.0
// Accumulators of gradients, and barriers, which put tuples together from
// components that come one by one.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status NewHandle(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

// A handle has the names of container and resource.
Status CheckRefHandle(InferenceContext* c) {
  ShapeHandle handle;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

Status AskHandle(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckRefHandle(c));
  return shape_inference::ScalarShape(c);
}

// The other input is a scalar: a step or a number.
Status CheckScalarBehindHandle(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckRefHandle(c));
  ShapeHandle unused;
  return c->WithRank(c->input(1), 0, &unused);
}

Status TakeGradient(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalarBehindHandle(c));
  return shape_inference::UnknownShape(c);
}

Status ApplySparse(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalarBehindHandle(c));
  ShapeHandle indices, values, unused;
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(3), 1, &values));
  return c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &n);
}

Status TakeSparse(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalarBehindHandle(c));
  ShapeHandle values;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->UnknownShape(), 1, &values));
  c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
  c->set_output(1, values);
  c->set_output(2, c->Vector(InferenceContext::kUnknownDim));
  return OkStatus();
}

Status InsertMany(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckRefHandle(c));
  ShapeHandle keys, values;
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &values));
  return c->Merge(c->Dim(keys, 0), c->Dim(values, 0), &n);
}

Status TakeMany(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalarBehindHandle(c));
  c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
  c->set_output(1, c->Vector(InferenceContext::kUnknownDim));
  for (int i = 2; i < c->num_outputs(); ++i) {
    c->set_output(i, c->UnknownShape());
  }
  return OkStatus();
}

}  // namespace

REGISTER_OP("ConditionalAccumulator")
    .Output("handle: Ref(string)")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .SetIsStateful()
    .SetShapeFn(NewHandle)
    .Doc(
        "An accumulator of gradients that are not older than its global step: "
        "its handle [2].");

REGISTER_OP("AccumulatorNumAccumulated")
    .Input("handle: Ref(string)")
    .Output("num_accumulated: int32")
    .Touches("chance")
    .SetShapeFn(AskHandle)
    .Doc("How many gradients the accumulator handle [2] has -> [].");

REGISTER_OP("AccumulatorSetGlobalStep")
    .Input("handle: Ref(string)")
    .Input("new_global_step: int64")
    .SetShapeFn(CheckScalarBehindHandle)
    .Doc("Sets the global step [] of the accumulator handle [2].");

REGISTER_OP("AccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .SetShapeFn(CheckScalarBehindHandle)
    .Doc(
        "Adds gradient to the accumulator handle [2], unless local_step [] is "
        "smaller than the global step.");

REGISTER_OP("AccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(TakeGradient)
    .Doc(
        "Takes the mean of the gradients out of the accumulator handle [2], "
        "once there are num_required [].");

REGISTER_OP("SparseConditionalAccumulator")
    .Output("handle: Ref(string)")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .SetIsStateful()
    .SetShapeFn(NewHandle)
    .Doc(
        "An accumulator of gradients' rows that are not older than its global "
        "step: its handle [2].  `shape` is that of their first dimensions.");

REGISTER_OP("SparseAccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient_indices: int64")
    .Input("gradient_values: dtype")
    .Input("gradient_shape: int64")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .Attr("has_known_shape: bool")
    .Needs("unbounded memory")
    .SetShapeFn(ApplySparse)
    .Doc(
        "Adds rows gradient_values [n, ...] at gradient_indices [n] to the "
        "accumulator handle [2], unless local_step [] is smaller than the "
        "global step.");

REGISTER_OP("SparseAccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("indices: int64")
    .Output("values: dtype")
    .Output("shape: int64")
    .Attr(
        "dtype: {float, double, int64, int32, uint8, uint16, int16, int8, "
        "complex64, complex128, qint8, quint8, qint32, half}")
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(TakeSparse)
    .Doc(
        "Takes the mean of the rows out of the accumulator handle [2], once "
        "there are num_required [] gradients -> indices [n], values [n, ...], "
        "shape.");

REGISTER_OP("Barrier")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewHandle)
    .Doc(
        "A barrier, which collects the components of tuples by their key: its "
        "handle [2].  There is a shape for each component; capacity is -1.");

REGISTER_OP("BarrierInsertMany")
    .Input("handle: Ref(string)")
    .Input("keys: string")
    .Input("values: T")
    .Attr("T: type")
    .Attr("component_index: int")
    .Needs("unbounded memory")
    .SetShapeFn(InsertMany)
    .Doc(
        "Gives component attr component_index of the tuples keys [n] its "
        "values [n, ...] in the barrier handle [2].");

REGISTER_OP("BarrierTakeMany")
    .Input("handle: Ref(string)")
    .Input("num_elements: int32")
    .Output("indices: int64")
    .Output("keys: string")
    .Output("values: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("allow_small_batch: bool = false")
    .Attr("wait_for_incomplete: bool = false")
    .Attr("timeout_ms: int = -1")
    .Touches("chance")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(TakeMany)
    .Doc(
        "Takes num_elements [] complete tuples out of the barrier handle [2] "
        "-> when they came [n], keys [n], values [n, ...].");

REGISTER_OP("BarrierClose")
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .SetShapeFn(CheckRefHandle)
    .Doc(
        "Closes the barrier handle [2] to new keys, and, if attr "
        "cancel_pending_enqueues, to all.");

REGISTER_OP("BarrierReadySize")
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Touches("chance")
    .SetShapeFn(AskHandle)
    .Doc("How many complete tuples the barrier handle [2] has -> [].");

REGISTER_OP("BarrierIncompleteSize")
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Touches("chance")
    .SetShapeFn(AskHandle)
    .Doc("How many incomplete tuples the barrier handle [2] has -> [].");

}  // namespace tensorwright
