// SPDX-License-Identifier: Apache-2.0
// MatrixDiag, MatrixDiagPart, MatrixSetDiag, and their V2 and V3 forms, which
// know more diagonals than the main one.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/array/diag_op_band.h"

namespace tensorwright {
namespace {

// Without attr align, which the V2 forms lack, all diagonals are at the left.
Status ReadAlign(OpKernelConstruction* ctx, DiagonalBand* band) {
  std::string align;
  if (!ctx->HasAttr("align")) {
    band->left_super = band->left_sub = true;
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(ctx->GetAttr("align", &align));
  band->left_super = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
  band->left_sub = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  return OkStatus();
}

// k: one number, or the lowest and the highest diagonal.
Status ReadK(const Tensor& k, DiagonalBand* band) {
  const int64_t n = k.NumElements();
  if (k.dims() > 1 || n < 1 || n > 2) {
    return errors::InvalidArgument(
        "diag_index must be a scalar or vector with one or two elements, got "
        "shape ",
        k.shape().DebugString());
  }
  band->lower = k.base<int32_t>()[0];
  band->upper = k.base<int32_t>()[n - 1];
  if (band->lower > band->upper) {
    return errors::InvalidArgument(
        "lower_diag_index must not be larger than upper_diag_index: ",
        band->lower, " > ", band->upper);
  }
  return OkStatus();
}

// Diagonal 0 always exists, even if there are no rows or columns.
Status CheckInside(const DiagonalBand& band) {
  for (const int64_t d : {band.lower, band.upper}) {
    if (d == 0 || (-d < band.rows && d < band.cols)) continue;
    return errors::InvalidArgument("diagonal ", d, " is out of bound for ",
                                   band.rows, " rows and ", band.cols,
                                   " columns");
  }
  return OkStatus();
}

// batch + [len], or batch + [count, len] for a band.
Status DiagonalsShape(const TensorShape& matrices, const DiagonalBand& band,
                      TensorShape* out) {
  *out = matrices;
  out->RemoveLastDims(2);
  if (band.lower < band.upper) {
    TF_RETURN_IF_ERROR(out->AddDimWithStatus(band.count()));
  }
  return out->AddDimWithStatus(band.len);
}

Status RequireMatrices(const Tensor& t) {
  if (t.dims() >= 2) return OkStatus();
  return errors::InvalidArgument(
      "input must be at least 2-dim, received shape: ",
      t.shape().DebugString());
}

void SetMatrices(const TensorShape& shape, DiagonalBand* band) {
  const int rank = shape.dims();
  band->batch = SizeOfDims(shape, 0, rank - 2);
  band->rows = shape.dim_size(rank - 2);
  band->cols = shape.dim_size(rank - 1);
}

// With inputs k and padding_value it is the V2 and V3 forms.
class MatrixDiagPartOp final : public OpKernel {
 public:
  explicit MatrixDiagPartOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    OP_REQUIRES_OK(ctx, RequireMatrices(in));
    DiagonalBand band = band_;
    const Tensor* padding = nullptr;
    if (ctx->num_inputs() > 1) {
      OP_REQUIRES_OK(ctx, ReadK(ctx->input(1), &band));
      padding = &ctx->input(2);
      OP_REQUIRES(
          ctx, padding->dims() == 0,
          errors::InvalidArgument("padding_value must be a scalar, got ",
                                  padding->shape().DebugString()));
    }
    SetMatrices(in.shape(), &band);
    OP_REQUIRES_OK(ctx, CheckInside(band));
    band.SetLen();
    TensorShape shape;
    OP_REQUIRES_OK(ctx, DiagonalsShape(in.shape(), band, &shape));
    ReadDiagonals(ctx, in, band, padding, shape);
  }

 private:
  DiagonalBand band_;
};

// With input k it is the V2 and V3 forms.
class MatrixSetDiagOp final : public OpKernel {
 public:
  explicit MatrixSetDiagOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& diagonal = ctx->input(1);
    OP_REQUIRES_OK(ctx, RequireMatrices(in));
    DiagonalBand band = band_;
    if (ctx->num_inputs() > 2) OP_REQUIRES_OK(ctx, ReadK(ctx->input(2), &band));
    SetMatrices(in.shape(), &band);
    OP_REQUIRES_OK(ctx, CheckInside(band));
    band.SetLen();
    TensorShape expected;
    OP_REQUIRES_OK(ctx, DiagonalsShape(in.shape(), band, &expected));
    OP_REQUIRES(ctx, diagonal.shape() == expected,
                errors::InvalidArgument(
                    "must have diagonal.shape == input.shape[:-2] + the "
                    "diagonals', got diagonal.shape ",
                    diagonal.shape().DebugString(), " and input.shape ",
                    in.shape().DebugString()));
    WriteDiagonals(ctx, diagonal, band, &in, nullptr, in.shape());
  }

