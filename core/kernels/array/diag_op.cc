// SPDX-License-Identifier: Apache-2.0
// Diagonals: Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag, and the
// V3 forms, which know more diagonals than the main one.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Diagonals `lower` to `upper` of matrices [batch, rows, cols], stored from the
// highest down as [batch, upper - lower + 1, len].
struct Band {
  int64_t batch = 1, rows = 0, cols = 0;
  int64_t lower = 0, upper = 0;
  int64_t len = 0;  // Of the longest one.
  bool left_super = false, left_sub = true;

  int64_t count() const { return upper - lower + 1; }
  // Elements of diagonal d, and where they start in their row of `len`.
  int64_t Size(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0),
                    cols - std::max<int64_t>(d, 0));
  }
  int64_t Offset(int64_t d) const {
    const bool left = (d >= 0 && left_super) || (d <= 0 && left_sub);
    return left ? 0 : len - Size(d);
  }
  void SetLen() {
    len = std::min(rows + std::min<int64_t>(upper, 0),
                   cols - std::max<int64_t>(lower, 0));
  }
};

// Rows [begin, end) of `diagonals`: [batch * count, len].
template <typename T>
void GatherDiagonals(const T* matrices, const Band& band, const T& padding,
                     int64_t begin, int64_t end, T* diagonals) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t d = band.upper - row % band.count();
    const T* from = matrices + row / band.count() * band.rows * band.cols +
                    std::max<int64_t>(-d, 0) * band.cols +
                    std::max<int64_t>(d, 0);
    T* to = diagonals + row * band.len;
    const int64_t offset = band.Offset(d), size = band.Size(d);
    std::fill_n(to, offset, padding);
    for (int64_t i = 0; i < size; ++i) {
      to[offset + i] = from[i * (band.cols + 1)];
    }
    std::fill_n(to + offset + size, band.len - offset - size, padding);
  }
}

// The elements on the band of rows [begin, end) of one matrix, which is at
// `to`.
template <typename T>
void ScatterDiagonals(const T* diagonals, const Band& band, int64_t begin,
                      int64_t end, T* to) {
  const int64_t lower = std::max(band.lower, 1 - end);
  const int64_t upper = std::min(band.upper, band.cols - 1 - begin);
  for (int64_t d = lower; d <= upper; ++d) {
    // Element i of diagonal d is in row i - min(d, 0).
    const T* from = diagonals + (band.upper - d) * band.len + band.Offset(d) +
                    std::min<int64_t>(d, 0);
    const int64_t last = std::min(end, band.cols - d);
    for (int64_t r = std::max(begin, -d); r < last; ++r) {
      to[r * band.cols + r + d] = from[r];
    }
  }
}

// What is beside the band in row `row` of a matrix; `whole` and `out` point to
// the row.
template <typename T>
void WriteBesideBand(const Band& band, int64_t row, const T* whole,
                     const T& filling, T* out) {
  const int64_t first = std::clamp<int64_t>(row + band.lower, 0, band.cols);
  const int64_t last =
      std::clamp<int64_t>(row + band.upper + 1, first, band.cols);
  if (whole == nullptr) {
    FillRun(filling, first, out);
    FillRun(filling, band.cols - last, out + last);
  } else if (whole != out) {
    CopyRun(whole, first, out);
    CopyRun(whole + last, band.cols - last, out + last);
  }
}

// Rows [begin, end) of all matrices: those of `whole`, or `filling` where there
// is none, beside the band.  A few rows at a time: they stay in the cache, and
// a diagonal is read along.
template <typename T>
void WriteRows(const T* diagonals, const Band& band, const T* whole,
               const T& filling, int64_t begin, int64_t end, T* out) {
  constexpr int64_t kRows = 64;
  for (int64_t row = begin; row < end;) {
    const int64_t matrix = row / band.rows, first = row % band.rows;
    const int64_t n = std::min({kRows, end - row, band.rows - first});
    for (int64_t r = 0; r < n; ++r) {
      const int64_t at = (row + r) * band.cols;
      WriteBesideBand(band, first + r, whole == nullptr ? whole : whole + at,
                      filling, out + at);
    }
    ScatterDiagonals(diagonals + matrix * band.count() * band.len, band, first,
                     first + n, out + matrix * band.rows * band.cols);
    row += n;
  }
}

Status ReadAlign(OpKernelConstruction* ctx, Band* band) {
  std::string align;
  TF_RETURN_IF_ERROR(ctx->GetAttr("align", &align));
  band->left_super = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
  band->left_sub = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  return OkStatus();
}

// k: one number, or the lowest and the highest diagonal.
Status ReadK(const Tensor& k, Band* band) {
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

// Diagonal 0 is always there, even of no rows or columns.
Status CheckInside(const Band& band) {
  for (const int64_t d : {band.lower, band.upper}) {
    if (d == 0 || (-d < band.rows && d < band.cols)) continue;
    return errors::InvalidArgument("diagonal ", d, " is out of bound for ",
                                   band.rows, " rows and ", band.cols,
                                   " columns");
  }
  return OkStatus();
}

// batch + [len], or batch + [count, len] of a band.
Status DiagonalsShape(const TensorShape& matrices, const Band& band,
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

void SetMatrices(const TensorShape& shape, Band* band) {
  const int rank = shape.dims();
  band->batch = SizeOfDims(shape, 0, rank - 2);
  band->rows = shape.dim_size(rank - 2);
  band->cols = shape.dim_size(rank - 1);
}

// The diagonals of `in` as output 0 of that shape.
void ReadDiagonals(OpKernelContext* ctx, const Tensor& in, const Band& band,
                   const Tensor* padding, const TensorShape& shape) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return;
  OP_REQUIRES_OK(
      ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
        const T zero = padding == nullptr ? T() : *padding->base<T>();
        // Each element is a cache line of its own.
        ParallelFor(ctx, band.batch * band.count(), 10 + band.len * 4,
                    [&](int64_t begin, int64_t end) {
                      GatherDiagonals(in.base<T>(), band, zero, begin, end,
                                      out->base<T>());
                    });
      }));
}

