// SPDX-License-Identifier: Apache-2.0
// Highway's loops of exponentials, logarithms, trigonometric and hyperbolic
// functions, their inverses, the error function and Digamma: compiled once per
// instruction set below.
//
// The quotients of polynomials below are our own least-squares fits, made
// minimax by Lawson's reweighting, and rounded to the type; each table has the
// lowest power first.  tools/dev/fit_functions.py makes such fits, and checks
// that these are as near as its own.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// This comes after it, since it is compiled once per instruction set, too.
#include "core/kernels/lib/cwise_ops_simd-inl.h"

// The tables are the same for every instruction set.
#ifndef TENSORWRIGHT_CWISE_OPS_SIMD_SPECIAL_TABLES
#define TENSORWRIGHT_CWISE_OPS_SIMD_SPECIAL_TABLES
namespace tensorwright {
namespace cwise_ops_simd_special {

// erf(x) = x P(x^2) / Q(x^2): floats up to kErfLimit, where it rounds to 1;
// doubles up to 1.
inline constexpr float kErfLimit = 3.95f;
inline constexpr float kErfFloatP[] = {
    1.12837910541f,     0.202290931957f,    0.0508834836708f, 0.00379493280676f,
    0.000143465569285f, -1.94895543685e-6f, 1.95997304467e-8f};
inline constexpr float kErfFloatQ[] = {1.0f, 0.512607250991f, 0.115972746334f,
                                       0.014550039317f, 0.000976603724749f};
inline constexpr double kErfP[] = {
    1.128379167095512573906,     0.1039340481146897619566,
    0.04233974557045498124063,   0.0005356151634120329164852,
    0.0002011320916131737184438, -0.000004044145582870630424572,
    1.056945803760480686617e-7};
inline constexpr double kErfQ[] = {1.0,
                                   0.4254424852438738641449,
                                   0.07933678428931417477083,
                                   0.008185546627740168571761,
                                   0.0004730391411509479280567,
                                   0.00001244669708376138770013};

// erfc(x) = exp(-x^2) t P(t) / Q(t), t = 1 / (x + 2): for floats x in
// [0.4, 10.2], for doubles in [0.9, 27.5].
inline constexpr float kErfcFloatP[] = {0.564235289917f, 0.717973499565f,
                                        2.09249855782f, 3.21153541214f,
                                        5.85984850531f};
inline constexpr float kErfcFloatQ[] = {1.0f, -0.723997938699f, 1.59799570886f,
                                        0.555874090783f};
inline constexpr double kErfcP[] = {
    0.5641895835475385423372, -0.1203763933271089182228,
    9.018130759729606477998,  4.336902439989204650824,
    48.09385635808417268277,  49.54653527681291185184,
    123.1630735476480832854,  142.582819420814820811,
    151.6826648927917246365,  94.86955129779263096165,
    -10.31325954774657965053};
inline constexpr double kErfcQ[] = {1.0,
                                    -2.213361601979775055841,
                                    16.9109438026011892262,
                                    -23.38816283954183408405,
                                    79.14898019195961225248,
                                    -62.16190244706549527909,
                                    113.9889620280904692754,
                                    -38.17851735981851344165,
                                    37.3421356460212096994};

// tan(r) = r + r^3 P(r^2) / Q(r^2), |r| <= pi / 4.
inline constexpr float kTanFloatP[] = {0.333333333334f, -0.0161892604124f,
                                       6.54794657812e-6f};
inline constexpr float kTanFloatQ[] = {1.0f, -0.44856778117f, 0.0175419936056f};
inline constexpr double kTanP[] = {
    0.3333333333333333333333, -0.02417821877984968385822,
    0.0004151918851435044061364, -0.000001752187130457906357684,
    3.429676413023494216617e-11};
inline constexpr double kTanQ[] = {
    1.0, -0.4725346563395490515746, 0.02835467628648822908569,
    -0.0004499816580490940297779, 0.000001802812614284285620562};

// pi / 2 in parts short enough that a multiple of each up to the limit of |x|
// is exact; the last one holds the rest.
inline constexpr float kTanFloatLimit = 600.0f;
inline constexpr float kHalfPiFloat[] = {0x1.921cp+0f, 0x1.daap-15f,
                                         0x1.10b462p-30f};
inline constexpr double kTanLimit = 30000.0;
inline constexpr double kHalfPi[] = {0x1.921fb5444p+0, 0x1.68c234c4cp-39,
                                     0x1.98a2e03707345p-77};

// Bernoulli numbers B(2k) / 2k.
template <typename T>
inline constexpr T kDigamma[] = {T(1. / 12),   T(-1. / 120), T(1. / 252),
                                 T(-1. / 240), T(1. / 132),  T(-691. / 32760),
                                 T(1. / 12)};

}  // namespace cwise_ops_simd_special
}  // namespace tensorwright
#endif  // TENSORWRIGHT_CWISE_OPS_SIMD_SPECIAL_TABLES

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace tables = cwise_ops_simd_special;

