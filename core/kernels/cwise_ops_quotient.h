// SPDX-License-Identifier: Apache-2.0
// Functors of complex numbers that divide, without C's detour where it changes
// nothing.
#ifndef TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_
#define TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "core/kernels/cwise_functors.h"

namespace tensorwright {

// x / y within 2 units in the last place of the larger part.  What is infinite,
// NaN or 0, or would overflow on the way, is what the C++ library gives.  The
// quotient of floats is taken in doubles, which hold all products.
template <typename C>
struct ComplexQuotient {
  using R = typename C::value_type;

  C operator()(C x, C y) const {
    const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    const double square = c * c + d * d;
    const double re = (a * c + b * d) / square, im = (b * c - a * d) / square;
    if (IsPlain(a, b, square) && std::isfinite(re) && std::isfinite(im)) {
      return C(static_cast<R>(re), static_cast<R>(im));
    }
    return x / y;
  }

 private:
  static bool IsPlain(double a, double b, double square) {
    if constexpr (std::is_same_v<R, float>) {
      return square > 0;
    } else {
      // No product is so small that it has fewer digits.
      return square > 1e-280 && square < 1e280 &&
             std::max(std::fabs(a), std::fabs(b)) > 1e-140;
    }
  }
};

template <typename C>
struct ComplexReciprocal {
  C operator()(C x) const { return ComplexQuotient<C>()(C(1), x); }
};

// x / |x|, and 0 for 0.
template <typename C>
struct ComplexSign {
  using R = typename C::value_type;

  C operator()(C x) const {
    const double a = x.real(), b = x.imag();
    const double square = a * a + b * b;
    // Squares of doubles overflow and underflow; those of floats only vanish.
    constexpr double kLeast = sizeof(R) == 4 ? 0 : 1e-280;
    if (!(square > kLeast && square < 1e280)) return functor::Sign<C>()(x);
    const double scale = 1 / std::sqrt(square);
    return C(static_cast<R>(a * scale), static_cast<R>(b * scale));
  }
};

// The gradient of y = sqrt(x): dy / (2 conj(y)).
template <typename C>
struct ComplexSqrtGrad {
  C operator()(C y, C dy) const {
    if (dy == C(0)) return C(0);
    const C half(dy.real() / 2, dy.imag() / 2);
    return ComplexQuotient<C>()(half, std::conj(y));
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_
