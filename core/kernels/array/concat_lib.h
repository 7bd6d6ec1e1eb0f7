// SPDX-License-Identifier: Apache-2.0
// Joins tensors along a dimension, and cuts one into parts: for Concat, Pack,
// Split and Unpack.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_LIB_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_LIB_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// A part seen as a matrix [rows, size]; the whole has the parts side by side.
// T may be const.
template <typename T>
struct Part {
  T* data;
  int64_t size;
};

// Splits elements [begin, end) of the whole into runs that each lie in one
// part, and calls copy(first element in the part, position in the whole, count)
// for each.  A row of the whole has `row` elements.
template <typename T, typename Copy>
void ForEachPiece(absl::Span<const Part<T>> parts, int64_t row, int64_t begin,
                  int64_t end, Copy copy) {
  int64_t r = begin / row;
  int64_t skip = begin % row;
  for (int64_t at = begin; at < end; ++r, skip = 0) {
    for (const Part<T>& part : parts) {
      if (skip >= part.size) {
        skip -= part.size;
        continue;
      }
      const int64_t n = std::min(part.size - skip, end - at);
      copy(part.data + r * part.size + skip, at, n);
      at += n;
      skip = 0;
      if (at == end) return;
    }
  }
}

// whole[r, ...] = parts[0][r, ...], parts[1][r, ...], ...
template <typename T>
void JoinParts(OpKernelContext* ctx, absl::Span<const Part<const T>> parts,
               int64_t rows, T* whole) {
  int64_t row = 0;
  for (const Part<const T>& part : parts) row += part.size;
  if (rows * row == 0) return;
  ParallelFor(ctx, rows * row, MoveCost<T>(), [&](int64_t begin, int64_t end) {
    ForEachPiece(parts, row, begin, end,
                 [whole](const T* from, int64_t at, int64_t n) {
                   CopyRun(from, n, whole + at);
                 });
  });
}

// parts[0][r, ...], parts[1][r, ...], ... = whole[r, ...]: the inverse of
// JoinParts.
template <typename T>
void CutParts(OpKernelContext* ctx, const T* whole, int64_t rows,
              absl::Span<const Part<T>> parts) {
  int64_t row = 0;
  for (const Part<T>& part : parts) row += part.size;
  if (rows * row == 0) return;
  ParallelFor(ctx, rows * row, MoveCost<T>(), [&](int64_t begin, int64_t end) {
    ForEachPiece(parts, row, begin, end, [whole](T* to, int64_t at, int64_t n) {
      CopyRun(whole + at, n, to);
    });
  });
}

// The product of sizes [begin, end) of a shape.
inline int64_t SizeOfDims(const TensorShape& shape, int begin, int end) {
  int64_t size = 1;
  for (int d = begin; d < end; ++d) size *= shape.dim_size(d);
  return size;
}

// The value of a scalar of int32 or int64.
inline int64_t ScalarIndex(const Tensor& t) {
  return t.dtype() == DT_INT32 ? *t.base<int32_t>() : *t.base<int64_t>();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_LIB_H_