template <class D, class V, typename T, size_t kSize>
HWY_INLINE V Polynomial(D d, V x, const T (&table)[kSize]) {
  V y = hn::Set(d, table[kSize - 1]);
  for (size_t i = kSize - 1; i-- > 0;) {
    y = hn::MulAdd(y, x, hn::Set(d, table[i]));
  }
  return y;
}

// P(x) / Q(x).
template <class D, class V, typename T, size_t kP, size_t kQ>
HWY_INLINE V Quotient(D d, V x, const T (&p)[kP], const T (&q)[kQ]) {
  return hn::Div(Polynomial(d, x, p), Polynomial(d, x, q));
}

// Beyond this the argument reduction of hn::Sin loses digits.
template <typename T>
constexpr T kSinLimit = sizeof(T) == 4 ? T(8192) : T(30000);

template <class D, class V, class Vector, class Scalar>
HWY_INLINE V InRangeOrScalar(D d, V x, const Vector& vector,
                             const Scalar& scalar) {
  const auto usual = hn::Lt(hn::Abs(x), hn::Set(d, kSinLimit<hn::TFromD<D>>));
  return UsualOrScalar(d, x, usual, vector(x), scalar);
}

template <class D, class V>
HWY_INLINE V SafeSin(D d, V x) {
  using T = hn::TFromD<D>;
  return InRangeOrScalar(
      d, x, [d](auto w) HWY_ATTR { return hn::Sin(d, w); },
      [](T s) { return std::sin(s); });
}

template <class D, class V>
HWY_INLINE V SafeCos(D d, V x) {
  using T = hn::TFromD<D>;
  return InRangeOrScalar(
      d, x, [d](auto w) HWY_ATTR { return hn::Cos(d, w); },
      [](T s) { return std::cos(s); });
}

// Beyond this e^-|x| is lost in e^|x|; if e^|x| would overflow, the result is
// computed as a square.
template <class D, class V>
HWY_INLINE V SafeSinh(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, hn::TFromD<D>(0.5));
  const auto large = hn::Gt(a, hn::Set(d, 40));
  const V m = SafeExpm1(d, hn::IfThenElse(large, hn::Mul(a, half), a));
  const V e = hn::Add(m, hn::Set(d, 1));
  // (e - 1/e) / 2 = (m / e + m) / 2.
  const V small = hn::Mul(half, hn::Add(hn::Div(m, e), m));
  const V square = hn::Mul(hn::Mul(half, e), e);
  return hn::CopySign(hn::IfThenElse(large, square, small), x);
}

template <class D, class V>
HWY_INLINE V Cosh(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, hn::TFromD<D>(0.5));
  const auto large = hn::Gt(a, hn::Set(d, 40));
  const V e = SafeExp(d, hn::IfThenElse(large, hn::Mul(a, half), a));
  const V half_e = hn::Mul(half, e);
  return hn::IfThenElse(large, hn::Mul(half_e, e),
                        hn::Add(half_e, hn::Div(half, e)));
}

template <class D, class V>
HWY_INLINE V SafeAsinh(D d, V x) {
  const V y = hn::Asinh(d, x);
  const auto itself = hn::Or(hn::IsNaN(x), hn::Eq(hn::Abs(x), hn::Inf(d)));
  return hn::IfThenElse(itself, x, y);
}

template <class D, class V>
HWY_INLINE V SafeAcosh(D d, V x) {
  V y = hn::Acosh(d, x);
  y = hn::IfThenElse(hn::Lt(x, hn::Set(d, 1)), hn::NaN(d), y);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Inf(d))), x, y);
}

