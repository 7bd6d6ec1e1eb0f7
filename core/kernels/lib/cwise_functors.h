// SPDX-License-Identifier: Apache-2.0
// The effect of each elementwise op on one element, shared by CPU and CUDA
// loops. This file has the functors that take more than an expression; the
// others are the scalar forms of cwise_table.h.
//
// A functor is a template of the type it computes in, which is the type of the
// tensor, or float for half and bfloat16 (see ComputeType).  It is called as
// f(x) or f(x, y); its result is the output's element, or is converted to it.
// A functor with kCanFail may meet arguments without a result: Fails(x, y) is
// asked first.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_FUNCTORS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_FUNCTORS_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define TW_HOST_DEVICE __host__ __device__
#else
#define TW_HOST_DEVICE
#endif

namespace tensorwright {
namespace functor {

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <typename T>
inline constexpr bool kIsInt = std::is_integral_v<T>;
template <typename T>
inline constexpr bool kIsComplex = IsComplex<T>::value;

// Signed overflow wraps, as everywhere in TensorFlow: it is computed unsigned,
// and in at least 32 bits because narrower operands would be promoted to int.
template <typename T, bool kInt = kIsInt<T>>
struct WrapType {
  using type = T;
};
template <typename T>
struct WrapType<T, true> {
  using type =
      std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
};
template <>
struct WrapType<bool, true> {
  using type = uint32_t;
};
template <typename T>
using Wrap = typename WrapType<T>::type;

template <typename T>
TW_HOST_DEVICE inline T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return T(x.real(), -x.imag());
  } else {
    return x;
  }
}

// Like TensorFlow's, without the C standard's care for infinite complex
// numbers, which costs a branch for each element.
template <typename T>
TW_HOST_DEVICE inline T Product(T x, T y) {
  if constexpr (kIsComplex<T>) {
    return T(x.real() * y.real() - x.imag() * y.imag(),
             x.real() * y.imag() + x.imag() * y.real());
  } else {
    return static_cast<T>(Wrap<T>(x) * Wrap<T>(y));
  }
}

template <typename T>
TW_HOST_DEVICE inline T MinusHalf(T x) {
  if constexpr (kIsComplex<T>) {
    return T(x.real() / -2, x.imag() / -2);
  } else {
    return x * T(-0.5);
  }
}

// The constants of Selu (Klambauer et al. 2017): lambda, and lambda * alpha.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

// Functors of more than an expression, which expressions call.
template <typename T>
struct Div;
template <typename T>
struct Log1p;

// ---- Functors that are one expression --------------------------------------

}  // namespace functor
}  // namespace tensorwright

#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_functors.h"

namespace tensorwright {
namespace functor {

// ---- One argument ----------------------------------------------------------

template <typename T>
struct Neg {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsInt<T>) return static_cast<T>(Wrap<T>(0) - Wrap<T>(x));
    return -x;
  }
};

template <typename T>
struct Abs {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsInt<T>) {
      return x < T(0) ? Neg<T>()(x) : x;
    } else {
      return std::fabs(x);
    }
  }
};

template <typename T>
struct Expm1 {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      // exp(a + bi) - 1, with cos(b) - 1 = -2 sin(b / 2)^2 near 0.
      using R = typename T::value_type;
      const R half_sin = std::sin(x.imag() / R(2));
      const R e = std::exp(x.real());
      return T(std::expm1(x.real()) - R(2) * e * half_sin * half_sin,
               e * std::sin(x.imag()));
    } else {
      return std::expm1(x);
    }
  }
};

template <typename T>
struct Log1p {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      // |1 + x|^2 - 1 = a (a + 2) + b^2, which is exact near 0.
      using R = typename T::value_type;
      const R a = x.real(), b = x.imag();
      const R square = a * (a + R(2)) + b * b;
      // Near -1, where the square's digits are lost, 1 + a is exact; far away,
      // where the square overflows, it is as exact as x.
      const bool small = square > R(-0.5) && std::isfinite(square);
      const R log =
          small ? std::log1p(square) / R(2) : std::log(std::hypot(a + R(1), b));
      return T(log, std::atan2(b, a + R(1)));
    } else {
      return std::log1p(x);
    }
  }
};

