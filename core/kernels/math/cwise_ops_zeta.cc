// SPDX-License-Identifier: Apache-2.0
// Zeta and Polygamma of positive arguments in vectors of doubles, compiled once
// per instruction set below; special_math.h serves all other arguments.

#include "core/kernels/math/cwise_ops_zeta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/math/special_math.h"

// The parts that are the same for every instruction set.
#ifndef TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_ZETA_CC_
#define TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_ZETA_CC_
namespace tensorwright {
namespace cwise_ops_zeta {

// kTerms terms are summed one by one; Euler and Maclaurin's formula with
// kNumbers Bernoulli numbers stands for the rest.  With t = s / (q + terms),
// the formula omits at most (t / 2 pi)^(2 numbers + 1) e^(-terms t) of the sum:
// 4e-10 for floats, 1e-17 for doubles.
template <typename T>
inline constexpr int kTerms = sizeof(T) == 4 ? 4 : 7;
template <typename T>
inline constexpr int kNumbers = sizeof(T) == 4 ? 6 : 12;

// Bernoulli numbers B(2j) / (2j)!, j > 0.
inline constexpr double kBernoulli[] = {
    1. / 12,
    -1. / 720,
    1. / 30240,
    -1. / 1209600,
    1. / 47900160,
    -691. / 1307674368000,
    1. / 74724249600,
    -3617. / 10670622842880000,
    43867. / 5109094217170944000,
    -174611. / 802857662698291200000.,
    854513. / 155112100433309859840000.,
    -236364091. / 1693824136731743669452800000.};

// 1 / j!.
inline constexpr double kExp[] = {1,
                                  1,
                                  1. / 2,
                                  1. / 6,
                                  1. / 24,
                                  1. / 120,
                                  1. / 720,
                                  1. / 5040,
                                  1. / 40320,
                                  1. / 362880,
                                  1. / 3628800,
                                  1. / 39916800,
                                  1. / 479001600,
                                  1. / 6227020800};

}  // namespace cwise_ops_zeta
}  // namespace tensorwright
#endif  // TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_ZETA_CC_

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace tables = cwise_ops_zeta;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

HWY_INLINE V Constant(double x) { return hn::Set(D(), x); }

// A number as the sum of two, the second of which has the digits that do not
// fit in the first.
struct Pair {
  V high, low;
};

// Adds a and b exactly; |a| >= |b|, or a is 0.
HWY_INLINE Pair SumOf(V a, V b) {
  const V sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// Multiplies exactly if the processor fuses a product and a sum.
HWY_INLINE Pair ProductOf(V a, V b) {
  const V product = hn::Mul(a, b);
  return {product, hn::MulSub(a, b, product)};
}

// 2 / (2 kFirst + 1) + 2 z / (2 kFirst + 3) + ..., of kCount terms.
template <int kFirst, int kCount>
HWY_INLINE V ArtanhSeries(V z) {
  V sum = Constant(2.0 / (2 * (kFirst + kCount) - 1));
  for (int j = kFirst + kCount - 2; j >= kFirst; --j) {
    sum = hn::MulAdd(sum, z, Constant(2.0 / (2 * j + 1)));
  }
  return sum;
}

// Returns log(w), w a normal number > 0: to 40 bits for T = float, to 64 for
// double. w = 2^k m, and log(m) = 2 artanh((m - 1) / (m + 1)) with m between
// the roots of 1/2 and 2.
template <typename T>
HWY_INLINE Pair LogOf(V w) {
  const D d;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, w);
  const auto k = hn::ShiftRight<52>(
      hn::Sub(bits, hn::BitCast(di, Constant(0.70710678118654752))));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(k)));
  const V power = hn::ConvertTo(d, k);
  const V one = Constant(1);
  const V more = hn::Add(m, one), less = hn::Sub(m, one);
  const V f = hn::Div(less, more);
  const V z = hn::Mul(f, f);
  const V ln2 = Constant(0x1.62e42fefa38p-1);  // The product with k is exact.
  if constexpr (sizeof(T) == 4) {
    const V log = hn::Mul(f, ArtanhSeries<0, 8>(z));
    return {hn::MulAdd(power, Constant(0x1.62e42fefa39efp-1), log),
            hn::Zero(d)};
  } else {
    const V more_low = hn::Sub(m, hn::Sub(more, one));
    const V left = hn::NegMulAdd(f, more_low, hn::NegMulAdd(f, more, less));
    const V f_low = hn::Div(left, more);
    const V twice_f = hn::Add(f, f);
    // These are f^2, then the series without its first term divided by f^3,
    // then f^3, and last the product of those two.
    const V z_low = hn::MulAdd(twice_f, f_low, hn::MulSub(f, f, z));
    const Pair c = SumOf(Constant(2.0 / 3), hn::Mul(z, ArtanhSeries<2, 10>(z)));
    const V c_low = hn::Add(c.low, Constant(0x1.5555555555555p-55));
    const Pair g = ProductOf(f, z);
    const V g_low = hn::MulAdd(f, z_low, hn::MulAdd(f_low, z, g.low));
    const Pair u = ProductOf(g.high, c.high);
    const V u_low = hn::MulAdd(g.high, c_low, hn::MulAdd(g_low, c.high, u.low));
    const Pair a = SumOf(hn::Mul(power, ln2), twice_f);
    const Pair b = SumOf(a.high, u.high);
    V low = hn::MulAdd(power, Constant(0x1.ef35793c7673p-45), u_low);
    low = hn::Add(low, hn::Add(f_low, f_low));
    return {b.high, hn::Add(low, hn::Add(a.low, b.low))};
  }
}

