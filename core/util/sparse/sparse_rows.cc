// SPDX-License-Identifier: Apache-2.0
#include "core/util/sparse/sparse_rows.h"

#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace sparse {
namespace {

// For fewer keys counting digits costs more than comparing.
constexpr size_t kFewKeys = 256;
constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

using KeyAndPlace = std::pair<uint64_t, int64_t>;

// One pass of a radix sort: sorts `from` into `to` by the digit at `shift`.
// False, with nothing done, if all have the same digit.
bool SortByDigit(const std::vector<KeyAndPlace>& from, int shift,
                 std::vector<KeyAndPlace>* to) {
  std::array<size_t, kDigits> starts{};
  for (const KeyAndPlace& k : from) ++starts[k.first >> shift & (kDigits - 1)];
  size_t sum = 0;
  for (size_t& start : starts) {
    if (start == from.size()) return false;
    sum += std::exchange(start, sum);
  }
  for (const KeyAndPlace& k : from) {
    (*to)[starts[k.first >> shift & (kDigits - 1)]++] = k;
  }
  return true;
}

Status Outside(Rows rows, int64_t i, absl::Span<const int64_t> shape) {
  return errors::InvalidArgument("indices[", i, "] = [",
                                 RowText(rows[i], rows.rank),
                                 "] is out of bounds: need 0 <= index < [",
                                 absl::StrJoin(shape, ","), "]");
}

}  // namespace

std::string RowText(const int64_t* row, int64_t rank) {
  return absl::StrJoin(absl::MakeConstSpan(row, rank), ",");
}

Status CheckParts(absl::string_view name, const Tensor& indices,
                  const Tensor& values, const Tensor& shape) {
  if (indices.dims() != 2) {
    return errors::InvalidArgument(name, "indices must be a matrix, got shape ",
                                   indices.shape().DebugString());
  }
  if (values.dims() != 1) {
    return errors::InvalidArgument(name, "values must be a vector, got shape ",
                                   values.shape().DebugString());
  }
  if (shape.dims() != 1) {
    return errors::InvalidArgument(name, "shape must be a vector, got shape ",
                                   shape.shape().DebugString());
  }
  if (indices.dim_size(0) != values.dim_size(0)) {
    return errors::InvalidArgument(name,
                                   "indices and values must be as many, "
                                   "got ",
                                   indices.dim_size(0), " and ",
                                   values.dim_size(0));
  }
  if (indices.dim_size(1) != shape.dim_size(0)) {
    return errors::InvalidArgument(
        "Index rank (", indices.dim_size(1), ") and shape rank (",
        shape.dim_size(0), ") of ", name, "indices and shape do not match");
  }
  return OkStatus();
}

Status CheckInside(Rows rows, absl::Span<const int64_t> shape) {
  bool all = true;
  for (int64_t i = 0; i < rows.n; ++i) all &= IsInside(rows[i], shape);
  if (all) return OkStatus();
  int64_t i = 0;
  while (i < rows.n && IsInside(rows[i], shape)) ++i;
  return Outside(rows, i, shape);
}

Status CheckOrdered(Rows rows, absl::Span<const int64_t> shape,
                    absl::Span<const int64_t> order) {
  for (int64_t i = 0; i < rows.n; ++i) {
    if (!IsInside(rows[i], shape)) return Outside(rows, i, shape);
    if (i == 0) continue;
    int sign = 0;
    for (const int64_t d : order) {
      const int64_t now = rows[i][d], before = rows[i - 1][d];
      if (now != before) {
        sign = now > before ? 1 : -1;
        break;
      }
    }
    if (sign <= 0) {
      return errors::InvalidArgument(
          "indices[", i, "] = [", RowText(rows[i], rows.rank), "] is ",
          sign == 0 ? "repeated"
                    : "out of order; tf.sparse.reorder puts rows in order");
    }
  }
  return OkStatus();
}

bool IsSorted(Rows rows) {
  for (int64_t i = 1; i < rows.n; ++i) {
    if (CompareRows(rows[i - 1], rows[i], rows.rank) > 0) return false;
  }
  return true;
}

bool PlacesOf(Rows rows, absl::Span<const int64_t> shape,
              absl::Span<const int64_t> order, std::vector<int64_t>* keys) {
  int64_t size = 1;
  for (const int64_t d : order) {
    if (shape[d] < 0 || __builtin_mul_overflow(size, shape[d], &size)) {
      return false;
    }
  }
  keys->resize(rows.n);
  bool inside = true;
  for (int64_t i = 0; i < rows.n; ++i) {
    const int64_t* row = rows[i];
    uint64_t place = 0;
    for (const int64_t d : order) {
      place = place * static_cast<uint64_t>(shape[d]) +
              static_cast<uint64_t>(row[d]);
    }
    inside &= IsInside(row, shape);
    (*keys)[i] = static_cast<int64_t>(place);
  }
  if (!inside) keys->clear();
  return inside;
}

void SortKeys(std::vector<int64_t>* keys, std::vector<int64_t>* order) {
  const size_t n = keys->size();
  order->resize(n);
  std::vector<KeyAndPlace> pairs(n), other;
  uint64_t bits = 0;
  for (size_t i = 0; i < n; ++i) {
    pairs[i] = {(*keys)[i], static_cast<int64_t>(i)};
    bits |= pairs[i].first;
  }
  if (n <= kFewKeys) {
    std::sort(pairs.begin(), pairs.end());  // The place decides between equals.
  } else {
    other.resize(n);
    for (int shift = 0; shift < 64 && bits >> shift != 0; shift += kDigitBits) {
      if (SortByDigit(pairs, shift, &other)) pairs.swap(other);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    (*keys)[i] = static_cast<int64_t>(pairs[i].first);
    (*order)[i] = pairs[i].second;
  }
}

std::vector<int64_t> SortedOrder(Rows rows, absl::Span<const int64_t> shape,
                                 absl::Span<const int64_t> order) {
  std::vector<int64_t> keys, sorted;
  if (PlacesOf(rows, shape, order, &keys)) {
    SortKeys(&keys, &sorted);
    return sorted;
  }
  sorted.resize(rows.n);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
    for (const int64_t d : order) {
      if (rows[a][d] != rows[b][d]) return rows[a][d] < rows[b][d];
    }
    return false;
  });
  return sorted;
}

}  // namespace sparse
}  // namespace tensorwright