template <typename T>
struct Sign {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      const auto magnitude = std::abs(x);
      return magnitude == 0 ? T(0) : x / magnitude;
    } else {
      if (x != x) return x;
      return static_cast<T>((x > T(0)) - (x < T(0)));
    }
  }
};

// Halves go to the even neighbour (the rounding mode of the process).
template <typename T>
struct Rint {
  TW_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsInt<T>) return x;
    return std::rint(x);
  }
};

template <typename T>
struct Lgamma {
  TW_HOST_DEVICE T operator()(T x) const {
#if defined(__CUDACC__)
    return std::lgamma(x);
#else
    int sign = 0;  // std::lgamma writes its sign to a global.
    if constexpr (std::is_same_v<T, float>) return lgammaf_r(x, &sign);
    return static_cast<T>(lgamma_r(x, &sign));
#endif
  }
};

// Uses the recurrence up to x >= 10, then the asymptotic series; the reflection
// formula for x <= 0, whose poles give NaN, and 0 gives -infinity with the sign
// of x.
template <typename T>
struct Digamma {
  TW_HOST_DEVICE T operator()(T value) const {
    constexpr double kPi = 3.14159265358979323846;
    double x = static_cast<double>(value);
    if (x == 0) return static_cast<T>(-1 / x);
    double result = 0;
    if (x < 0) {
      if (x == std::floor(x)) return static_cast<T>(NAN);
      // Reduces the argument first, since tan of a large multiple of pi has no
      // digits left.  The distance to the nearest whole number is exact,
      // however small it is.
      const double distance = x - std::round(x);
      result = -kPi / std::tan(kPi * distance);
      x = 1 - x;
    }
    while (x < 10) {
      result -= 1 / x;
      x += 1;
    }
    const double r = 1 / x, r2 = r * r;
    // Bernoulli numbers B(2k) / 2k.
    const double series =
        r2 * (1. / 12 -
              r2 * (1. / 120 -
                    r2 * (1. / 252 -
                          r2 * (1. / 240 - r2 * (1. / 132 - r2 * (691. / 32760 -
                                                                  r2 / 12))))));
    return static_cast<T>(result + std::log(x) - r / 2 - series);
  }
};

template <typename T>
struct IsNan {
  TW_HOST_DEVICE bool operator()(T x) const { return x != x; }
};

template <typename T>
struct IsInf {
  TW_HOST_DEVICE bool operator()(T x) const {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  }
};

template <typename T>
struct IsFinite {
  TW_HOST_DEVICE bool operator()(T x) const {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
};

template <typename T>
struct Invert {
  TW_HOST_DEVICE T operator()(T x) const { return static_cast<T>(~x); }
};

template <typename T>
struct LogicalNot {
  TW_HOST_DEVICE bool operator()(T x) const { return !x; }
};

template <typename T>
struct Real {
  TW_HOST_DEVICE typename T::value_type operator()(T x) const {
    return x.real();
  }
};

template <typename T>
struct Imag {
  TW_HOST_DEVICE typename T::value_type operator()(T x) const {
    return x.imag();
  }
};

template <typename T>
struct ComplexAbs {
  TW_HOST_DEVICE typename T::value_type operator()(T x) const {
    return std::hypot(x.real(), x.imag());
  }
};

template <typename T>
struct Conj {
  TW_HOST_DEVICE T operator()(T x) const { return Conjugate(x); }
};

// ---- Two arguments ---------------------------------------------------------

inline constexpr char kDivisionByZero[] = "Integer division by zero";

// Integers are divided toward zero; the most negative number / -1 wraps.
template <typename T>
struct Div {
  static constexpr bool kCanFail = kIsInt<T>;
  static constexpr const char* kFailure = kDivisionByZero;
  TW_HOST_DEVICE static bool Fails(T, T y) { return y == T(0); }
  TW_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (std::is_signed_v<T> && kIsInt<T>) {
      if (y == T(-1)) return Neg<T>()(x);
    }
    return static_cast<T>(x / y);
  }
};

