// SPDX-License-Identifier: Apache-2.0
// Array ops of TensorFlow versions after 1.3 that today's programs use.

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "core/ops/scatter_nd_shape.h"
#include "core/util/padding.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// shape: the output's; each dimension of input is 1 or the same.
Status BroadcastToShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  ShapeHandle unused, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  c->set_output(0, out);
  if (!c->RankKnown(out) || !c->RankKnown(in)) return OkStatus();
  if (c->Rank(in) > c->Rank(out)) {
    return errors::InvalidArgument("Rank of input (", c->Rank(in),
                                   ") must be no greater than rank of output "
                                   "shape (",
                                   c->Rank(out), ").");
  }
  for (int i = 1; i <= c->Rank(in); ++i) {
    const int64_t have = c->Value(c->Dim(in, -i));
    const int64_t want = c->Value(c->Dim(out, -i));
    if (have >= 0 && want >= 0 && have != 1 && have != want) {
      return errors::InvalidArgument(
          "Incompatible shapes: ", c->DebugString(in), " vs. ",
          c->DebugString(out));
    }
  }
  return OkStatus();
}

// Merges attr shape with the known shape of the input.
Status EnsureShapeShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle attr, out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &attr));
  const Status merged = c->Merge(c->input(0), attr, &out);
  if (!merged.ok()) {
    // Joins TensorFlow's words for an error while a graph is built to its words
    // for one in a run.
    return errors::InvalidArgument(
        merged.message(), " Shape of tensor ", c->DebugString(c->input(0)),
        " is not compatible with expected shape ", c->DebugString(attr), ".");
  }
  c->set_output(0, out);
  return OkStatus();
}

// shift, axis: scalars or vectors of one size.
Status RollShape(InferenceContext* c) {
  ShapeHandle in, shift, axis, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &shift));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &axis));
  const DimensionHandle n = c->NumElements(shift), m = c->NumElements(axis);
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(n, m, &merged));
  c->set_output(0, in);
  return OkStatus();
}

// indices: scalar or [n]; dims: [rank].
Status UnravelIndexShape(InferenceContext* c) {
  ShapeHandle indices, dims, out;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  if (!c->RankKnown(indices)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->Concatenate(dims, indices, &out));
  c->set_output(0, out);
  return OkStatus();
}

// sorted_inputs: [batch, n], values: [batch, m].
Status BoundShape(InferenceContext* c) {
  ShapeHandle sorted, values, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &sorted));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &values));
  DimensionHandle batch;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(sorted, 0), c->Dim(values, 0), &batch));
  TF_RETURN_IF_ERROR(c->ReplaceDim(values, 0, batch, &out));
  c->set_output(0, out);
  return OkStatus();
}

// tensor, indices, updates.
Status TensorScatterShape(InferenceContext* c) {
  ShapeHandle tensor;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &tensor));
  c->set_output(0, tensor);
  return CheckScatterNd(c, c->input(1), c->input(2), tensor);
}

// data: [n, ...], method: a scalar.
Status FingerprintShape(InferenceContext* c) {
  ShapeHandle data, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Matrix(c->Dim(data, 0), 8));
  return OkStatus();
}

// Checks a list: it has numbers for five dimensions, with 1 for batch and
// channels.
Status VolumeList(InferenceContext* c, const char* name,
                  std::vector<int64_t>* list) {
  TF_RETURN_IF_ERROR(c->GetAttr(name, list));
  if (list->size() != 5) {
    return errors::InvalidArgument(name, " must have 5 values, got ",
                                   list->size());
  }
  if (list->front() != 1 || list->back() != 1) {
    return errors::Unimplemented(name,
                                 " must be 1 for batch and channels, got ",
                                 list->front(), " and ", list->back());
  }
  for (const int64_t n : *list) {
    if (n < 1 || n > INT32_MAX) {
      return errors::OutOfRange(name, " must be in [1, 2^31), got ", n);
    }
  }
  return OkStatus();
}

