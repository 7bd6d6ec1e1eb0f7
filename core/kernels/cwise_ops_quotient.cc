// SPDX-License-Identifier: Apache-2.0
// Highway's loops over complex numbers that divide: compiled once per
// instruction set below.

#include "core/kernels/cwise_ops_quotient.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "core/kernels/cwise_functors.h"

// Each set costs compile time; these serve what is in use, and the last one
// any x86-64.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/cwise_ops_quotient.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The order matters: foreach_target.h includes this file again.
#include "hwy/highway.h"

// What the loops are told; the same for each instruction set.
#ifndef TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_CC_
#define TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_CC_
namespace tensorwright {

enum class QuotientOp { kDiv, kSqrtGrad, kSign };  // kSign: of the second.
enum class PowerGradOp { kInvGrad, kRsqrtGrad };

// One element as the C++ library has it.
template <QuotientOp kOp, typename C>
C PlainQuotient(C x, C y) {
  if constexpr (kOp == QuotientOp::kDiv) {
    return x / y;
  } else if constexpr (kOp == QuotientOp::kSqrtGrad) {
    return C(y.real() / 2, y.imag() / 2) / std::conj(x);
  } else {
    return functor::Sign<C>()(y);
  }
}

}  // namespace tensorwright
#endif  // TENSORWRIGHT_CORE_KERNELS_CWISE_OPS_QUOTIENT_CC_

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

// As many numbers of type R as there are doubles in a vector.
template <typename R>
using Numbers = hn::Rebind<R, D>;

struct Parts {
  V re, im;
};

template <typename R>
HWY_INLINE Parts LoadParts(const R* x) {
  const Numbers<R> dr;
  hn::Vec<Numbers<R>> re, im;
  hn::LoadInterleaved2(dr, x, re, im);
  if constexpr (std::is_same_v<R, float>) {
    return {hn::PromoteTo(D(), re), hn::PromoteTo(D(), im)};
  } else {
    return {re, im};
  }
}

template <typename R>
HWY_INLINE void StoreParts(Parts z, R* out) {
  const Numbers<R> dr;
  if constexpr (std::is_same_v<R, float>) {
    hn::StoreInterleaved2(hn::DemoteTo(dr, z.re), hn::DemoteTo(dr, z.im), dr,
                          out);
  } else {
    hn::StoreInterleaved2(z.re, z.im, dr, out);
  }
}

HWY_INLINE V Constant(double x) { return hn::Set(D(), x); }

HWY_INLINE V SquareOf(Parts x) {
  return hn::Add(hn::Mul(x.re, x.re), hn::Mul(x.im, x.im));
}

// Squares of floats neither overflow nor vanish in doubles.
template <typename R>
HWY_INLINE M IsUsualSquare(V square) {
  constexpr bool kFloat = std::is_same_v<R, float>;
  return hn::And(hn::Gt(square, Constant(kFloat ? 0 : 1e-280)),
                 hn::Lt(square, Constant(1e280)));
}

// z = x / y; the result says where it holds.
template <typename R>
HWY_INLINE M Divide(Parts x, Parts y, Parts* z) {
  const V square = SquareOf(y);
  const V re = hn::Add(hn::Mul(x.re, y.re), hn::Mul(x.im, y.im));
  const V im = hn::Sub(hn::Mul(x.im, y.re), hn::Mul(x.re, y.im));
  if constexpr (std::is_same_v<R, float>) {
    const V scale = hn::Div(Constant(1), square);
    *z = {hn::Mul(re, scale), hn::Mul(im, scale)};
  } else {
    *z = {hn::Div(re, square), hn::Div(im, square)};
  }
  const V most = Constant(std::numeric_limits<double>::max());
  M usual = hn::And(
      IsUsualSquare<R>(square),
      hn::And(hn::Le(hn::Abs(z->re), most), hn::Le(hn::Abs(z->im), most)));
  if constexpr (std::is_same_v<R, double>) {
    // No product is so small that it has fewer digits.
    const V larger = hn::Max(hn::Abs(x.re), hn::Abs(x.im));
    usual = hn::And(usual, hn::Gt(larger, Constant(1e-140)));
  }
  return usual;
}