template <class D, class V>
HWY_INLINE V SafeAtanh(D d, V x) {
  const V a = hn::Abs(x);
  const V ratio = hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1), a));
  const V y = hn::Mul(hn::Set(d, hn::TFromD<D>(0.5)), SafeLog1p(d, ratio));
  return hn::CopySign(y, x);
}

// ---- Error function
// ----------------------------------------------------------

// exp(-x^2), with x^2 in two parts, since rounding it would cost digits: only
// the high bits of x are squared, which is exact.
template <class D, class V>
HWY_INLINE V ExpOfMinusSquare(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  using Bits = hn::TFromD<decltype(du)>;
  constexpr Bits kHigh = ~((Bits{1} << (sizeof(T) == 4 ? 12 : 27)) - 1);
  const V high =
      hn::BitCast(d, hn::And(hn::BitCast(du, x), hn::Set(du, kHigh)));
  const V rest = hn::Mul(hn::Sub(x, high), hn::Add(x, high));
  return hn::Mul(hn::Exp(d, hn::Neg(hn::Mul(high, high))),
                 hn::Exp(d, hn::Neg(rest)));
}

// erf(x) for |x| <= 1 for doubles, for any x for floats.
template <class D, class V>
HWY_INLINE V ErfSmall(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const V limit = hn::Set(d, tables::kErfLimit);
    const V z = hn::Max(hn::Min(x, limit), hn::Neg(limit));
    const V q =
        Quotient(d, hn::Mul(z, z), tables::kErfFloatP, tables::kErfFloatQ);
    const V one = hn::Set(d, 1);
    return hn::Max(hn::Min(hn::Mul(z, q), one), hn::Neg(one));
  } else {
    return hn::Mul(x, Quotient(d, hn::Mul(x, x), tables::kErfP, tables::kErfQ));
  }
}

// erfc(a) for a >= 0.5 for floats, for a >= 0.9 for doubles.
template <class D, class V>
HWY_INLINE V ErfcLarge(D d, V a) {
  using T = hn::TFromD<D>;
  const V x = hn::Min(a, hn::Set(d, T(sizeof(T) == 4 ? 10.2 : 27.5)));
  const V t = hn::Div(hn::Set(d, 1), hn::Add(x, hn::Set(d, 2)));
  V q;
  if constexpr (sizeof(T) == 4) {
    q = Quotient(d, t, tables::kErfcFloatP, tables::kErfcFloatQ);
  } else {
    q = Quotient(d, t, tables::kErfcP, tables::kErfcQ);
  }
  return hn::Mul(ExpOfMinusSquare(d, x), hn::Mul(t, q));
}

