// SPDX-License-Identifier: Apache-2.0
// Copying diagonals out of matrices and into them.
#include "core/kernels/array/diag_op_band.h"

#include <algorithm>

#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Rows [begin, end) of `diagonals`: [batch * count, len].
template <typename T>
void GatherDiagonals(const T* matrices, const DiagonalBand& band,
                     const T& padding, int64_t begin, int64_t end,
                     T* diagonals) {
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

// Writes the elements on the band of rows [begin, end) of one matrix, which is
// at `to`.
template <typename T>
void ScatterDiagonals(const T* diagonals, const DiagonalBand& band,
                      int64_t begin, int64_t end, T* to) {
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

// Writes the elements beside the band in row `row` of a matrix; `whole` and
// `out` point to the row.
template <typename T>
void WriteBesideBand(const DiagonalBand& band, int64_t row, const T* whole,
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

// Writes rows [begin, end) of all matrices: beside the band those of `whole`,
// or `filling` if that is null.  It takes a few rows at a time, which stay in
// the cache, and reads along each diagonal.
template <typename T>
void WriteRows(const T* diagonals, const DiagonalBand& band, const T* whole,
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

}  // namespace

void ReadDiagonals(OpKernelContext* ctx, const Tensor& in,
                   const DiagonalBand& band, const Tensor* padding,
                   const TensorShape& shape) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return;
  OP_REQUIRES_OK(
      ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
        const T zero = padding == nullptr ? T() : *padding->base<T>();
        // Each element lies in another cache line.
        ParallelFor(ctx, band.batch * band.count(), 10 + band.len * 4,
                    [&](int64_t begin, int64_t end) {
                      GatherDiagonals(in.base<T>(), band, zero, begin, end,
                                      out->base<T>());
                    });
      }));
}

void WriteDiagonals(OpKernelContext* ctx, const Tensor& diagonals,
                    const DiagonalBand& band, const Tensor* base,
                    const Tensor* padding, const TensorShape& shape) {
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

}  // namespace tensorwright