// w^-s.
template <typename T>
HWY_INLINE V PowerOf(V w, V s) {
  const D d;
  const hn::RebindToSigned<D> di;
  const Pair log = LogOf<T>(w);
  const V y = hn::Neg(hn::Mul(s, log.high));
  // e^x = 2^n e^r; beyond these limits it is infinite or 0.
  const V x = hn::Min(hn::Max(y, Constant(-1100)), Constant(1100));
  const V n = hn::Round(hn::Mul(x, Constant(1.4426950408889634)));
  V r = hn::NegMulAdd(n, Constant(0x1.62e42fefa38p-1), x);
  r = hn::NegMulAdd(n, Constant(0x1.ef35793c7673p-45), r);
  if constexpr (sizeof(T) == 8) {
    const V low = hn::NegMulSub(s, log.high, y);
    r = hn::Add(r, hn::NegMulAdd(s, log.low, low));
  }
  constexpr int kDegree = sizeof(T) == 4 ? 9 : 13;
  V p = Constant(tables::kExp[kDegree]);
  for (int j = kDegree - 1; j >= 2; --j) {
    p = hn::MulAdd(p, r, Constant(tables::kExp[j]));
  }
  p = hn::Add(Constant(1), hn::MulAdd(hn::Mul(r, r), p, r));
  // 2^n is multiplied in as two factors, because it may itself be out of range.
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto scale = [&](auto exponent) HWY_ATTR {
    const auto biased = hn::Add(exponent, hn::Set(di, 1023));
    return hn::BitCast(d, hn::ShiftLeft<52>(biased));
  };
  return hn::Mul(hn::Mul(p, scale(half)), scale(hn::Sub(whole, half)));
}

// Sums Euler and Maclaurin's formula (DLMF 25.11.5) from its small end.
template <typename T>
HWY_INLINE V ZetaOf(V s, V q) {
  constexpr int kTerms = tables::kTerms<T>, kNumbers = tables::kNumbers<T>;
  const V w = hn::Add(q, Constant(kTerms));
  const V term = PowerOf<T>(w, s);
  const V r = hn::Div(Constant(1), w);
  const V r2 = hn::Mul(r, r);
  V series = Constant(tables::kBernoulli[kNumbers - 1]);
  for (int j = kNumbers - 2; j >= 0; --j) {
    const V next = hn::Mul(hn::Add(s, Constant(2 * j + 1)),
                           hn::Add(s, Constant(2 * j + 2)));
    series =
        hn::MulAdd(series, hn::Mul(next, r2), Constant(tables::kBernoulli[j]));
  }
  const V rest = hn::MulAdd(series, hn::Mul(s, r), Constant(0.5));
  V sum = hn::Mul(term, rest);
  for (int j = kTerms - 1; j > 0; --j) {
    sum = hn::Add(sum, PowerOf<T>(hn::Add(q, Constant(j)), s));
  }
  const V integral = hn::Div(hn::Mul(term, w), hn::Sub(s, Constant(1)));
  return hn::Add(hn::Add(sum, integral), PowerOf<T>(q, s));
}

// zeta[i] = Zeta(s[i], q[i]) for usual arguments; n is a multiple of a vector's
// size.
template <typename T>
HWY_INLINE void ZetaOfUsual(const double* s, const double* q, double* zeta,
                            int64_t n) {
  const D d;
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(ZetaOf<T>(hn::LoadU(d, s + i), hn::LoadU(d, q + i)), d,
               zeta + i);
  }
}

void ZetaForFloats(const double* s, const double* q, double* zeta, int64_t n) {
  ZetaOfUsual<float>(s, q, zeta, n);
}