template <typename T>
struct TruncateDiv : Div<T> {
  TW_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>) return Div<T>()(x, y);
    return std::trunc(x / y);
  }
};

template <typename T>
struct FloorDiv : Div<T> {
  TW_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>) {
      const T q = Div<T>()(x, y);
      if constexpr (std::is_signed_v<T>) {
        // Div has rounded the quotient up toward zero if the signs differ.
        if ((x < T(0)) != (y < T(0)) &&
            static_cast<T>(Wrap<T>(q) * Wrap<T>(y)) != x) {
          return static_cast<T>(q - 1);
        }
      }
      return q;
    } else {
      return std::floor(x / y);
    }
  }
};

// The result has the sign of x, as in C.
template <typename T>
struct Mod : Div<T> {
  TW_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (y == T(-1)) return T(0);
      }
      return static_cast<T>(x % y);
    } else {
      return std::fmod(x, y);
    }
  }
};

// The result has the sign of y, as in Python.
template <typename T>
struct FloorMod : Div<T> {
  TW_HOST_DEVICE T operator()(T x, T y) const {
    const T r = Mod<T>()(x, y);
    if constexpr (std::is_unsigned_v<T>) return r;
    return r != T(0) && (r < T(0)) != (y < T(0)) ? static_cast<T>(r + y) : r;
  }
};

template <typename T>
struct Pow {
  static constexpr bool kCanFail = kIsInt<T>;
  static constexpr const char* kFailure =
      "Integers to negative integer powers are not allowed";
  TW_HOST_DEVICE static bool Fails(T, T y) { return y < T(0); }
  TW_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInt<T>) {
      Wrap<T> base = static_cast<Wrap<T>>(x), result = 1;
      for (; y > T(0); y = static_cast<T>(y >> 1)) {
        if (y & 1) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    } else {
      return std::pow(x, y);
    }
  }
};

template <typename T>
struct SquaredDifference {
  TW_HOST_DEVICE T operator()(T x, T y) const {
    const T d = Sub<T>()(x, y);
    return Mul<T>()(d, Conjugate(d));
  }
};

template <typename T>
struct Equal {
  TW_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    return x == y;
  }
};

template <typename T>
struct NotEqual {
  TW_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    return x != y;
  }
};

template <typename T>
struct Less {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x < y; }
};

template <typename T>
struct LessEqual {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x <= y; }
};

template <typename T>
struct Greater {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x > y; }
};

template <typename T>
struct GreaterEqual {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x >= y; }
};

template <typename T>
struct BitwiseAnd {
  TW_HOST_DEVICE T operator()(T x, T y) const { return static_cast<T>(x & y); }
};

template <typename T>
struct BitwiseOr {
  TW_HOST_DEVICE T operator()(T x, T y) const { return static_cast<T>(x | y); }
};

template <typename T>
struct BitwiseXor {
  TW_HOST_DEVICE T operator()(T x, T y) const { return static_cast<T>(x ^ y); }
};

// Takes bools, without a branch, so that loops vectorise.
template <typename T>
struct LogicalAnd {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x & y; }
};

template <typename T>
struct LogicalOr {
  TW_HOST_DEVICE bool operator()(T x, T y) const { return x | y; }
};

template <typename T>
struct MakeComplex {
  TW_HOST_DEVICE std::complex<T> operator()(T real, T imag) const {
    return std::complex<T>(real, imag);
  }
};

// ---- Gradients: (y, dy), or (gradient, features or activations) ------------

template <typename T>
struct RsqrtGrad {
  TW_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = Conjugate(y);
    const T cube = Product(Product(Product(MinusHalf(dy), c), c), c);
    return dy == T(0) ? T(0) : cube;
  }
};

template <typename T>
struct ReciprocalGrad {
  TW_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = Conjugate(y);
    const T square = Product(Product(-dy, c), c);
    return dy == T(0) ? T(0) : square;
  }
};

template <typename T>
struct SoftsignGrad {
  TW_HOST_DEVICE T operator()(T gradient, T feature) const {
    const T d = T(1) + std::fabs(feature);
    return gradient / (d * d);
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_FUNCTORS_H_