// input: [batch, planes, rows, cols, depth].
Status ExtractVolumePatchesShape(InferenceContext* c) {
  WindowAttrs attrs;
  attrs.op = "ExtractVolumePatches";
  attrs.rank = 5;
  attrs.dilations.assign(5, 1);
  attrs.allows_no_output = true;
  ShapeHandle in;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 5, &in));
  TF_RETURN_IF_ERROR(VolumeList(c, "ksizes", &attrs.ksize));
  TF_RETURN_IF_ERROR(VolumeList(c, "strides", &attrs.strides));
  TF_RETURN_IF_ERROR(c->GetAttr("padding", &attrs.padding));
  DimensionHandle depth = c->Dim(in, 4);
  ShapeHandle out = in;
  for (int d = 1; d < 4; ++d) {
    const DimensionHandle size = c->Dim(in, d);
    DimensionHandle windows = c->UnknownDim();
    if (c->ValueKnown(size)) {
      WindowDim window;
      TF_RETURN_IF_ERROR(
          attrs.ComputeWindow(d, c->Value(size), attrs.ksize[d], &window));
      windows = c->MakeDim(window.output);
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(out, d, windows, &out));
    TF_RETURN_IF_ERROR(c->Multiply(depth, attrs.ksize[d], &depth));
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(out, 4, depth, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(BroadcastToShape)
    .Doc(
        "input [...] in shape shape [n], repeated along new dimensions in "
        "front and along its dimensions of 1.");

REGISTER_OP("EnsureShape")
    .Input("input: T")
    .Output("output: T")
    .Attr("shape: shape")
    .Attr("T: type")
    .SetShapeFn(EnsureShapeShape)
    .Doc("input itself, [...] -> [...]; an error unless attr shape fits it.");

REGISTER_OP("GuaranteeConst")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("input itself, [...] -> [...], which is said never to change.");

REGISTER_OP("Roll")
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(RollShape)
    .Doc(
        "input [...] shifted by shift [k] along dimensions axis [k]; what goes "
        "over the end comes in at the start.");

REGISTER_OP("UnravelIndex")
    .Input("indices: Tidx")
    .Input("dims: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(UnravelIndexShape)
    .Doc(
        "The coordinates of flat positions indices [n] or [] in a tensor of "
        "shape dims [r]: -> [r, n] or [r].");

REGISTER_OP("LowerBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(BoundShape)
    .Doc(
        "sorted_inputs [b, n], values [b, m] -> how many elements of the "
        "sorted row are less than each value: [b, m].");

REGISTER_OP("UpperBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(BoundShape)
    .Doc(
        "sorted_inputs [b, n], values [b, m] -> how many elements of the "
        "sorted row are no greater than each value: [b, m].");

REGISTER_OP("TensorScatterUpdate")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64, uint16}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(TensorScatterShape)
    .Doc(
        "tensor with each slice of updates [..., tensor.shape[k:]] in its "
        "place in indices [..., k].");

REGISTER_OP("TensorScatterAdd")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(TensorScatterShape)
    .Doc(
        "tensor with each slice of updates [..., tensor.shape[k:]] added at "
        "its place in indices [..., k].");

REGISTER_OP("TensorScatterSub")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(TensorScatterShape)
    .Doc(
        "tensor with each slice of updates [..., tensor.shape[k:]] subtracted "
        "at its place in indices [..., k].");

REGISTER_OP("TensorScatterMin")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(TensorScatterShape)
    .Doc(
        "tensor with the smaller of it and each slice of updates [..., "
        "tensor.shape[k:]] at its place in indices [..., k].");

REGISTER_OP("TensorScatterMax")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .SetShapeFn(TensorScatterShape)
    .Doc(
        "tensor with the larger of it and each slice of updates [..., "
        "tensor.shape[k:]] at its place in indices [..., k].");

REGISTER_OP("Fingerprint")
    .Input("data: T")
    .Input("method: string")
    .Output("fingerprint: uint8")
    .Attr("T: type")
    .SetShapeFn(FingerprintShape)
    .Doc(
        "Eight bytes of each slice of data [n, ...], by method [], which is "
        "farmhash64: -> [n, 8].");

REGISTER_OP("ExtractVolumePatches")
    .Input("input: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr(GetPaddingAttrString())
    .SetShapeFn(ExtractVolumePatchesShape)
    .Doc(
        "input [batch, planes, rows, cols, depth] -> patches [batch, "
        "out_planes, out_rows, out_cols, ksizes[1] * ksizes[2] * ksizes[3] * "
        "depth]: the elements of each window, zero outside the volume.");

REGISTER_OP("CheckPinned")
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "The tensor [...], if it is in host memory that CUDA has pinned; an "
        "error if it is not, or if the library has no CUDA.");

}  // namespace tensorwright
