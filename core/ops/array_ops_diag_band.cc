// SPDX-License-Identifier: Apache-2.0
// Any diagonals of matrices, and several at once.

#include <algorithm>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Input `index`, k, is one number, or the lowest and the highest diagonal of a
// band.  Sets *known to false if the value is not there yet.
Status ReadBand(InferenceContext* c, int index, bool* known, int64_t* lower,
                int64_t* upper) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(index), 1, &unused));
  const Tensor* k = c->input_tensor(index);
  *known = k != nullptr;
  if (k == nullptr) return OkStatus();
  const int64_t n = k->NumElements();
  if (n < 1 || n > 2) {
    return errors::InvalidArgument(
        "diag_index must have one or two elements, received ", n, " elements.");
  }
  *lower = k->base<int32_t>()[0];
  *upper = k->base<int32_t>()[n - 1];
  if (*lower > *upper) {
    return errors::InvalidArgument(
        "lower_diag_index is greater than upper_diag_index: ", *lower, " > ",
        *upper);
  }
  return OkStatus();
}

// InvalidArgument if a matrix [rows, cols] has no such diagonals.
Status CheckBand(InferenceContext* c, DimensionHandle rows,
                 DimensionHandle cols, int64_t lower, int64_t upper) {
  for (const int64_t d : {lower, upper}) {
    if ((c->ValueKnown(rows) && -d >= c->Value(rows) && d != 0) ||
        (c->ValueKnown(cols) && d >= c->Value(cols) && d != 0)) {
      return errors::InvalidArgument(
          "diagonal ", d, " is out of bound for matrices of ",
          c->DebugString(rows), " rows and ", c->DebugString(cols), " columns");
    }
  }
  return OkStatus();
}

// The longest of the diagonals: min(rows + min(upper, 0), cols - max(lower,
// 0)).
Status LongestDiagonal(InferenceContext* c, DimensionHandle rows,
                       DimensionHandle cols, int64_t lower, int64_t upper,
                       DimensionHandle* out) {
  TF_RETURN_IF_ERROR(CheckBand(c, rows, cols, lower, upper));
  TF_RETURN_IF_ERROR(c->Subtract(rows, std::max<int64_t>(-upper, 0), &rows));
  TF_RETURN_IF_ERROR(c->Subtract(cols, std::max<int64_t>(lower, 0), &cols));
  return c->Min(rows, cols, out);
}

// The diagonals' shape: batch + [len], or batch + [number of them, len].
Status DiagonalsShape(InferenceContext* c, ShapeHandle matrices, int64_t lower,
                      int64_t upper, ShapeHandle* out) {
  ShapeHandle batch;
  DimensionHandle len;
  TF_RETURN_IF_ERROR(c->Subshape(matrices, 0, -2, &batch));
  TF_RETURN_IF_ERROR(LongestDiagonal(c, c->Dim(matrices, -2),
                                     c->Dim(matrices, -1), lower, upper, &len));
  return c->Concatenate(
      batch,
      lower == upper ? c->Vector(len) : c->Matrix(upper - lower + 1, len), out);
}

