// SPDX-License-Identifier: Apache-2.0
// Highway's loops that divide complex numbers: compiled once per instruction
// set below.  Gradients that only multiply are in cwise_ops_quotient_grad.cc.

#include "core/kernels/math/cwise_ops_quotient.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/math/cwise_ops_quotient_vectors-inl.h"

// The types of the loops' arguments; they are the same for each instruction
// set.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_CC_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_CC_
namespace tensorwright {

// kReciprocal and kSign read the second argument only.
enum class QuotientOp { kDiv, kReciprocal, kSqrtGrad, kSign };

// Computes one element as the C++ library does.
template <QuotientOp kOp, typename C>
C PlainQuotient(C x, C y) {
  if constexpr (kOp == QuotientOp::kDiv) {
    return x / y;
  } else if constexpr (kOp == QuotientOp::kReciprocal) {
    return C(1) / y;
  } else if constexpr (kOp == QuotientOp::kSqrtGrad) {
    return C(y.real() / 2, y.imag() / 2) / std::conj(x);
  } else {
    return functor::Sign<C>()(y);
  }
}

}  // namespace tensorwright
#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_CC_

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type in which a loop computes: doubles for quotients of floats, whose
// products they hold; else the numbers' own precision.
template <QuotientOp kOp, typename R>
using WorkType = std::conditional_t<kOp == QuotientOp::kDiv, double, R>;

template <typename W>
using Vec = hn::Vec<hn::ScalableTag<W>>;
template <typename W>
using Mask = hn::Mask<hn::ScalableTag<W>>;

// Complex numbers of type W.
template <typename W>
struct Parts {
  Vec<W> re, im;
};

// Loads as many numbers of type R as a vector has of W.
template <typename W, typename R>
HWY_INLINE Parts<W> LoadParts(const R* x) {
  const hn::ScalableTag<W> d;
  const hn::Rebind<R, decltype(d)> dr;
  hn::Vec<decltype(dr)> re, im;
  hn::LoadInterleaved2(dr, x, re, im);
  if constexpr (std::is_same_v<R, W>) {
    return {re, im};
  } else {
    return {hn::PromoteTo(d, re), hn::PromoteTo(d, im)};
  }
}

template <typename W, typename R>
HWY_INLINE void StoreParts(Parts<W> z, R* out) {
  const hn::Rebind<R, hn::ScalableTag<W>> dr;
  if constexpr (std::is_same_v<R, W>) {
    hn::StoreInterleaved2(z.re, z.im, dr, out);
  } else {
    hn::StoreInterleaved2(hn::DemoteTo(dr, z.re), hn::DemoteTo(dr, z.im), dr,
                          out);
  }
}

template <typename W>
HWY_INLINE Vec<W> Constant(double x) {
  return hn::Set(hn::ScalableTag<W>(), static_cast<W>(x));
}

template <typename W>
HWY_INLINE Vec<W> SquareOf(Parts<W> x) {
  return hn::Add(hn::Mul(x.re, x.re), hn::Mul(x.im, x.im));
}

template <typename W>
HWY_INLINE Mask<W> IsZero(Parts<W> x) {
  const Vec<W> zero = Constant<W>(0);
  return hn::And(hn::Eq(x.re, zero), hn::Eq(x.im, zero));
}

// Squares between these two neither overflow nor lose digits.
template <typename W>
constexpr double kSmallSquare = sizeof(W) == 4 ? 1e-30 : 1e-280;
template <typename W>
constexpr double kLargeSquare = 1 / kSmallSquare<W>;

// Says whether a square is in that range.  Squares of floats neither overflow
// nor vanish in doubles.
template <typename R, typename W>
HWY_INLINE Mask<W> IsUsualSquare(Vec<W> square) {
  const double least = std::is_same_v<R, W> ? kSmallSquare<W> : 0;
  return hn::And(hn::Gt(square, Constant<W>(least)),
                 hn::Lt(square, Constant<W>(kLargeSquare<W>)));
}

// Computes z = x / y; returns the lanes in which the result is right.
template <typename R, typename W>
HWY_INLINE Mask<W> Divide(Parts<W> x, Parts<W> y, Parts<W>* z) {
  const Vec<W> square = SquareOf(y);
  const Vec<W> re = hn::Add(hn::Mul(x.re, y.re), hn::Mul(x.im, y.im));
  const Vec<W> im = hn::Sub(hn::Mul(x.im, y.re), hn::Mul(x.re, y.im));
  if constexpr (std::is_same_v<R, W>) {
    *z = {hn::Div(re, square), hn::Div(im, square)};
  } else {
    const Vec<W> scale = hn::Div(Constant<W>(1), square);
    *z = {hn::Mul(re, scale), hn::Mul(im, scale)};
  }
  const Vec<W> most = Constant<W>(std::numeric_limits<W>::max());
  Mask<W> usual = hn::And(
      IsUsualSquare<R, W>(square),
      hn::And(hn::Le(hn::Abs(z->re), most), hn::Le(hn::Abs(z->im), most)));
  if constexpr (std::is_same_v<R, W>) {
    // The larger part must be so large that no product loses digits.
    const Vec<W> larger = hn::Max(hn::Abs(x.re), hn::Abs(x.im));
    const double least = sizeof(W) == 4 ? 1e-15 : 1e-140;
    usual = hn::And(usual, hn::Gt(larger, Constant<W>(least)));
  }
  return usual;
}