// Matrices with these diagonals as output 0 of that shape; elsewhere `base`, a
// tensor of that shape, or the scalar `padding`, or zero.
void WriteDiagonals(OpKernelContext* ctx, const Tensor& diagonals,
                    const Band& band, const Tensor* base, const Tensor* padding,
                    const TensorShape& shape) {
  Tensor* out = nullptr;
  if (base == nullptr) {
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
  } else {
    OP_REQUIRES_OK(ctx,
                   ctx->forward_input_or_allocate_output({0}, 0, shape, &out));
  }
  if (out->NumElements() == 0) return;
  OP_REQUIRES_OK(
      ctx, DispatchElement(diagonals.dtype(), [&]<typename T>(ElementTag<T>) {
        const T zero = padding == nullptr ? T() : *padding->base<T>();
        const T* whole = base == nullptr ? nullptr : base->base<T>();
        T* to = out->base<T>();
        ParallelFor(ctx, band.batch * band.rows, 10 + band.cols * MoveCost<T>(),
                    [&](int64_t begin, int64_t end) {
                      WriteRows(diagonals.base<T>(), band, whole, zero, begin,
                                end, to);
                    });
      }));
}

class DiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& diagonal = ctx->input(0);
    OP_REQUIRES(ctx, diagonal.dims() >= 1,
                errors::InvalidArgument(
                    "diagonal must be at least 1-dim, received shape: []"));
    TensorShape shape = diagonal.shape();
    OP_REQUIRES_OK(ctx, shape.AppendShapeWithStatus(diagonal.shape()));
    Band band;
    band.rows = band.cols = band.len = diagonal.NumElements();
    WriteDiagonals(ctx, diagonal, band, nullptr, nullptr, shape);
  }
};
REGISTER_KERNEL_BUILDER(Name("Diag").Device(DEVICE_CPU), DiagOp);

class DiagPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const int half = in.dims() / 2;
    OP_REQUIRES(ctx, in.dims() > 0 && in.dims() % 2 == 0,
                errors::InvalidArgument(
                    "The rank of the tensor should be even and positive, got "
                    "shape ",
                    in.shape().DebugString()));
    TensorShape shape;
    for (int d = 0; d < half; ++d) {
      OP_REQUIRES(ctx, in.dim_size(d) == in.dim_size(d + half),
                  errors::InvalidArgument(
                      "Invalid shape ", in.shape().DebugString(),
                      ": dimensions ", d, " and ", d + half, " do not match."));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(in.dim_size(d)));
    }
    Band band;
    band.rows = band.cols = band.len = shape.num_elements();
    ReadDiagonals(ctx, in, band, nullptr, shape);
  }
};
REGISTER_KERNEL_BUILDER(Name("DiagPart").Device(DEVICE_CPU), DiagPartOp);

// With inputs k and padding_value the V3 form.
class MatrixDiagPartOp final : public OpKernel {
 public:
  explicit MatrixDiagPartOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->HasAttr("align")) OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    OP_REQUIRES_OK(ctx, RequireMatrices(in));
    Band band = band_;
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
  Band band_;
};

// With input k the V3 form.
class MatrixSetDiagOp final : public OpKernel {
 public:
  explicit MatrixSetDiagOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->HasAttr("align")) OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& diagonal = ctx->input(1);
    OP_REQUIRES_OK(ctx, RequireMatrices(in));
    Band band = band_;
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
  Band band_;
};

// With inputs k, num_rows, num_cols and padding_value the V3 form.
class MatrixDiagOp final : public OpKernel {
 public:
  explicit MatrixDiagOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->HasAttr("align")) OP_REQUIRES_OK(ctx, ReadAlign(ctx, &band_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& diagonal = ctx->input(0);
    OP_REQUIRES(ctx, diagonal.dims() >= 1,
                errors::InvalidArgument(
                    "diagonal must be at least 1-dim, received shape: []"));
    Band band = band_;
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
  // The matrices' sizes where rows and cols may be -1, and the output's shape.
  static Status ResolveSizes(const TensorShape& diagonal, int64_t rows,
                             int64_t cols, Band* band, TensorShape* out) {
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

  Band band_;
};

REGISTER_KERNEL_BUILDER(Name("MatrixDiag").Device(DEVICE_CPU), MatrixDiagOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixDiag").Device(DEVICE_CPU),
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
    Name("MatrixDiagPartV3").Device(DEVICE_CPU).HostMemory("k"),
    MatrixDiagPartOp);
REGISTER_KERNEL_BUILDER(Name("MatrixSetDiag").Device(DEVICE_CPU),
                        MatrixSetDiagOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixSetDiag").Device(DEVICE_CPU),
                        MatrixSetDiagOp);
REGISTER_KERNEL_BUILDER(
    Name("MatrixSetDiagV3").Device(DEVICE_CPU).HostMemory("k"),
    MatrixSetDiagOp);

}  // namespace
}  // namespace tensorwright