template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  V y = ErfSmall(d, x);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V a = hn::Abs(x);
    const auto large = hn::Gt(a, hn::Set(d, 1));
    if (!hn::AllFalse(d, large)) {
      const V tail = hn::Sub(hn::Set(d, 1), ErfcLarge(d, a));
      y = hn::IfThenElse(large, hn::CopySign(tail, x), y);
    }
  }
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
HWY_INLINE V Erfc(D d, V x) {
  using T = hn::TFromD<D>;
  const V a = hn::Abs(x), one = hn::Set(d, 1);
  const auto large = hn::Gt(a, hn::Set(d, T(sizeof(T) == 4 ? 0.5 : 0.9)));
  V y = hn::Sub(one, ErfSmall(d, x));
  if (!hn::AllFalse(d, large)) {
    const V tail = ErfcLarge(d, a);
    const V other = hn::Sub(hn::Set(d, 2), tail);
    y = hn::IfThenElse(large,
                       hn::IfThenElse(hn::Lt(x, hn::Zero(d)), other, tail), y);
  }
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// ---- Tangent
// -----------------------------------------------------------------

// x = q pi / 2 + r; tan(x) is tan(r) or, if q is odd, -1 / tan(r).
template <class D, class V>
HWY_INLINE V TanInRange(D d, V x) {
  using T = hn::TFromD<D>;
  const V q = hn::Round(hn::Mul(x, hn::Set(d, T(0.63661977236758134308))));
  const auto reduce = [&](const T(&part)[3]) HWY_ATTR {
    V r = hn::NegMulAdd(q, hn::Set(d, part[0]), x);
    r = hn::NegMulAdd(q, hn::Set(d, part[1]), r);
    return hn::NegMulAdd(q, hn::Set(d, part[2]), r);
  };
  V r, quotient;
  if constexpr (sizeof(T) == 4) {
    r = reduce(tables::kHalfPiFloat);
    quotient =
        Quotient(d, hn::Mul(r, r), tables::kTanFloatP, tables::kTanFloatQ);
  } else {
    r = reduce(tables::kHalfPi);
    quotient = Quotient(d, hn::Mul(r, r), tables::kTanP, tables::kTanQ);
  }
  const V tan = hn::MulAdd(hn::Mul(hn::Mul(r, r), r), quotient, r);
  // q / 2 has a fraction if q is odd.
  const V half_q = hn::Mul(q, hn::Set(d, T(0.5)));
  const V y = hn::IfThenElse(hn::Ne(hn::Floor(half_q), half_q),
                             hn::Div(hn::Set(d, -1), tan), tan);
  // Keeps the sign of zero.
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

template <class D, class V>
HWY_INLINE V Tan(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T kLimit =
      sizeof(T) == 4 ? T(tables::kTanFloatLimit) : T(tables::kTanLimit);
  return UsualOrScalar(d, x, hn::Lt(hn::Abs(x), hn::Set(d, kLimit)),
                       TanInRange(d, x), [](T s) { return std::tan(s); });
}

// ---- Digamma ----------------------------------------------------------------

// Uses the recurrence up to x >= 10, then the asymptotic series, like
// functor::Digamma, which serves if x is not positive.
template <class D, class V>
HWY_INLINE V Digamma(D d, const V x0) {
  using T = hn::TFromD<D>;
  const auto usual = hn::And(hn::Gt(x0, hn::Zero(d)), hn::Lt(x0, hn::Inf(d)));
  V x = x0;
  const V one = hn::Set(d, 1), ten = hn::Set(d, 10);
  V sum = hn::Zero(d);
  for (int i = 0; i < 10; ++i) {
    const auto small = hn::Lt(x, ten);
    if (hn::AllFalse(d, small)) break;
    sum = hn::Sub(sum, hn::IfThenElseZero(small, hn::Div(one, x)));
    x = hn::Add(x, hn::IfThenElseZero(small, one));
  }
  const V r = hn::Div(one, x);
  const V r2 = hn::Mul(r, r);
  const V series = hn::Mul(r2, Polynomial(d, r2, tables::kDigamma<T>));
  const V half_r = hn::Mul(r, hn::Set(d, T(0.5)));
  const V y = hn::Add(sum, hn::Sub(hn::Sub(hn::Log(d, x), half_r), series));
  return UsualOrScalar(d, x0, usual, y,
                       [](T s) { return functor::Digamma<T>()(s); });
}

// The angle of (x, y): the arctangent of the smaller part over the larger one,
// turned and mirrored into its octant.
template <class D, class V>
HWY_INLINE V Atan2(D d, V y, V x) {
  using T = hn::TFromD<D>;
  const V pi = hn::Set(d, T(3.14159265358979323846));
  const V half_pi = hn::Set(d, T(1.57079632679489661923));
  const V one = hn::Set(d, 1), zero = hn::Zero(d);
  const V a = hn::Abs(x), b = hn::Abs(y);
  const auto steep = hn::Gt(b, a);
  const V high = hn::IfThenElse(steep, b, a), low = hn::IfThenElse(steep, a, b);
  V ratio = hn::Div(low, high);
  ratio = hn::IfThenElse(hn::Eq(low, high), one, ratio);  // Both are infinite.
  ratio = hn::IfThenElse(hn::Eq(high, zero), zero, ratio);
  V angle = hn::Atan(d, ratio);
  angle = hn::IfThenElse(steep, hn::Sub(half_pi, angle), angle);
  const auto left = hn::Lt(hn::CopySign(one, x), zero);
  angle = hn::IfThenElse(left, hn::Sub(pi, angle), angle);
  const auto nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
  return hn::IfThenElse(nan, hn::Add(x, y), hn::CopySign(angle, y));
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#define TW_ROWS TW_TRANSCENDENTAL_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_simd-inl.h"