Status MatrixDiagPartV3Shape(InferenceContext* c) {
  ShapeHandle in, out, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  bool known = false;
  int64_t lower = 0, upper = 0;
  TF_RETURN_IF_ERROR(ReadBand(c, 1, &known, &lower, &upper));
  if (!known || !c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(DiagonalsShape(c, in, lower, upper, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status MatrixSetDiagV3Shape(InferenceContext* c) {
  ShapeHandle in, diagonal;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  bool known = false;
  int64_t lower = 0, upper = 0;
  TF_RETURN_IF_ERROR(ReadBand(c, 2, &known, &lower, &upper));
  if (known && c->RankKnown(in)) {
    ShapeHandle expected;
    TF_RETURN_IF_ERROR(DiagonalsShape(c, in, lower, upper, &expected));
    TF_RETURN_IF_ERROR(c->Merge(expected, diagonal, &diagonal));
  }
  c->set_output(0, in);
  return OkStatus();
}

// Finds the sizes of matrices with these diagonals if num_rows or num_cols is
// -1: as small as they can be, and square if both are -1.
Status MatrixDiagV3Shape(InferenceContext* c) {
  ShapeHandle diagonal, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &diagonal));
  for (int i = 2; i < 5; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  bool known = false;
  int64_t lower = 0, upper = 0;
  TF_RETURN_IF_ERROR(ReadBand(c, 1, &known, &lower, &upper));
  const Tensor* num_rows = c->input_tensor(2);
  const Tensor* num_cols = c->input_tensor(3);
  if (!known || !c->RankKnown(diagonal)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const bool band = lower < upper;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(diagonal, band ? 2 : 1, &diagonal));
  ShapeHandle batch, out;
  TF_RETURN_IF_ERROR(c->Subshape(diagonal, 0, band ? -2 : -1, &batch));
  DimensionHandle rows = c->UnknownDim(), cols = c->UnknownDim(), ignored;
  if (band) {
    TF_RETURN_IF_ERROR(
        c->WithValue(c->Dim(diagonal, -2), upper - lower + 1, &ignored));
  }
  const DimensionHandle len = c->Dim(diagonal, -1);
  if (num_rows != nullptr && num_cols != nullptr && c->ValueKnown(len)) {
    const int64_t min_rows = c->Value(len) - std::min<int64_t>(upper, 0);
    const int64_t min_cols = c->Value(len) + std::max<int64_t>(lower, 0);
    int64_t m = *num_rows->base<int32_t>(), n = *num_cols->base<int32_t>();
    if (m == -1 && n == -1) {
      m = n = std::max(min_rows, min_cols);
    } else {
      if (m == -1) m = min_rows;
      if (n == -1) n = min_cols;
    }
    if (m < min_rows || n < min_cols || (m != min_rows && n != min_cols)) {
      return errors::InvalidArgument(
          "num_rows and num_cols must be at least ", min_rows, " and ",
          min_cols, ", one of them exactly, for such diagonals, got ", m,
          " and ", n);
    }
    rows = c->MakeDim(m);
    cols = c->MakeDim(n);
    TF_RETURN_IF_ERROR(CheckBand(c, rows, cols, lower, upper));
  }
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, cols), &out));
  c->set_output(0, out);
  return OkStatus();
}

constexpr char kAligns[] =
    "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = "
    "'RIGHT_LEFT'";

}  // namespace

REGISTER_OP("MatrixDiagV2")
    .Input("diagonal: T")
    .Input("k: int32")
    .Input("num_rows: int32")
    .Input("num_cols: int32")
    .Input("padding_value: T")
    .Output("output: T")
    .Attr("T: type")
    .Needs("unbounded memory")
    .SetShapeFn(MatrixDiagV3Shape)
    .Doc(
        "diagonal [..., len] or [..., k[1] - k[0] + 1, len] -> matrices [..., "
        "num_rows, num_cols] with these diagonals, padding_value [] "
        "elsewhere.");

REGISTER_OP("MatrixDiagV3")
    .Input("diagonal: T")
    .Input("k: int32")
    .Input("num_rows: int32")
    .Input("num_cols: int32")
    .Input("padding_value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr(kAligns)
    .Needs("unbounded memory")
    .SetShapeFn(MatrixDiagV3Shape)
    .Doc(
        "diagonal [..., len] or [..., k[1] - k[0] + 1, len] -> matrices [..., "
        "num_rows, num_cols] with these diagonals, padding_value [] "
        "elsewhere.");

REGISTER_OP("MatrixDiagPartV2")
    .Input("input: T")
    .Input("k: int32")
    .Input("padding_value: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .SetShapeFn(MatrixDiagPartV3Shape)
    .Doc(
        "Diagonal k [], or k[0] to k[1], of input [..., m, n] -> [..., len] or "
        "[..., k[1] - k[0] + 1, len], short ones with padding_value [].");

REGISTER_OP("MatrixDiagPartV3")
    .Input("input: T")
    .Input("k: int32")
    .Input("padding_value: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Attr(kAligns)
    .SetShapeFn(MatrixDiagPartV3Shape)
    .Doc(
        "Diagonal k [], or k[0] to k[1], of input [..., m, n] -> [..., len] or "
        "[..., k[1] - k[0] + 1, len], short ones with padding_value [].");

REGISTER_OP("MatrixSetDiagV2")
    .Input("input: T")
    .Input("diagonal: T")
    .Input("k: int32")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(MatrixSetDiagV3Shape)
    .Doc(
        "input [..., m, n], diagonal [..., len] or [..., k[1] - k[0] + 1, len] "
        "-> input with these diagonals.");

REGISTER_OP("MatrixSetDiagV3")
    .Input("input: T")
    .Input("diagonal: T")
    .Input("k: int32")
    .Output("output: T")
    .Attr("T: type")
    .Attr(kAligns)
    .SetShapeFn(MatrixSetDiagV3Shape)
    .Doc(
        "input [..., m, n], diagonal [..., len] or [..., k[1] - k[0] + 1, len] "
        "-> input with these diagonals.");

}  // namespace tensorwright
