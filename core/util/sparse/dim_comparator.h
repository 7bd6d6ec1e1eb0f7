// SPDX-License-Identifier: Apache-2.0
// The order of rows of indices.
#ifndef TENSORWRIGHT_CORE_UTIL_SPARSE_DIM_COMPARATOR_H_
#define TENSORWRIGHT_CORE_UTIL_SPARSE_DIM_COMPARATOR_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace sparse {

// Compares by the dimensions of `order`, most important first.
class DimComparator {
 public:
  using VarDimArray = absl::Span<const int64_t>;

  DimComparator(const TTypes<int64_t>::Matrix& ix, VarDimArray order,
                VarDimArray /*shape*/)
      : ix_(ix), order_(order) {}

  bool operator()(int64_t i, int64_t j) const { return cmp(i, j) < 0; }
  int cmp(int64_t i, int64_t j) const {
    for (int64_t d : order_) {
      if (ix_(i, d) != ix_(j, d)) return ix_(i, d) < ix_(j, d) ? -1 : 1;
    }
    return 0;
  }

 private:
  const TTypes<int64_t>::Matrix ix_;
  const VarDimArray order_;
};

template <int ORDER_DIM>
using FixedDimComparator = DimComparator;

}  // namespace sparse
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SPARSE_DIM_COMPARATOR_H_
