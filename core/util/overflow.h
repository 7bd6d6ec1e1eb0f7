// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that detects overflow.
#ifndef TENSORWRIGHT_CORE_UTIL_OVERFLOW_H_
#define TENSORWRIGHT_CORE_UTIL_OVERFLOW_H_

#include <cstdint>

namespace tensorwright {

// x * y for x, y >= 0; -1 if it does not fit or an operand is negative.
inline int64_t MultiplyWithoutOverflow(int64_t x, int64_t y) {
  int64_t product;
  if (x < 0 || y < 0 || __builtin_mul_overflow(x, y, &product)) return -1;
  return product;
}
// x + y for x, y >= 0; -1 if it does not fit or an operand is negative.
inline int64_t AddWithoutOverflow(int64_t x, int64_t y) {
  int64_t sum;
  if (x < 0 || y < 0 || __builtin_add_overflow(x, y, &sum)) return -1;
  return sum;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_OVERFLOW_H_
