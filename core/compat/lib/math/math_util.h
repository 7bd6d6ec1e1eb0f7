// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that C++ lacks.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_MATH_MATH_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_MATH_MATH_UTIL_H_

#include <numeric>
#include <type_traits>

namespace tensorwright {

class MathUtil {
 public:
  // a / b rounded up or down; b != 0.
  template <typename T>
  static constexpr T CeilOfRatio(T a, T b) {
    const T quotient = a / b;
    return quotient + (a % b != 0 && ((a < 0) == (b < 0)) ? 1 : 0);
  }
  template <typename T>
  static constexpr T FloorOfRatio(T a, T b) {
    const T quotient = a / b;
    return quotient - (a % b != 0 && ((a < 0) != (b < 0)) ? 1 : 0);
  }
  template <typename T>
  static constexpr T GCD(T x, T y) {
    return std::gcd(x, y);
  }
  // base^exponent, exponent >= 0.
  template <typename T>
  static constexpr T IPow(T base, int exponent) {
    T result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base) {
      if (exponent & 1) result *= base;
    }
    return result;
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_MATH_MATH_UTIL_H_
