// SPDX-License-Identifier: Apache-2.0
// Sums of probabilities, kept as logarithms.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_LOSS_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_LOSS_UTIL_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorwright {
namespace ctc {

// log(0).
constexpr float kLogZero = -std::numeric_limits<float>::infinity();

// log(exp(a) + exp(b)).
template <typename T>
T LogSumExp(T a, T b) {
  const T larger = std::max(a, b);
  if (larger == T(kLogZero)) return larger;
  return larger + std::log1p(std::exp(-std::abs(a - b)));
}

}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_LOSS_UTIL_H_
