// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that C++ lacks.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_MATH_MATH_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_MATH_MATH_UTIL_H_

namespace tensorwright {

class MathUtil {
 public:
  // a / b rounded up, or down; b != 0.
  template <typename T, bool ceil>
  static constexpr T CeilOrFloorOfRatio(T a, T b) {
    return ceil ? CeilOfRatio(a, b) : FloorOfRatio(a, b);
  }
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
  // For numbers that are not negative; gcd(x, 0) is x.
  template <typename T>
  static constexpr T GCD(T x, T y) {
    while (y != 0) {
      const T rest = x % y;
      x = y;
      y = rest;
    }
    return x;
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
