// SPDX-License-Identifier: Apache-2.0
// Slices and tiles: parts of a tensor, and a tensor many times over.

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/strided_slice_op.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status GetMasks(InferenceContext* c, StridedSliceMasks* masks) {
  TF_RETURN_IF_ERROR(c->GetAttr("begin_mask", &masks->begin));
  TF_RETURN_IF_ERROR(c->GetAttr("end_mask", &masks->end));
  TF_RETURN_IF_ERROR(c->GetAttr("ellipsis_mask", &masks->ellipsis));
  TF_RETURN_IF_ERROR(c->GetAttr("new_axis_mask", &masks->new_axis));
  return c->GetAttr("shrink_axis_mask", &masks->shrink_axis);
}

// begin, end, strides: vectors of one length.
Status MergeSliceVectors(InferenceContext* c, ShapeHandle* merged) {
  ShapeHandle end, strides;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, merged));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &end));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &strides));
  TF_RETURN_IF_ERROR(c->Merge(*merged, end, merged));
  return c->Merge(*merged, strides, merged);
}

Status StridedSliceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle entries;
  TF_RETURN_IF_ERROR(MergeSliceVectors(c, &entries));
  const Tensor* begin = c->input_tensor(1);
  const Tensor* end = c->input_tensor(2);
  const Tensor* strides = c->input_tensor(3);
  if (!c->RankKnown(input) || strides == nullptr) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  StridedSliceMasks masks;
  TF_RETURN_IF_ERROR(GetMasks(c, &masks));
  StridedSliceSpec spec;
  TF_RETURN_IF_ERROR(ValidateStridedSliceOp(
      begin, end, *strides, c->ToPartialTensorShape(input), masks, &spec));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(
      c->MakeShapeFromPartialTensorShape(spec.final_shape, &out));
  c->set_output(0, out);
  return OkStatus();
}

// shape: the shape of StridedSlice's input, which the output has.
Status StridedSliceGradShape(InferenceContext* c) {
  ShapeHandle out, unused;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  TF_RETURN_IF_ERROR(MergeSliceVectors(c, &unused));
  c->set_output(0, out);
  return OkStatus();
}

// ref: the tensor or variable that is written, whose shape stays.  The kernel
// checks the slice's own shape, since it has its own error for it.
Status StridedSliceAssignShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(MergeSliceVectors(c, &unused));
  if (c->num_outputs() > 0) c->set_output(0, c->input(0));
  return OkStatus();
}

// multiples: one number for each dimension of input.
Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), multiples;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &multiples));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->WithRank(multiples, c->Rank(input), &multiples));
  } else if (c->RankKnown(multiples)) {
    TF_RETURN_IF_ERROR(c->WithRank(input, c->Rank(multiples), &input));
  } else {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(input);
  absl::InlinedVector<DimensionHandle, 8> dims(rank);
  for (int i = 0; i < rank; ++i) {
    TF_RETURN_IF_ERROR(
        c->Multiply(c->Dim(input, i), c->Dim(multiples, i), &dims[i]));
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(dims)));
  return OkStatus();
}

// The reverse of TileShape: each dimension is divided by its multiple.
Status TileGradShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), multiples;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &multiples));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->WithRank(multiples, c->Rank(input), &multiples));
  } else if (c->RankKnown(multiples)) {
    TF_RETURN_IF_ERROR(c->WithRank(input, c->Rank(multiples), &input));
  } else {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(input);
  absl::InlinedVector<DimensionHandle, 8> dims(rank);
  for (int i = 0; i < rank; ++i) {
    if (c->Value(c->Dim(multiples, i)) == 0) {
      return errors::InvalidArgument("multiples[", i, "] must be > 0, got 0");
    }
    TF_RETURN_IF_ERROR(c->Divide(c->Dim(input, i), c->Dim(multiples, i),
                                 /*evenly_divisible=*/true, &dims[i]));
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(dims)));
  return OkStatus();
}

// Takes two shapes as vectors; their values decide which dimensions are summed.
Status BroadcastGradientArgsShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
  c->set_output(1, c->Vector(InferenceContext::kUnknownDim));
  return OkStatus();
}

// Takes two shapes as vectors; the broadcast one has the length of the longer.
Status BroadcastArgsShape(InferenceContext* c) {
  ShapeHandle s0, s1;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &s0));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &s1));
  DimensionHandle rank = c->UnknownDim();
  if (c->ValueKnown(c->Dim(s0, 0)) && c->ValueKnown(c->Dim(s1, 0))) {
    TF_RETURN_IF_ERROR(c->Max(c->Dim(s0, 0), c->Dim(s1, 0), &rank));
  }
  c->set_output(0, c->Vector(rank));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .SetShapeFn(shape_inference::SliceShape)
    .Doc(
        "The part of input [d0, ..., dn-1] that starts at begin [n] and has "
        "shape size [n], where a size of -1 is all the rest.");

REGISTER_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int16, int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetShapeFn(StridedSliceShape)
    .Doc(
        "input[begin:end:strides] with vectors of one entry a dimension, as "
        "the five masks modify it.");

REGISTER_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Needs("unbounded memory")
    .SetShapeFn(StridedSliceGradShape)
    .Doc(
        "Zeros of shape `shape`, with dy where StridedSlice with the same "
        "arguments takes its values from.");

REGISTER_OP("StridedSliceAssign")
    .Input("ref: Ref(T)")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetShapeFn(StridedSliceAssignShape)
    .Doc(
        "ref[begin:end:strides] = value, of the shape of what StridedSlice "
        "with the same arguments takes from variable ref -> ref itself.");

REGISTER_OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetIsStateful()
    .SetShapeFn(StridedSliceAssignShape)
    .Doc(
        "v[begin:end:strides] = value for the variable v behind handle ref [], "
        "value of the shape of what StridedSlice takes from v.");

REGISTER_OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(TileShape)
    .Doc(
        "input [d0, ..., dn-1], multiples [n] -> [d0 * multiples[0], ...]: "
        "input repeated that often along each dimension.");

REGISTER_OP("TileGrad")
    .Input("input: T")
    .Input("multiples: int32")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(3, "TileGrad has been replaced with reduce_sum")
    .SetShapeFn(TileGradShape)
    .Doc(
        "input [d0 * multiples[0], ...], multiples [n] -> [d0, ...]: the sum "
        "of the parts that Tile would have made of one.");

REGISTER_OP("BroadcastGradientArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(BroadcastGradientArgsShape)
    .Doc(
        "Shapes s0 [n0], s1 [n1] -> the dimensions over which each gradient of "
        "a broadcasting op is summed: r0 [k0], r1 [k1].");

REGISTER_OP("BroadcastArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(BroadcastArgsShape)
    .Doc(
        "Shapes s0 [n0], s1 [n1] -> the shape that they broadcast to: r0 "
        "[max(n0, n1)].");

}  // namespace tensorwright