template <typename R>
HWY_INLINE M Sign(Parts x, Parts* z) {
  const V square = SquareOf(x);
  const M zero = hn::And(hn::Eq(x.re, Constant(0)), hn::Eq(x.im, Constant(0)));
  const V scale = hn::Div(Constant(1), hn::Sqrt(square));
  *z = {hn::IfThenZeroElse(zero, hn::Mul(x.re, scale)),
        hn::IfThenZeroElse(zero, hn::Mul(x.im, scale))};
  return hn::Or(zero, IsUsualSquare<R>(square));
}

template <QuotientOp kOp, typename R>
HWY_INLINE M Apply(Parts x, Parts y, Parts* z) {
  if constexpr (kOp == QuotientOp::kDiv) {
    return Divide<R>(x, y, z);
  } else if constexpr (kOp == QuotientOp::kSqrtGrad) {
    const M zero =
        hn::And(hn::Eq(y.re, Constant(0)), hn::Eq(y.im, Constant(0)));
    const V half = Constant(0.5);
    const M usual = Divide<R>({hn::Mul(y.re, half), hn::Mul(y.im, half)},
                              {x.re, hn::Neg(x.im)}, z);
    *z = {hn::IfThenZeroElse(zero, z->re), hn::IfThenZeroElse(zero, z->im)};
    return hn::Or(zero, usual);
  } else {
    return Sign<R>(y, z);
  }
}

// One vector: x, y and z have 2 numbers for each of its elements.
template <QuotientOp kOp, typename R>
HWY_INLINE void OneVector(const R* x, const R* y, R* z) {
  constexpr size_t kMost = HWY_MAX_BYTES / sizeof(double);
  const Parts a = LoadParts(x), b = LoadParts(y);
  Parts quotient;
  const M usual = Apply<kOp, R>(a, b, &quotient);
  if (HWY_LIKELY(hn::AllTrue(D(), usual))) return StoreParts(quotient, z);
  // An element's result does not depend on its neighbours.  What is read may
  // lie where the result goes.
  HWY_ALIGN R left[2 * kMost], right[2 * kMost];
  HWY_ALIGN double keep[kMost];
  const size_t n = hn::Lanes(D());
  std::copy_n(x, 2 * n, left);
  std::copy_n(y, 2 * n, right);
  hn::Store(hn::IfThenElseZero(usual, Constant(1)), D(), keep);
  StoreParts(quotient, z);
  for (size_t i = 0; i < n; ++i) {
    if (keep[i] != 0) continue;
    using C = std::complex<R>;
    const C plain = PlainQuotient<kOp>(C(left[2 * i], left[2 * i + 1]),
                                       C(right[2 * i], right[2 * i + 1]));
    z[2 * i] = plain.real();
    z[2 * i + 1] = plain.imag();
  }
}

// Calls one_vector(x, y, z) for as many numbers at a time as DV has lanes.  A
// scalar is repeated, and the rest of a vector padded with ones.
template <typename R, class DV, class F>
HWY_INLINE void InVectors(const R* x, const R* y, R* z, int64_t n, int x_step,
                          int y_step, const F& one_vector) {
  constexpr size_t kMost = 2 * HWY_MAX_BYTES / sizeof(hn::TFromD<DV>);
  HWY_ALIGN R left[kMost], right[kMost], rest[kMost];
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(DV()));
  for (int64_t i = 0; i < lanes; ++i) {
    for (int64_t part = 0; part < 2; ++part) {
      left[2 * i + part] = x_step == 0 ? x[part] : R(1);
      right[2 * i + part] = y_step == 0 ? y[part] : R(1);
    }
  }
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    one_vector(x_step == 0 ? left : x + 2 * i, y_step == 0 ? right : y + 2 * i,
               z + 2 * i);
  }
  if (i == n) return;
  if (x_step != 0) std::copy_n(x + 2 * i, 2 * (n - i), left);
  if (y_step != 0) std::copy_n(y + 2 * i, 2 * (n - i), right);
  one_vector(left, right, rest);
  std::copy_n(rest, 2 * (n - i), z + 2 * i);
}