void ZetaForDoubles(const double* s, const double* q, double* zeta, int64_t n) {
#if HWY_NATIVE_FMA
  ZetaOfUsual<double>(s, q, zeta, n);
#else
  for (int64_t i = 0; i < n; ++i) zeta[i] = special_math::Zeta(s[i], q[i]);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(ZetaForFloats);
HWY_EXPORT(ZetaForDoubles);

namespace {

// Says whether no step of the vectors leaves the range of numbers with these
// arguments.
bool IsUsual(double s, double q) {
  return s > 1 && s <= 1e4 && q >= 1e-300 && q <= 1e300;
}

constexpr int64_t kBlock = 256;
constexpr int64_t kMostLanes = HWY_MAX_BYTES / sizeof(double);

// The arguments of a block that one vector function serves, side by side, with
// the places of their elements.
struct Batch {
  int64_t size = 0;
  int64_t places[kBlock];
  double s[kBlock + kMostLanes], q[kBlock + kMostLanes];

  void Add(int64_t place, double first, double second) {
    places[size] = place, s[size] = first, q[size] = second;
    ++size;
  }

  // Replaces s by Zeta(s, q), to T's precision.
  template <typename T>
  void ComputeZeta() {
    int64_t n = size;
    for (; n % kMostLanes != 0; ++n) s[n] = 2, q[n] = 1;
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(ZetaForFloats)(s, q, s, n);
    } else {
      HWY_DYNAMIC_DISPATCH(ZetaForDoubles)(s, q, s, n);
    }
  }
};

// Returns n!, n <= 170, the largest that doubles hold.
double Factorial(int n) {
  static const std::array<double, 171> table = [] {
    std::array<double, 171> values;
    for (int i = 0; i <= 170; ++i) values[i] = std::tgamma(i + 1.0);
    return values;
  }();
  return table[n];
}

}  // namespace

template <typename T>
bool ZetaLoop(const void* s, const void* q, void* z, int64_t n, int s_step,
              int q_step) {
  const T* first = static_cast<const T*>(s);
  const T* second = static_cast<const T*>(q);
  T* out = static_cast<T*>(z);
  // A scalar is read before the output is written, because they may share a
  // place.
  const T u = n > 0 ? *first : T(0), v = n > 0 ? *second : T(0);
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    Batch batch;
    for (int64_t i = begin; i < end; ++i) {
      const T a = s_step ? first[i] : u, b = q_step ? second[i] : v;
      if (HWY_LIKELY(IsUsual(a, b))) {
        batch.Add(i, a, b);
      } else {
        out[i] = special_math::Zeta(a, b);
      }
    }
    batch.ComputeZeta<T>();
    for (int64_t i = 0; i < batch.size; ++i) {
      out[batch.places[i]] = static_cast<T>(batch.s[i]);
    }
  }
  return true;
}

template <typename T>
bool PolygammaLoop(const void* order, const void* x, void* z, int64_t n,
                   int order_step, int x_step) {
  const T* first = static_cast<const T*>(order);
  const T* second = static_cast<const T*>(x);
  T* out = static_cast<T*>(z);
  const T u = n > 0 ? *first : T(0), v = n > 0 ? *second : T(0);
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    Batch derivatives, digamma;
    double orders[kBlock];
    for (int64_t i = begin; i < end; ++i) {
      const T a = order_step ? first[i] : u, b = x_step ? second[i] : v;
      if (a == 0) {
        digamma.Add(i, b, 0);
      } else if (a >= 1 && a <= 170 && a == std::floor(a) && IsUsual(2, b)) {
        orders[derivatives.size] = a;
        derivatives.Add(i, double{a} + 1, b);
      } else {
        out[i] = special_math::Polygamma(a, b);
      }
    }
    SimdLoop<functor::Digamma>::Run(digamma.s, digamma.s, digamma.size);
    for (int64_t i = 0; i < digamma.size; ++i) {
      out[digamma.places[i]] = static_cast<T>(digamma.s[i]);
    }
    derivatives.ComputeZeta<T>();
    for (int64_t i = 0; i < derivatives.size; ++i) {
      const int whole = static_cast<int>(orders[i]);
      const double size = Factorial(whole) * derivatives.s[i];
      out[derivatives.places[i]] = static_cast<T>(whole % 2 ? size : -size);
    }
  }
  return true;
}

template bool ZetaLoop<float>(const void*, const void*, void*, int64_t, int,
                              int);
template bool ZetaLoop<double>(const void*, const void*, void*, int64_t, int,
                               int);
template bool PolygammaLoop<float>(const void*, const void*, void*, int64_t,
                                   int, int);
template bool PolygammaLoop<double>(const void*, const void*, void*, int64_t,
                                    int, int);

}  // namespace tensorwright
#endif  // HWY_ONCE
