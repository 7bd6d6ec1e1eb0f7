// SPDX-License-Identifier: Apache-2.0
// Rows of a softmax: what Softmax, LogSoftmax and the cross entropies share.
#ifndef TENSORWRIGHT_CORE_KERNELS_SOFTMAX_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_SOFTMAX_OP_H_

#include <algorithm>
#include <cstdint>

#include "core/kernels/cwise_ops.h"

namespace tensorwright {

// Rows that are worked on together: few enough for the first-level cache, many
// enough that a vectorised exp is worth its call.
inline int64_t SoftmaxBlockRows(int64_t classes) {
  return std::max<int64_t>(1, 1024 / std::max<int64_t>(1, classes));
}

// x[r, :] -= max(x[r, :]), so that no exp overflows.
template <typename C>
void ShiftRowsByMax(int64_t rows, int64_t classes, C* x) {
  for (int64_t r = 0; r < rows; ++r, x += classes) {
    C largest = x[0];
    for (int64_t i = 1; i < classes; ++i) largest = std::max(largest, x[i]);
    for (int64_t i = 0; i < classes; ++i) x[i] -= largest;
  }
}

// exps = exp(x), sums[r] = sum of exps[r, :].  exps may be x.
template <typename C>
void ExpAndSumRows(int64_t rows, int64_t classes, const C* x, C* exps,
                   C* sums) {
  SimdUnary(SimdUnaryOp::kExp, x, exps, rows * classes);
  for (int64_t r = 0; r < rows; ++r, exps += classes) {
    C chains[4] = {};
    int64_t i = 0;
    for (; i + 4 <= classes; i += 4) {
      for (int j = 0; j < 4; ++j) chains[j] += exps[i + j];
    }
    for (; i < classes; ++i) chains[0] += exps[i];
    sums[r] = (chains[0] + chains[1]) + (chains[2] + chains[3]);
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SOFTMAX_OP_H_
