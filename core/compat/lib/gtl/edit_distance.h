// SPDX-License-Identifier: Apache-2.0
// Levenshtein distance of two sequences.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_EDIT_DISTANCE_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_EDIT_DISTANCE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tensorwright {
namespace gtl {

// The least number of insertions, deletions and substitutions that turn s into
// t.  O(|s| |t|) steps, O(|t|) memory.
template <typename T, typename Cmp>
int64_t LevenshteinDistance(absl::Span<const T> s, absl::Span<const T> t,
                            const Cmp& equal) {
  // row[j] is the distance between the part of s seen so far and the first j
  // elements of t.
  std::vector<int64_t> row(t.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 0; i < s.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < t.size(); ++j) {
      const int64_t substituted = diagonal + (equal(s[i], t[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

template <typename Container1, typename Container2, typename Cmp>
int64_t LevenshteinDistance(const Container1& s, const Container2& t,
                            const Cmp& equal) {
  return LevenshteinDistance(
      absl::Span<const typename Container1::value_type>(s.data(), s.size()),
      absl::Span<const typename Container1::value_type>(t.data(), t.size()),
      equal);
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_EDIT_DISTANCE_H_