template <QuotientOp kOp, typename R>
HWY_INLINE void Loop(const R* x, const R* y, R* z, int64_t n, int x_step,
                     int y_step) {
  InVectors<R, D>(x, y, z, n, x_step, y_step,
                  [](const R* a, const R* b, R* c)
                      HWY_ATTR { OneVector<kOp>(a, b, c); });
}

template <typename R>
HWY_INLINE void Quotient(QuotientOp op, const R* x, const R* y, R* z, int64_t n,
                         int x_step, int y_step) {
  switch (op) {
    case QuotientOp::kDiv:
      return Loop<QuotientOp::kDiv>(x, y, z, n, x_step, y_step);
    case QuotientOp::kSqrtGrad:
      return Loop<QuotientOp::kSqrtGrad>(x, y, z, n, x_step, y_step);
    case QuotientOp::kSign:
      return Loop<QuotientOp::kSign>(x, y, z, n, x_step, y_step);
  }
}

// ---- Gradients, in the numbers' own precision -------------------------------

// z = y conj(x)^2, or its product with conj(x) / 2; negative, and 0 where y is.
// One vector.
template <PowerGradOp kOp, typename R>
HWY_INLINE void OneVectorOfGrad(const R* x, const R* y, R* z) {
  const hn::ScalableTag<R> d;
  hn::Vec<decltype(d)> re, im, a, b;
  hn::LoadInterleaved2(d, y, re, im);
  hn::LoadInterleaved2(d, x, a, b);
  const auto zero = hn::And(hn::Eq(re, hn::Zero(d)), hn::Eq(im, hn::Zero(d)));
  const auto scale = hn::Set(d, kOp == PowerGradOp::kInvGrad ? R(-1) : R(-0.5));
  re = hn::Mul(re, scale);
  im = hn::Mul(im, scale);
  for (int i = 0; i < (kOp == PowerGradOp::kInvGrad ? 2 : 3); ++i) {
    const auto next = hn::Add(hn::Mul(re, a), hn::Mul(im, b));
    im = hn::Sub(hn::Mul(im, a), hn::Mul(re, b));
    re = next;
  }
  hn::StoreInterleaved2(hn::IfThenZeroElse(zero, re),
                        hn::IfThenZeroElse(zero, im), d, z);
}

template <PowerGradOp kOp, typename R>
HWY_INLINE void GradLoop(const R* x, const R* y, R* z, int64_t n, int x_step,
                         int y_step) {
  InVectors<R, hn::ScalableTag<R>>(x, y, z, n, x_step, y_step,
                                   [](const R* a, const R* b, R* c) HWY_ATTR {
                                     OneVectorOfGrad<kOp>(a, b, c);
                                   });
}

template <typename R>
HWY_INLINE void PowerGrad(PowerGradOp op, const R* x, const R* y, R* z,
                          int64_t n, int x_step, int y_step) {
  if (op == PowerGradOp::kInvGrad) {
    GradLoop<PowerGradOp::kInvGrad>(x, y, z, n, x_step, y_step);
  } else {
    GradLoop<PowerGradOp::kRsqrtGrad>(x, y, z, n, x_step, y_step);
  }
}

void PowerGradOfFloats(PowerGradOp op, const float* x, const float* y, float* z,
                       int64_t n, int x_step, int y_step) {
  PowerGrad(op, x, y, z, n, x_step, y_step);
}
void PowerGradOfDoubles(PowerGradOp op, const double* x, const double* y,
                        double* z, int64_t n, int x_step, int y_step) {
  PowerGrad(op, x, y, z, n, x_step, y_step);
}

