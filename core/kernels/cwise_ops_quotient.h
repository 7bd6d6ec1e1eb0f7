// SPDX-License-Identifier: Apache-2.0
// Functors of complex numbers that divide, without C's detour where it changes
// nothing.
#ifndef TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_
#define TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/cwise_functors.h"
#include "core/kernels/wide_loops.h"

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

// The same of blocks whose parts lie apart, which the compiler makes vectors
// of: re, im = (a, b) / (c, d); false if an element is not plain.
struct QuotientBlockLoop {
  template <typename R>
  TW_WIDE_LOOP static bool Run(const R* a, const R* b, const R* c, const R* d,
                               R* re, R* im, int64_t n) {
    constexpr double kLeast = sizeof(R) == 4 ? 0 : 1e-280;
    constexpr double kLeastPart = sizeof(R) == 4 ? -1 : 1e-140;
    constexpr double kMost = sizeof(R) == 4 ? 1e300 : 1e280;
    constexpr double kFinite = std::numeric_limits<double>::max();
    int64_t odd = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double p = a[i], q = b[i], r = c[i], s = d[i];
      const double square = r * r + s * s;
      const double x = (p * r + q * s) / square, y = (q * r - p * s) / square;
      const double larger =
          std::fabs(p) > std::fabs(q) ? std::fabs(p) : std::fabs(q);
      odd |= (square > kLeast ? 0 : 1) | (square < kMost ? 0 : 1) |
             (larger > kLeastPart ? 0 : 1) | (std::fabs(x) <= kFinite ? 0 : 1) |
             (std::fabs(y) <= kFinite ? 0 : 1);
      re[i] = static_cast<R>(x);
      im[i] = static_cast<R>(y);
    }
    return odd == 0;
  }
};

// re[i], im[i] = the parts of x[i * step].
struct PartsLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(const R* x, int step, R* re, R* im, int64_t n) {
    if (step == 0) {
      std::fill_n(re, n, x[0]);
      std::fill_n(im, n, x[1]);
      return;
    }
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      re[i] = x[2 * i];
      im[i] = x[2 * i + 1];
    }
  }
};

// A BinaryLoopFn.
template <typename C>
bool ComplexQuotientLoop(const void* x, const void* y, void* z, int64_t n,
                         int x_step, int y_step) {
  using R = typename C::value_type;
  constexpr int64_t kBlock = 256;
  const C* left = static_cast<const C*>(x);
  const C* right = static_cast<const C*>(y);
  C* out = static_cast<C*>(z);
  R a[kBlock], b[kBlock], c[kBlock], d[kBlock], re[kBlock], im[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    RunWide<PartsLoop>(reinterpret_cast<const R*>(left + i * x_step), x_step,
                       &a[0], &b[0], m);
    RunWide<PartsLoop>(reinterpret_cast<const R*>(right + i * y_step), y_step,
                       &c[0], &d[0], m);
    const bool plain = RunWide<QuotientBlockLoop>(&a[0], &b[0], &c[0], &d[0],
                                                  &re[0], &im[0], m);
    for (int64_t j = 0; j < m; ++j) {
      out[i + j] = plain ? C(re[j], im[j])
                         : ComplexQuotient<C>()(C(a[j], b[j]), C(c[j], d[j]));
    }
  }
  return true;
}

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

struct SignBlockLoop {
  template <typename R>
  TW_WIDE_LOOP static bool Run(R* re, R* im, int64_t n) {
    constexpr double kLeast = sizeof(R) == 4 ? 0 : 1e-280;
    int64_t odd = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double a = re[i], b = im[i];
      const double square = a * a + b * b;
      odd |= (square > kLeast ? 0 : 1) | (square < 1e280 ? 0 : 1);
      const double scale = 1 / std::sqrt(square);
      re[i] = static_cast<R>(a * scale);
      im[i] = static_cast<R>(b * scale);
    }
    return odd == 0;
  }
};

// A UnaryLoopFn.
template <typename C>
void ComplexSignLoop(const void* x, void* y, int64_t n) {
  using R = typename C::value_type;
  constexpr int64_t kBlock = 256;
  const C* in = static_cast<const C*>(x);
  C* out = static_cast<C*>(y);
  R re[kBlock], im[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    RunWide<PartsLoop>(reinterpret_cast<const R*>(in + i), 1, &re[0], &im[0],
                       m);
    const bool plain = RunWide<SignBlockLoop>(&re[0], &im[0], m);
    for (int64_t j = i; j < i + m; ++j) {
      out[j] = plain ? C(re[j - i], im[j - i]) : ComplexSign<C>()(in[j]);
    }
  }
}

// The gradient of y = sqrt(x): dy / (2 conj(y)), and 0 where dy is.  A
// BinaryLoopFn.
template <typename C>
bool ComplexSqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                         int y_step, int dy_step) {
  constexpr int64_t kBlock = 256;
  const C* root = static_cast<const C*>(y);
  const C* grad = static_cast<const C*>(dy);
  C* out = static_cast<C*>(z);
  C half[kBlock], conjugate[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    for (int64_t j = 0; j < m; ++j) {
      const C g = grad[(i + j) * dy_step];
      half[j] = C(g.real() / 2, g.imag() / 2);
      conjugate[j] = std::conj(root[(i + j) * y_step]);
    }
    ComplexQuotientLoop<C>(half, conjugate, out + i, m, 1, 1);
    for (int64_t j = 0; j < m; ++j) {
      if (half[j] == C(0)) out[i + j] = C(0);
    }
  }
  return true;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_H_
