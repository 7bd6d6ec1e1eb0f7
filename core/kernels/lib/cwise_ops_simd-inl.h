// SPDX-License-Identifier: Apache-2.0
// Vector functions that are defined wherever the C library's are: included once
// per instruction set by cwise_ops_simd*.cc.

// NOLINT: Highway's include guard, which opens again for each instruction set.
#if defined(TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_INL_H_
#undef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_INL_H_
#else
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_INL_H_
#endif

#include <cstdint>

#include "core/kernels/lib/cwise_ops_simd_arithmetic-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Results of hn::Exp and its kin are defined on a part of the line only; the
// rest is patched here.

// exp(x) is finite up to this.
template <typename T>
constexpr T kExpLimit = sizeof(T) == 4 ? T(88.72283905206835)
                                       : T(709.782712893384);

// p * 2^n for a whole number n, even if that is next to zero or infinity.
// `shifted` has n in its low bits, from adding `round` to it.
template <class D, class V>
HWY_INLINE V TimesPowerOfTwo([[maybe_unused]] D d, V p, [[maybe_unused]] V n,
                             [[maybe_unused]] V shifted,
                             [[maybe_unused]] V round) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(p.raw) == 64) {
    return V{_mm512_scalef_ps(p.raw, n.raw)};
  } else if constexpr (sizeof(p.raw) == 32) {
    return V{_mm256_scalef_ps(p.raw, n.raw)};
  } else {
    return V{_mm_scalef_ps(p.raw, n.raw)};
  }
#else
  // Multiplies by two factors, as 2^n itself may not be a number.
  const hn::Rebind<int32_t, D> di;
  const auto power = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, round));
  const auto half = hn::ShiftRight<1>(power);
  const auto scale = [&](auto k) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  return hn::Mul(hn::Mul(p, scale(half)), scale(hn::Sub(power, half)));
#endif
}

// e^x = 2^n e^r with |r| <= ln(2) / 2, where e^r is a polynomial fitted for the
// least relative error (kExpFloat of tools/dev/fit_functions.py).
template <class D, class V>
HWY_INLINE V ExpOfFloats(D d, V x) {
  // x86's min and max give their second argument if one is NaN: x stays NaN.
  x = hn::Min(hn::Set(d, 89), hn::Max(hn::Set(d, -105), x));
  // Adding a number this large rounds the fraction off, and leaves n in the low
  // bits.
  const V round = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), round);
  const V n = hn::Sub(shifted, round);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), x);
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6f), r);
  V p = hn::Set(d, 0.0013814308913424611f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.008368856273591518f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.041668400168418884f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.1666651964187622f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.4999999403953552f));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), hn::Set(d, 1));
  return TimesPowerOfTwo(d, p, n, shifted, round);
}

// n / x to about a unit in the last place, in half the time of a division.  1 /
// x must be an ordinary number.  Single elements give the same results as
// elements of vectors.
template <class V>
HWY_INLINE V QuickQuotient(V n, V x) {
#if HWY_TARGET <= HWY_AVX3
  V r;
  if constexpr (sizeof(x.raw) == 64) {
    r = V{_mm512_rcp14_ps(x.raw)};
  } else if constexpr (sizeof(x.raw) == 32) {
    r = V{_mm256_rcp14_ps(x.raw)};
  } else {
    r = V{_mm_rcp14_ps(x.raw)};
  }
#else
  const V r = hn::ApproximateReciprocal(x);
#endif
  // The first digits of the quotient, and the first digits of the remainder's.
  const V quotient = hn::Mul(n, r);
  const V left = hn::NegMulAdd(quotient, x, n);
  return hn::MulAdd(left, r, quotient);
}