void QuotientOfFloats(QuotientOp op, const float* x, const float* y, float* z,
                      int64_t n, int x_step, int y_step) {
  Quotient(op, x, y, z, n, x_step, y_step);
}
void QuotientOfDoubles(QuotientOp op, const double* x, const double* y,
                       double* z, int64_t n, int x_step, int y_step) {
  Quotient(op, x, y, z, n, x_step, y_step);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(QuotientOfFloats);
HWY_EXPORT(QuotientOfDoubles);
HWY_EXPORT(PowerGradOfFloats);
HWY_EXPORT(PowerGradOfDoubles);

template <typename C>
void Run(PowerGradOp op, const void* x, const void* y, void* z, int64_t n,
         int x_step, int y_step) {
  using R = typename C::value_type;
  const R* a = static_cast<const R*>(x);
  const R* b = static_cast<const R*>(y);
  R* out = static_cast<R*>(z);
  if constexpr (std::is_same_v<R, float>) {
    HWY_DYNAMIC_DISPATCH(PowerGradOfFloats)(op, a, b, out, n, x_step, y_step);
  } else {
    HWY_DYNAMIC_DISPATCH(PowerGradOfDoubles)(op, a, b, out, n, x_step, y_step);
  }
}

template <typename C>
void Run(QuotientOp op, const void* x, const void* y, void* z, int64_t n,
         int x_step, int y_step) {
  using R = typename C::value_type;
  const R* a = static_cast<const R*>(x);
  const R* b = static_cast<const R*>(y);
  R* out = static_cast<R*>(z);
  if constexpr (std::is_same_v<R, float>) {
    HWY_DYNAMIC_DISPATCH(QuotientOfFloats)(op, a, b, out, n, x_step, y_step);
  } else {
    HWY_DYNAMIC_DISPATCH(QuotientOfDoubles)(op, a, b, out, n, x_step, y_step);
  }
}

}  // namespace

template <typename C>
bool ComplexDivLoop(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step) {
  Run<C>(QuotientOp::kDiv, x, y, z, n, x_step, y_step);
  return true;
}

template <typename C>
bool ComplexSqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                         int y_step, int dy_step) {
  Run<C>(QuotientOp::kSqrtGrad, y, dy, z, n, y_step, dy_step);
  return true;
}

template <typename C>
bool ComplexReciprocalGradLoop(const void* y, const void* dy, void* z,
                               int64_t n, int y_step, int dy_step) {
  Run<C>(PowerGradOp::kInvGrad, y, dy, z, n, y_step, dy_step);
  return true;
}

template <typename C>
bool ComplexRsqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                          int y_step, int dy_step) {
  Run<C>(PowerGradOp::kRsqrtGrad, y, dy, z, n, y_step, dy_step);
  return true;
}

template <typename C>
void ComplexReciprocalLoop(const void* x, void* y, int64_t n) {
  const C one(1);
  Run<C>(QuotientOp::kDiv, &one, x, y, n, 0, 1);
}

template <typename C>
void ComplexSignLoop(const void* x, void* y, int64_t n) {
  const C one(1);
  Run<C>(QuotientOp::kSign, &one, x, y, n, 0, 1);
}

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
template bool ComplexDivLoop<Complex64>(const void*, const void*, void*,
                                        int64_t, int, int);
template bool ComplexDivLoop<Complex128>(const void*, const void*, void*,
                                         int64_t, int, int);
template bool ComplexSqrtGradLoop<Complex64>(const void*, const void*, void*,
                                             int64_t, int, int);
template bool ComplexSqrtGradLoop<Complex128>(const void*, const void*, void*,
                                              int64_t, int, int);
template bool ComplexReciprocalGradLoop<Complex64>(const void*, const void*,
                                                   void*, int64_t, int, int);
template bool ComplexReciprocalGradLoop<Complex128>(const void*, const void*,
                                                    void*, int64_t, int, int);
template bool ComplexRsqrtGradLoop<Complex64>(const void*, const void*, void*,
                                              int64_t, int, int);
template bool ComplexRsqrtGradLoop<Complex128>(const void*, const void*, void*,
                                               int64_t, int, int);
template void ComplexReciprocalLoop<Complex64>(const void*, void*, int64_t);
template void ComplexReciprocalLoop<Complex128>(const void*, void*, int64_t);
template void ComplexSignLoop<Complex64>(const void*, void*, int64_t);
template void ComplexSignLoop<Complex128>(const void*, void*, int64_t);

}  // namespace tensorwright
#endif  // HWY_ONCE