 private:
  DiagonalBand band_;
};

// With inputs k, num_rows, num_cols and padding_value it is the V2 and V3
// forms.
class MatrixDiagOp final : public OpKernel {
 public:
  explicit MatrixDiagOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& diagonal = ctx->input(0);
    OP_REQUIRES(ctx, diagonal.dims() >= 1,
                errors::InvalidArgument(
                    "diagonal must be at least 1-dim, received shape: []"));
    DiagonalBand band = band_;
    int64_t rows = -1, cols = -1;
    const Tensor* padding = nullptr;
    if (ctx->num_inputs() > 1) {
      OP_REQUIRES_OK(ctx, ReadK(ctx->input(1), &band));
      for (int i = 2; i < 5; ++i) {
        OP_REQUIRES(ctx, ctx->input(i).dims() == 0,
                    errors::InvalidArgument(
                        "num_rows, num_cols and padding_value must be scalars, "
                        "got shape ",
                        ctx->input(i).shape().DebugString()));
      }
      rows = *ctx->input(2).base<int32_t>();
      cols = *ctx->input(3).base<int32_t>();
      padding = &ctx->input(4);
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   ResolveSizes(diagonal.shape(), rows, cols, &band, &shape));
    WriteDiagonals(ctx, diagonal, band, nullptr, padding, shape);
  }

 private:
  // Finds the matrices' sizes, of which rows and cols may be -1, and the
  // output's shape.
  static Status ResolveSizes(const TensorShape& diagonal, int64_t rows,
                             int64_t cols, DiagonalBand* band,
                             TensorShape* out) {
    const bool many = band->lower < band->upper;
    const int rank = diagonal.dims();
    if (many && (rank < 2 || diagonal.dim_size(rank - 2) != band->count())) {
      return errors::InvalidArgument(
          "The number of diagonals provided in the input does not match the "
          "lower_diag_index and upper_diag_index range: shape ",
          diagonal.DebugString(), ", ", band->count(), " diagonals");
    }
    band->len = diagonal.dim_size(rank - 1);
    const int64_t min_rows = band->len - std::min<int64_t>(band->upper, 0);
    const int64_t min_cols = band->len + std::max<int64_t>(band->lower, 0);
    if (rows == -1 && cols == -1) {
      rows = cols = std::max(min_rows, min_cols);
    } else {
      if (rows == -1) rows = min_rows;
      if (cols == -1) cols = min_cols;
    }
    if (rows < min_rows || cols < min_cols) {
      return errors::InvalidArgument("num_rows and num_cols must be at least ",
                                     min_rows, " and ", min_cols, ", got ",
                                     rows, " and ", cols);
    }
    if (rows != min_rows && cols != min_cols) {
      return errors::InvalidArgument(
          "The number of rows or columns is not consistent with the specified "
          "diagonals: ",
          rows, " and ", cols);
    }
    band->rows = rows;
    band->cols = cols;
    TF_RETURN_IF_ERROR(CheckInside(*band));
    *out = diagonal;
    out->RemoveLastDims(many ? 2 : 1);
    band->batch = out->num_elements();
    TF_RETURN_IF_ERROR(out->AddDimWithStatus(rows));
    return out->AddDimWithStatus(cols);
  }

  DiagonalBand band_;
};

REGISTER_KERNEL_BUILDER(Name("MatrixDiag").Device(DEVICE_CPU), MatrixDiagOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixDiag").Device(DEVICE_CPU),
                        MatrixDiagOp);
REGISTER_KERNEL_BUILDER(Name("MatrixDiagV2")
                            .Device(DEVICE_CPU)
                            .HostMemory("k")
                            .HostMemory("num_rows")
                            .HostMemory("num_cols"),
                        MatrixDiagOp);
REGISTER_KERNEL_BUILDER(Name("MatrixDiagV3")
                            .Device(DEVICE_CPU)
                            .HostMemory("k")
                            .HostMemory("num_rows")
                            .HostMemory("num_cols"),
                        MatrixDiagOp);
REGISTER_KERNEL_BUILDER(Name("MatrixDiagPart").Device(DEVICE_CPU),
                        MatrixDiagPartOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixDiagPart").Device(DEVICE_CPU),
                        MatrixDiagPartOp);
REGISTER_KERNEL_BUILDER(
    Name("MatrixDiagPartV2").Device(DEVICE_CPU).HostMemory("k"),
    MatrixDiagPartOp);
REGISTER_KERNEL_BUILDER(
    Name("MatrixDiagPartV3").Device(DEVICE_CPU).HostMemory("k"),
    MatrixDiagPartOp);
REGISTER_KERNEL_BUILDER(Name("MatrixSetDiag").Device(DEVICE_CPU),
                        MatrixSetDiagOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixSetDiag").Device(DEVICE_CPU),
                        MatrixSetDiagOp);
REGISTER_KERNEL_BUILDER(
    Name("MatrixSetDiagV2").Device(DEVICE_CPU).HostMemory("k"),
    MatrixSetDiagOp);
REGISTER_KERNEL_BUILDER(
    Name("MatrixSetDiagV3").Device(DEVICE_CPU).HostMemory("k"),
    MatrixSetDiagOp);

}  // namespace
}  // namespace tensorwright
