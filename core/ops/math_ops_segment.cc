// SPDX-License-Identifier: Apache-2.0
// Reductions of the rows that share an id.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// data: [n, ...], segment_ids: [n].  The values of segment_ids decide how many
// segments there are.
Status SegmentReductionShape(InferenceContext* c) {
  ShapeHandle data, ids, row, output;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &ids));
  if (c->RankKnown(data)) {
    DimensionHandle n;
    if (!c->Merge(c->Dim(data, 0), c->Dim(ids, 0), &n).ok()) {
      return errors::InvalidArgument(
          "segment ids should be the same size as dimension 0 of data, got "
          "ids ",
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

// data: [n, ...], indices: [k], segment_ids: [k] -> [?, ...].
Status SparseSegmentShape(InferenceContext* c) {
  ShapeHandle data, indices, ids, unused, row, output;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &ids));
  TF_RETURN_IF_ERROR(c->Merge(indices, ids, &unused));
  TF_RETURN_IF_ERROR(c->Subshape(data, 1, &row));
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->Vector(InferenceContext::kUnknownDim), row, &output));
  c->set_output(0, output);
  return OkStatus();
}

// The same, and num_segments: a scalar -> [num_segments, ...].
Status SparseSegmentWithNumSegmentsShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(SparseSegmentShape(c));
  ShapeHandle unused, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  DimensionHandle rows = c->UnknownDim();
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(3, &rows));
  output = c->output(0);
  if (c->RankKnown(output)) {
    TF_RETURN_IF_ERROR(c->ReplaceDim(output, 0, rows, &output));
  }
  c->set_output(0, output);
  return OkStatus();
}

// grad: [segments, ...], indices: [k], segment_ids: [k], output_dim0: a scalar
// -> [output_dim0, ...].
Status SparseSegmentGradShape(InferenceContext* c) {
  ShapeHandle grad, indices, ids, unused, row, output;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &grad));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &ids));
  TF_RETURN_IF_ERROR(c->Merge(indices, ids, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  DimensionHandle rows = c->UnknownDim();
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(3, &rows));
  TF_RETURN_IF_ERROR(c->Subshape(grad, 1, &row));
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(rows), row, &output));
  c->set_output(0, output);
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
    .Needs("unbounded memory")
    .SetShapeFn(SegmentReductionShape)
    .Doc(
        "Sums of the rows of data with equal, ascending segment_ids: [n, "
        "...], [n] -> [last id + 1, ...].");

REGISTER_OP("SegmentMean")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(SegmentReductionShape)
    .Doc(
        "Means of the rows of data with equal, ascending segment_ids: [n, "
        "...], [n] -> [last id + 1, ...].");

REGISTER_OP("SegmentProd")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(SegmentReductionShape)
    .Doc(
        "Products of the rows of data with equal, ascending segment_ids: [n, "
        "...], [n] -> [last id + 1, ...].");

REGISTER_OP("SegmentMin")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(SegmentReductionShape)
    .Doc(
        "Smallest elements of the rows of data with equal, ascending "
        "segment_ids: [n, "
        "...], [n] -> [last id + 1, ...].");

REGISTER_OP("SegmentMax")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(SegmentReductionShape)
    .Doc(
        "Largest elements of the rows of data with equal, ascending "
        "segment_ids: [n, "
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
    .Needs("unbounded memory")
    .SetShapeFn(UnsortedSegmentShape)
    .Doc(
        "Sums of the slices of data with equal segment_ids, in any order; "
        "negative ids are dropped: data [ids..., ...], segment_ids [ids...] "
        "-> [num_segments, ...].");

REGISTER_OP("UnsortedSegmentMax")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(UnsortedSegmentShape)
    .Doc(
        "Largest elements of the slices of data with equal segment_ids, in "
        "any order; the lowest number of T where there is none: data [ids..., "
        "...], segment_ids [ids...] -> [num_segments, ...].");

REGISTER_OP("UnsortedSegmentMin")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(UnsortedSegmentShape)
    .Doc(
        "Smallest elements of the slices of data with equal segment_ids, in "
        "any order; the highest number of T where there is none: data "
        "[ids..., ...], segment_ids [ids...] -> [num_segments, ...].");

REGISTER_OP("UnsortedSegmentProd")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(UnsortedSegmentShape)
    .Doc(
        "Products of the slices of data with equal segment_ids, in any order; "
        "1 where there is none, and negative ids are dropped: data [ids..., "
        "...], segment_ids [ids...] -> [num_segments, ...].");

REGISTER_OP("SparseSegmentSum")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentShape)
    .Doc(
        "Sums of the rows data[indices] with equal, ascending "
        "segment_ids: [n, ...], [k], [k] -> [last id + 1, ...].");

REGISTER_OP("SparseSegmentMean")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentShape)
    .Doc(
        "Means of the rows data[indices] with equal, ascending "
        "segment_ids: [n, ...], [k], [k] -> [last id + 1, ...].");

REGISTER_OP("SparseSegmentSqrtN")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentShape)
    .Doc(
        "Sums over square roots of counts of the rows data[indices] with "
        "equal, ascending "
        "segment_ids: [n, ...], [k], [k] -> [last id + 1, ...].");

REGISTER_OP("SparseSegmentSumWithNumSegments")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentWithNumSegmentsShape)
    .Doc(
        "Sums of the rows data[indices] with equal, ascending segment_ids, "
        "zeros for an id without rows: [n, ...], [k], [k] -> [num_segments, "
        "...].");

REGISTER_OP("SparseSegmentMeanWithNumSegments")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentWithNumSegmentsShape)
    .Doc(
        "Means of the rows data[indices] with equal, ascending segment_ids, "
        "zeros for an id without rows: [n, ...], [k], [k] -> [num_segments, "
        "...].");

REGISTER_OP("SparseSegmentSqrtNWithNumSegments")
    .Input("data: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Attr("sparse_gradient: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentWithNumSegmentsShape)
    .Doc(
        "Sums over square roots of counts of the rows data[indices] with "
        "equal, ascending segment_ids, "
        "zeros for an id without rows: [n, ...], [k], [k] -> [num_segments, "
        "...].");

REGISTER_OP("SparseSegmentSumGrad")
    .Input("grad: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("output_dim0: int32")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentGradShape)
    .Doc(
        "Gradient of SparseSegmentSum by data: row indices[i] of the output "
        "gets row segment_ids[i] of grad: -> [output_dim0, ...].");

REGISTER_OP("SparseSegmentMeanGrad")
    .Input("grad: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("output_dim0: int32")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentGradShape)
    .Doc(
        "Gradient of SparseSegmentMean by data: row indices[i] of the "
        "output gets row segment_ids[i] of grad over its segment's size: -> "
        "[output_dim0, ...].");

REGISTER_OP("SparseSegmentSqrtNGrad")
    .Input("grad: T")
    .Input("indices: Tidx")
    .Input("segment_ids: Tsegmentids")
    .Input("output_dim0: int32")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("Tsegmentids: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(SparseSegmentGradShape)
    .Doc(
        "Gradient of SparseSegmentSqrtN by data: row indices[i] of the "
        "output gets row segment_ids[i] of grad over the root of its segment's "
        "size: -> "
        "[output_dim0, ...].");

}  // namespace tensorwright
