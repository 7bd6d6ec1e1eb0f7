// SPDX-License-Identifier: Apache-2.0
// Rows of a softmax, for Softmax, LogSoftmax and the cross entropies.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_H_

#include <algorithm>
#include <cstdint>

#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops_simd.h"

namespace tensorwright {

// The number of rows that are computed together, so that they stay in the
// first-level cache.
inline int64_t SoftmaxBlockRows(int64_t classes) {
  return std::max<int64_t>(1, 1024 / std::max<int64_t>(1, classes));
}

// Rows shorter than this are passed together to one call of the vectorised exp.
inline constexpr int64_t kShortRow = 32;

// Sets, for each row, shifts[r] = max(x[r, :]), exps[r, :] = exp(x[r, :] -
// shift), which never overflows, and sums[r] = the sum of those.  exps may be
// x.
template <typename C>
void ExpAndSumRows(int64_t rows, int64_t classes, const C* x, C* exps,
                   C* shifts, C* sums) {
  if (classes >= kShortRow) {
    for (int64_t r = 0; r < rows; ++r, x += classes, exps += classes) {
      shifts[r] = SimdReduce(SimdReduction::kMax, x, classes);
      sums[r] = SimdExpAndSum(x, shifts[r], exps, classes);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const C* row = x + r * classes;
    C largest = row[0];
    for (int64_t i = 1; i < classes; ++i) largest = std::max(largest, row[i]);
    shifts[r] = largest;
    for (int64_t i = 0; i < classes; ++i) {
      exps[r * classes + i] = row[i] - largest;
    }
  }
  SimdLoop<functor::Exp>::Run(exps, exps, rows * classes);
  for (int64_t r = 0; r < rows; ++r) {
    C sum(0);
    for (int64_t i = 0; i < classes; ++i) sum += exps[r * classes + i];
    sums[r] = sum;
  }
}

// x[0..n) *= value, by vectors if that pays.
template <typename C>
void ScaleRow(C value, int64_t n, C* x) {
  if (n >= kShortRow) {
    SimdLoop<functor::Mul>::Run(x, &value, x, n, 1, 0);
  } else {
    for (int64_t i = 0; i < n; ++i) x[i] *= value;
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_H_
