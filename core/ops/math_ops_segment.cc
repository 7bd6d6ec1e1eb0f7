// SPDX-License-Identifier: Apache-2.0
// Segment sums and scans.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// data: [n, ...], segment_ids: [n].  How many segments there are is content.
Status SegmentSumShape(InferenceContext* c) {
  ShapeHandle data, ids, row, output;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &ids));
  if (c->RankKnown(data)) {
    DimensionHandle n;
    if (!c->Merge(c->Dim(data, 0), c->Dim(ids, 0), &n).ok()) {
      return errors::InvalidArgument(
          "SegmentSum: segment ids should be the same size as dimension 0 of "
          "data, got ids ",
          c->DebugString(ids), " and data ", c->DebugString(data));
    }
  }
  TF_RETURN_IF_ERROR(c->Subshape(data, 1, &row));
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->Vector(InferenceContext::kUnknownDim), row, &output));
  c->set_output(0, output);
  return OkStatus();
}

// data: [ids..., ...], segment_ids: [ids...] -> [num_segments, ...].
Status UnsortedSegmentShape(InferenceContext* c) {
  const ShapeHandle data = c->input(0), ids = c->input(1);
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  DimensionHandle num_segments = c->UnknownDim();
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &num_segments));
  if (!c->RankKnown(ids)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  ShapeHandle slice, output;
  TF_RETURN_IF_ERROR(c->MergePrefix(data, ids, &unused, &unused));
  TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(num_segments), slice, &output));
  c->set_output(0, output);
  return OkStatus();
}

// x of rank >= 1, a scalar axis -> x's shape.
Status ScanShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}

}  // namespace

REGISTER_OP("SegmentSum")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(SegmentSumShape)
    .Doc(
        "Sums of the rows of data with equal, ascending segment_ids: [n, "
        "...], [n] -> [last id + 1, ...].");

REGISTER_OP("UnsortedSegmentSum")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .SetShapeFn(UnsortedSegmentShape)
    .Doc(
        "Sums of the slices of data with equal segment_ids, in any order; "
        "negative ids are dropped: data [ids..., ...], segment_ids [ids...] "
        "-> [num_segments, ...].");

REGISTER_OP("Cumsum")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ScanShape)
    .Doc(
        "Running sums along axis, in the shape of x; exclusive: without the "
        "element itself; reverse: from the end.");

REGISTER_OP("Cumprod")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ScanShape)
    .Doc(
        "Running products along axis, in the shape of x; exclusive: without "
        "the element itself; reverse: from the end.");

}  // namespace tensorwright