template <typename W>
HWY_INLINE Mask<W> Reciprocal(Parts<W> x, Parts<W>* z) {
  const Vec<W> square = SquareOf(x);
  // Not Neg: the imaginary part for a real number is 0, not -0.
  *z = {hn::Div(x.re, square), hn::Sub(Constant<W>(0), hn::Div(x.im, square))};
  return IsUsualSquare<W, W>(square);
}

template <typename W>
HWY_INLINE Mask<W> Sign(Parts<W> x, Parts<W>* z) {
  const Vec<W> square = SquareOf(x);
  const Mask<W> zero = IsZero(x);
  const Vec<W> size = hn::Sqrt(square);
  *z = {hn::IfThenZeroElse(zero, hn::Div(x.re, size)),
        hn::IfThenZeroElse(zero, hn::Div(x.im, size))};
  return hn::Or(zero, IsUsualSquare<W, W>(square));
}

template <QuotientOp kOp, typename R, typename W>
HWY_INLINE Mask<W> Apply(Parts<W> x, Parts<W> y, Parts<W>* z) {
  if constexpr (kOp == QuotientOp::kDiv) {
    return Divide<R>(x, y, z);
  } else if constexpr (kOp == QuotientOp::kReciprocal) {
    return Reciprocal(y, z);
  } else if constexpr (kOp == QuotientOp::kSqrtGrad) {
    const Mask<W> zero = IsZero(y);
    const Vec<W> half = Constant<W>(0.5);
    const Mask<W> usual = Divide<R, W>(
        {hn::Mul(y.re, half), hn::Mul(y.im, half)}, {x.re, hn::Neg(x.im)}, z);
    *z = {hn::IfThenZeroElse(zero, z->re), hn::IfThenZeroElse(zero, z->im)};
    return hn::Or(zero, usual);
  } else {
    return Sign(y, z);
  }
}

// Computes one vector: x, y and z have 2 numbers for each of its elements.
template <QuotientOp kOp, typename R>
HWY_INLINE void OneVector(const R* x, const R* y, R* z) {
  using W = WorkType<kOp, R>;
  const hn::ScalableTag<W> d;
  constexpr size_t kMost = HWY_MAX_BYTES / sizeof(W);
  const Parts<W> a = LoadParts<W>(x), b = LoadParts<W>(y);
  Parts<W> quotient;
  const Mask<W> usual = Apply<kOp, R>(a, b, &quotient);
  if (HWY_LIKELY(hn::AllTrue(d, usual))) return StoreParts(quotient, z);
  // The unusual elements are computed one by one, so that an element's result
  // does not depend on its neighbours.  The inputs are copied first, because
  // the results may overwrite them.
  HWY_ALIGN R left[2 * kMost], right[2 * kMost];
  HWY_ALIGN W keep[kMost];
  const size_t n = hn::Lanes(d);
  std::copy_n(x, 2 * n, left);
  std::copy_n(y, 2 * n, right);
  hn::Store(hn::IfThenElseZero(usual, Constant<W>(1)), d, keep);
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

template <QuotientOp kOp, typename R>
HWY_INLINE void Loop(const R* x, const R* y, R* z, int64_t n, int x_step,
                     int y_step) {
  using Work = hn::ScalableTag<WorkType<kOp, R>>;
  InVectors<R, Work>(x, y, z, n, x_step, y_step,
                     [](const R* a, const R* b, R* c)
                         HWY_ATTR { OneVector<kOp>(a, b, c); });
}

template <typename R>
HWY_INLINE void Quotient(QuotientOp op, const R* x, const R* y, R* z, int64_t n,
                         int x_step, int y_step) {
  switch (op) {
    case QuotientOp::kDiv:
      return Loop<QuotientOp::kDiv>(x, y, z, n, x_step, y_step);
    case QuotientOp::kReciprocal:
      return Loop<QuotientOp::kReciprocal>(x, y, z, n, x_step, y_step);
    case QuotientOp::kSqrtGrad:
      return Loop<QuotientOp::kSqrtGrad>(x, y, z, n, x_step, y_step);
    case QuotientOp::kSign:
      return Loop<QuotientOp::kSign>(x, y, z, n, x_step, y_step);
  }
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
void ComplexReciprocalLoop(const void* x, void* y, int64_t n) {
  const C one(1);
  Run<C>(QuotientOp::kReciprocal, &one, x, y, n, 0, 1);
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
template void ComplexReciprocalLoop<Complex64>(const void*, void*, int64_t);
template void ComplexReciprocalLoop<Complex128>(const void*, void*, int64_t);
template void ComplexSignLoop<Complex64>(const void*, void*, int64_t);
template void ComplexSignLoop<Complex128>(const void*, void*, int64_t);

}  // namespace tensorwright
#endif  // HWY_ONCE