// tanh(x) = x P(x^2) / Q(x^2) (kTanhFloat of tools/dev/fit_functions.py) up to
// 9.02, where it rounds to 1.
template <class D, class V>
HWY_INLINE V TanhOfFloats(D d, V x) {
  const V limit = hn::Set(d, 9.02f), one = hn::Set(d, 1);
  // x86's min gives its second argument if one is NaN: x stays NaN.
  const V z = hn::Min(limit, hn::Abs(x));
  const V s = hn::Mul(z, z);
  V p = hn::Set(d, -1.22065688808e-11f), q = hn::Set(d, 1.28751851519e-6f);
  p = hn::MulAdd(p, s, hn::Set(d, 3.058993303e-8f));
  p = hn::MulAdd(p, s, hn::Set(d, 2.80097442748e-5f));
  p = hn::MulAdd(p, s, hn::Set(d, 0.0038684481131f));
  p = hn::MulAdd(p, s, hn::Set(d, 0.136800129796f));
  p = hn::MulAdd(p, s, hn::Set(d, 0.999999998651f));
  q = hn::MulAdd(q, s, hn::Set(d, 0.000393883826659f));
  q = hn::MulAdd(q, s, hn::Set(d, 0.0272462853404f));
  q = hn::MulAdd(q, s, hn::Set(d, 0.470133450631f));
  q = hn::MulAdd(q, s, one);
  const V y = hn::Min(one, QuickQuotient(hn::Mul(z, p), q));
  return hn::CopySignToAbs(y, x);
}

template <class D, class V>
HWY_INLINE V SafeTanh(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return TanhOfFloats(d, x);
  } else {
    const V y =
        hn::Tanh(d, hn::Max(hn::Min(x, hn::Set(d, 20)), hn::Set(d, -20)));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
}

template <class D, class V>
HWY_INLINE V SafeExp(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    return ExpOfFloats(d, x);
  } else {
    const V limit = hn::Set(d, kExpLimit<T>);
    V y = hn::Exp(d, hn::Min(x, limit));
    y = hn::IfThenElse(hn::Gt(x, limit), hn::Inf(d), y);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
}

template <class D, class V>
HWY_INLINE V SafeExpm1(D d, V x) {
  using T = hn::TFromD<D>;
  const V limit = hn::Set(d, kExpLimit<T>);
  V y = hn::Expm1(d, hn::Min(x, limit));
  y = hn::IfThenElse(hn::Gt(x, limit), hn::Inf(d), y);
  // Keeps the sign of zero, and NaN.
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d))), x, y);
}

template <class D, class V>
HWY_INLINE V SafeLog(D d, V x) {
  const V zero = hn::Zero(d);
  V y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(hn::Inf(d)), y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Inf(d))), x, y);
}

template <class D, class V>
HWY_INLINE V SafeLog1p(D d, V x) {
  const V minus_one = hn::Set(d, -1);
  V y = hn::Log1p(d, x);
  y = hn::IfThenElse(hn::Eq(x, minus_one), hn::Neg(hn::Inf(d)), y);
  y = hn::IfThenElse(hn::Lt(x, minus_one), hn::NaN(d), y);
  const auto itself = hn::Or(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Inf(d))),
                             hn::Eq(x, hn::Zero(d)));
  return hn::IfThenElse(itself, x, y);
}

// Computes it from e^-|x|, which neither overflows nor loses the small results
// of x << 0.
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1);
  const V z = SafeExp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), z, one),
                 hn::Add(one, z));
}

// y for elements that are `usual`, and scalar(x) for others.  An element's
// result does not depend on its neighbours: it is the same however a tensor is
// cut into vectors.
template <class D, class V, class M, class Scalar>
HWY_INLINE V UsualOrScalar(D d, V x, M usual, V y, const Scalar& scalar) {
  using T = hn::TFromD<D>;
  if (HWY_LIKELY(hn::AllTrue(d, usual))) return y;
  HWY_ALIGN T from[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T to[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T keep[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  hn::Store(hn::IfThenElseZero(usual, hn::Set(d, T(1))), d, keep);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (keep[i] == T(0)) to[i] = scalar(from[i]);
  }
  return hn::Load(d, to);
}

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
template <class D, class V>
HWY_INLINE V Softplus(D d, V x) {
  const V tail = SafeLog1p(d, SafeExp(d, hn::Neg(hn::Abs(x))));
  const V y = hn::Add(hn::Max(x, hn::Zero(d)), tail);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_INL_H_
