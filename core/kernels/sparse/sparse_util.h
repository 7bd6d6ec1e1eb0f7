// SPDX-License-Identifier: Apache-2.0
// Checks shapes of sparse tensors and reorders their rows and values, for all
// kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_UTIL_H_
#define TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_UTIL_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/sparse/sparse_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Views inputs `first`, `first` + 1 and `first` + 2 as the three parts of a
// sparse tensor.
struct SparseInput {
  SparseInput(OpKernelContext* ctx, int first)
      : indices(ctx->input(first)),
        values(ctx->input(first + 1)),
        shape(ctx->input(first + 2)) {}

  // InvalidArgument unless the parts fit together; call rows(), sizes() and
  // rank() only after it succeeded.
  Status Check(absl::string_view name = "") const {
    return sparse::CheckParts(name, indices, values, shape);
  }
  sparse::Rows rows() const { return sparse::RowsOf(indices); }
  absl::Span<const int64_t> sizes() const { return sparse::SizesOf(shape); }
  int64_t rank() const { return shape.NumElements(); }
  int64_t size() const { return values.NumElements(); }

  const Tensor& indices;
  const Tensor& values;
  const Tensor& shape;
};

// Returns 0, 1, ..., rank - 1.
inline std::vector<int64_t> AllDims(int64_t rank) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

// Makes a shape from a vector of sizes; InvalidArgument for negative sizes or
// too many elements.
inline Status ShapeOf(absl::Span<const int64_t> sizes, TensorShape* shape) {
  for (const int64_t size : sizes) {
    if (size < 0) {
      return errors::InvalidArgument(
          "Expected shape dimensions to be non-negative, got ", size);
    }
  }
  return TensorShape::BuildTensorShape(sizes, shape);
}

// Sets output `index` to a vector of sizes.
inline Status SetSizes(OpKernelContext* ctx, int index,
                       absl::Span<const int64_t> sizes) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(
      index, TensorShape({static_cast<int64_t>(sizes.size())}), &out));
  std::copy(sizes.begin(), sizes.end(), out->base<int64_t>());
  return OkStatus();
}

// Sets output `index`, [order.size(), rank]: row i is row order[i] of `rows`.
inline Status SetRows(OpKernelContext* ctx, int index, sparse::Rows rows,
                      absl::Span<const int64_t> order) {
  const int64_t n = static_cast<int64_t>(order.size());
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(index, TensorShape({n, rows.rank}), &out));
  int64_t* const to = out->base<int64_t>();
  ParallelFor(ctx, n, 10 + 2 * rows.rank, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t* const row = rows[order[i]];
      for (int64_t d = 0; d < rows.rank; ++d) to[i * rows.rank + d] = row[d];
    }
  });
  return OkStatus();
}

// Sets output `index`, [order.size()]: element i is element order[i] of
// `values`.
inline Status SetValues(OpKernelContext* ctx, int index, const Tensor& values,
                        absl::Span<const int64_t> order) {
  const int64_t n = static_cast<int64_t>(order.size());
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(index, TensorShape({n}), &out));
  return DispatchElement(values.dtype(), [&]<typename T>(ElementTag<T>) {
    const T* const from = values.base<T>();
    T* const to = out->base<T>();
    ParallelFor(ctx, n, 10 + MoveCost<T>(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = from[order[i]];
    });
  });
}

// Merges the rows of two sorted lists: calls visit(i, j) for each different
// row, in order; i or j is -1 if that list lacks it.
template <typename Visit>
void MergeRows(sparse::Rows a, sparse::Rows b, const Visit& visit) {
  int64_t i = 0, j = 0;
  while (i < a.n && j < b.n) {
    const int sign = sparse::CompareRows(a[i], b[j], a.rank);
    visit(sign <= 0 ? i : -1, sign >= 0 ? j : -1);
    i += sign <= 0;
    j += sign >= 0;
  }
  for (; i < a.n; ++i) visit(i, int64_t{-1});
  for (; j < b.n; ++j) visit(int64_t{-1}, j);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_UTIL_H_
