// SPDX-License-Identifier: Apache-2.0
// The indices of a sparse tensor as rows of coordinates: tells whether they are
// inside and in order, and sorts them.
//
// All functions are pure, and borrow their arguments.
#ifndef TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_ROWS_H_
#define TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace sparse {

// [n, rank], row-major.
struct Rows {
  const int64_t* data = nullptr;
  int64_t n = 0;
  int64_t rank = 0;

  const int64_t* operator[](int64_t i) const { return data + i * rank; }
};

// `indices`: int64 [n, rank].
inline Rows RowsOf(const Tensor& indices) {
  // Member by member: before C++14 a struct with defaults is no aggregate.
  Rows rows;
  rows.data = indices.base<int64_t>();
  rows.n = indices.dim_size(0);
  rows.rank = indices.dim_size(1);
  return rows;
}
// `vector`: int64 [n].
inline absl::Span<const int64_t> SizesOf(const Tensor& vector) {
  return absl::MakeConstSpan(vector.base<int64_t>(), vector.NumElements());
}

// "1,2".
std::string RowText(const int64_t* row, int64_t rank);

// Compares two rows, the first coordinate first: -1, 0 or 1.
inline int CompareRows(const int64_t* a, const int64_t* b, int64_t rank) {
  for (int64_t d = 0; d < rank; ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

// InvalidArgument unless indices are [n, rank], values [n] and shape [rank];
// the text puts `name`, "a_" or "", in front of these words.
Status CheckParts(absl::string_view name, const Tensor& indices,
                  const Tensor& values, const Tensor& shape);

// Is row `i` inside of a tensor of that shape?
inline bool IsInside(const int64_t* row, absl::Span<const int64_t> shape) {
  bool inside = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    inside &= static_cast<uint64_t>(row[d]) < static_cast<uint64_t>(shape[d]) &&
              shape[d] > 0;
  }
  return inside;
}

// InvalidArgument, naming the first row outside, unless all rows are inside.
Status CheckInside(Rows rows, absl::Span<const int64_t> shape);

// InvalidArgument unless all rows are inside and each is greater than the one
// before, coordinates compared in the order `order` (all of them, each once).
Status CheckOrdered(Rows rows, absl::Span<const int64_t> shape,
                    absl::Span<const int64_t> order);

// Does no row come after a greater one?
bool IsSorted(Rows rows);

// Sets keys[i] to the place of row i in a tensor of that shape whose dimensions
// are laid out in the order `order`.  False, and no keys, if a row is outside
// or the places do not fit into an int64.  `order` may leave dimensions out.
bool PlacesOf(Rows rows, absl::Span<const int64_t> shape,
              absl::Span<const int64_t> order, std::vector<int64_t>* keys);

// The rows that come first, second, ... if rows are sorted by the coordinates
// in `order`; equal rows keep their order.  Sorts by places if there are any,
// else by comparing rows.
std::vector<int64_t> SortedOrder(Rows rows, absl::Span<const int64_t> shape,
                                 absl::Span<const int64_t> order);

// Sorts non-negative keys; order[i] is the old position of the i-th.  Equal
// keys keep their order.
void SortKeys(std::vector<int64_t>* keys, std::vector<int64_t>* order);

}  // namespace sparse
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_ROWS_H_
