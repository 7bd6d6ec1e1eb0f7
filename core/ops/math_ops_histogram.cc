// SPDX-License-Identifier: Apache-2.0
// Counting and sorting numbers into bins.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// arr of any shape, a scalar size -> [size].
Status BincountShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const Tensor* size = c->input_tensor(1);
  if (size == nullptr) {
    c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
    return OkStatus();
  }
  const int32 bins = Flat<int32>(*size)[0];
  if (bins < 0) {
    return errors::InvalidArgument("Bincount: size must be >= 0, got ", bins);
  }
  c->set_output(0, c->Vector(bins));
  return OkStatus();
}

// A scalar size, int32 or int64, gives the number of bins.
Status BinsOf(InferenceContext* c, int input, DimensionHandle* bins) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 0, &unused));
  *bins = c->UnknownDim();
  const Tensor* size = c->input_tensor(input);
  if (size == nullptr) return OkStatus();
  int64_t n;
  TF_RETURN_IF_ERROR(c->GetScalarFromTensor(size, &n));
  if (n < 0) return errors::InvalidArgument("size must be >= 0, got ", n);
  *bins = c->MakeDim(n);
  return OkStatus();
}

// input: a scalar, [n] or [rows, n].
Status DenseBincountShape(InferenceContext* c) {
  ShapeHandle in;
  DimensionHandle bins;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 2, &in));
  TF_RETURN_IF_ERROR(BinsOf(c, 1, &bins));
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
  } else if (c->Rank(in) == 2) {
    c->set_output(0, c->Matrix(c->Dim(in, 0), bins));
  } else {
    c->set_output(0, c->Vector(bins));
  }
  return OkStatus();
}

// indices [n, rank], values [n], dense_shape [rank].
Status SparseBincountShape(InferenceContext* c) {
  ShapeHandle indices, values, shape;
  DimensionHandle n, rank, bins;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &n));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &rank));
  TF_RETURN_IF_ERROR(BinsOf(c, 3, &bins));
  if (!c->ValueKnown(rank)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  if (c->Value(rank) < 1) {
    return errors::InvalidArgument(
        "dense_shape must have an element at least, got shape ",
        c->DebugString(shape));
  }
  if (c->Value(rank) == 1) {
    c->set_output(0, c->Vector(bins));
    return OkStatus();
  }
  const Tensor* sizes = c->input_tensor(2);
  const int64_t rows = sizes == nullptr ? -1 : sizes->base<int64_t>()[0];
  c->set_output(0,
                c->Matrix(rows < 0 ? c->UnknownDim() : c->MakeDim(rows), bins));
  return OkStatus();
}

// splits [rows + 1], values [n].
Status RaggedBincountShape(InferenceContext* c) {
  ShapeHandle splits, unused;
  DimensionHandle rows, bins;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &splits));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->Subtract(c->Dim(splits, 0), 1, &rows));
  TF_RETURN_IF_ERROR(BinsOf(c, 2, &bins));
  c->set_output(0, c->Matrix(rows, bins));
  return OkStatus();
}

// values, value_range: [2], nbins: a scalar -> [nbins].
Status HistogramFixedWidthShape(InferenceContext* c) {
  ShapeHandle range, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &range));
  DimensionHandle two, bins;
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(range, 0), 2, &two));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  bins = c->UnknownDim();
  if (const Tensor* const nbins = c->input_tensor(2)) {
    const int64_t count = nbins->scalar_value<int32>();
    if (count <= 0) {
      return errors::InvalidArgument("nbins must be > 0, got ", count);
    }
    bins = c->MakeDim(count);
  }
  c->set_output(0, c->MakeShape({bins}));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Output("bins: T")
    .Attr("T: {int32, int64, float, double}")
    .Needs("unbounded memory")
    .SetShapeFn(BincountShape)
    .Doc(
        "How often each of 0, 1, ... size - 1 occurs in arr, or the sum of "
        "the weights beside it if weights is not empty: -> [size].");

REGISTER_OP("DenseBincount")
    .Input("input: Tidx")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr("T: {int32, int64, float, double}")
    .Attr("binary_output: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(DenseBincountShape)
    .Doc(
        "Bincount of a vector, or of each row of a matrix [rows, n], where "
        "binary_output asks only whether a value occurs: -> [size] or [rows, "
        "size].");

REGISTER_OP("SparseBincount")
    .Input("indices: int64")
    .Input("values: Tidx")
    .Input("dense_shape: int64")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr("T: {int32, int64, float, double}")
    .Attr("binary_output: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(SparseBincountShape)
    .Doc(
        "DenseBincount of the elements that a sparse tensor has: indices [n, "
        "rank], values [n], dense_shape [rank], weights [n] or empty -> [size] "
        "for rank 1, else [dense_shape[0], size].");

REGISTER_OP("RaggedBincount")
    .Input("splits: int64")
    .Input("values: Tidx")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr("T: {int32, int64, float, double}")
    .Attr("binary_output: bool = false")
    .Needs("unbounded memory")
    .SetShapeFn(RaggedBincountShape)
    .Doc(
        "DenseBincount of rows of different lengths: row r has the values [n] "
        "from splits[r] to splits[r + 1]; splits [rows + 1] -> [rows, size].");

REGISTER_OP("Bucketize")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: {int32, int64, float, double}")
    .Attr("boundaries: list(float)")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "How many of the ascending boundaries are <= each element, in the "
        "shape of input.");

REGISTER_OP("HistogramFixedWidth")
    .Input("values: T")
    .Input("value_range: T")
    .Input("nbins: int32")
    .Output("out: dtype")
    .Attr("T: {int32, int64, float, double}")
    .Attr("dtype: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(HistogramFixedWidthShape)
    .Doc(
        "How many values are in each of nbins [] bins of equal width between "
        "the two numbers of value_range [2]; what is outside counts to the "
        "first or the last: -> [nbins].");

}  // namespace tensorwright
