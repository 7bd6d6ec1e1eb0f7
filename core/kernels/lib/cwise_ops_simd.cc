// SPDX-License-Identifier: Apache-2.0
// Highway's elementwise loops: compiled once per instruction set below.

#include "core/kernels/lib/cwise_ops_simd.h"

#include <cmath>
#include <cstring>
#include <limits>

// Each set costs compile time; these serve what is in use, and the last one
// any x86-64.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/lib/cwise_ops_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The order matters: foreach_target.h includes this file again.
#include "core/kernels/lib/cwise_ops_simd-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- Loops -----------------------------------------------------------------

// 1 / sqrt(x).  For floats an estimate of 12 bits or more and a step of
// Newton's method, which takes a third of the time of a division; not for
// arguments with which the step has no number to work on.
template <class D, class V>
HWY_INLINE V Rsqrt(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, 1);
  if constexpr (sizeof(T) == 4) {
    const auto normal =
        hn::And(hn::Ge(x, hn::Set(d, std::numeric_limits<T>::min())),
                hn::Le(x, hn::Set(d, std::numeric_limits<T>::max())));
    if (HWY_LIKELY(hn::AllTrue(d, normal))) {
      const V y = hn::ApproximateReciprocalSqrt(x);
      const V error = hn::NegMulAdd(hn::Mul(x, y), y, one);
      return hn::MulAdd(hn::Mul(y, hn::Set(d, T(0.5))), error, y);
    }
  }
  return hn::Div(one, hn::Sqrt(x));
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
  ratio = hn::IfThenElse(hn::Eq(low, high), one, ratio);  // Infinite ones.
  ratio = hn::IfThenElse(hn::Eq(high, zero), zero, ratio);
  V angle = hn::Atan(d, ratio);
  angle = hn::IfThenElse(steep, hn::Sub(half_pi, angle), angle);
  const auto left = hn::Lt(hn::CopySign(one, x), zero);
  angle = hn::IfThenElse(left, hn::Sub(pi, angle), angle);
  const auto nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
  return hn::IfThenElse(nan, hn::Add(x, y), hn::CopySign(angle, y));
}

template <int kXStep, int kYStep, typename T, class F>
HWY_INLINE void BinaryLoop(const T* x, const T* y, T* z, int64_t n,
                           const F& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // The value of a scalar is read before z, which may be its place, is written.
  const auto x0 = hn::Set(d, *x), y0 = hn::Set(d, *y);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto a = kXStep ? hn::LoadU(d, x + i) : x0;
    const auto b = kYStep ? hn::LoadU(d, y + i) : y0;
    hn::StoreU(f(d, a, b), d, z + i);
  }
  if (i == n) return;
  HWY_ALIGN T a[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T b[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(x0, d, a);
  hn::Store(y0, d, b);
  if (kXStep) std::memcpy(a, x + i, (n - i) * sizeof(T));
  if (kYStep) std::memcpy(b, y + i, (n - i) * sizeof(T));
  hn::Store(f(d, hn::Load(d, a), hn::Load(d, b)), d, a);
  std::memcpy(z + i, a, (n - i) * sizeof(T));
}

// A scalar with a scalar runs as two vectors of one element.
template <typename T, class F>
HWY_INLINE void BinarySteps(const T* x, const T* y, T* z, int64_t n, int x_step,
                            int y_step, const F& f) {
  if (n == 0) return;
  if (n == 1) {
    const hn::CappedTag<T, 1> one;
    return hn::Store(f(one, hn::Load(one, x), hn::Load(one, y)), one, z);
  }
  if (x_step == 0 && y_step == 0) {
    BinaryLoop<1, 1>(x, y, z, 1, f);
    const T value = *z;
    for (int64_t i = 1; i < n; ++i) z[i] = value;
  } else if (x_step == 0) {
    BinaryLoop<0, 1>(x, y, z, n, f);
  } else if (y_step == 0) {
    BinaryLoop<1, 0>(x, y, z, n, f);
  } else {
    BinaryLoop<1, 1>(x, y, z, n, f);
  }
}

template <typename T>
HWY_INLINE void Unary(SimdUnaryOp op, const T* x, T* y, int64_t n) {
#define TW_UNARY(name, ...)                                 \
  case SimdUnaryOp::name:                                   \
    return UnaryLoop(x, y, n, [](auto d, auto v) HWY_ATTR { \
      static_cast<void>(d);                                 \
      return __VA_ARGS__;                                   \
    })
  // A macro, because the attribute must stand on every lambda.
  switch (op) {
    TW_UNARY(kNeg, hn::Neg(v));
    TW_UNARY(kAbs, hn::Abs(v));
    TW_UNARY(kSquare, hn::Mul(v, v));
    TW_UNARY(kSqrt, hn::Sqrt(v));
    TW_UNARY(kRsqrt, Rsqrt(d, v));
    TW_UNARY(kReciprocal, hn::Div(hn::Set(d, 1), v));
    TW_UNARY(kExp, SafeExp(d, v));
    TW_UNARY(kExpm1, SafeExpm1(d, v));
    TW_UNARY(kLog, SafeLog(d, v));
    TW_UNARY(kLog1p, SafeLog1p(d, v));
    TW_UNARY(kSin, InRangeOrScalar(
                       d, v, [d](auto w) HWY_ATTR { return hn::Sin(d, w); },
                       [](T s) { return std::sin(s); }));
    TW_UNARY(kCos, InRangeOrScalar(
                       d, v, [d](auto w) HWY_ATTR { return hn::Cos(d, w); },
                       [](T s) { return std::cos(s); }));
    TW_UNARY(kSigmoid, Sigmoid(d, v));
    TW_UNARY(kFloor, hn::Floor(v));
    TW_UNARY(kCeil, hn::Ceil(v));
    TW_UNARY(kRint, hn::Round(v));
    TW_UNARY(kRelu, hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v));
    TW_UNARY(kRelu6, hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d),
                                    hn::IfThenElse(hn::Gt(v, hn::Set(d, 6)),
                                                   hn::Set(d, 6), v)));
    TW_UNARY(kElu, hn::IfThenElse(hn::Lt(v, hn::Zero(d)), SafeExpm1(d, v), v));
    TW_UNARY(kSoftplus, Softplus(d, v));
    TW_UNARY(kSoftsign, hn::Div(v, hn::Add(hn::Set(d, 1), hn::Abs(v))));
    default:  // kNone, and those of cwise_ops_simd_special.cc.
      return;
  }
#undef TW_UNARY
}

#define TW_BINARY(name, ...)                                 \
  case SimdBinaryOp::name:                                   \
    return BinarySteps(x, y, z, n, x_step, y_step,           \
                       [](auto d, auto a, auto b) HWY_ATTR { \
                         static_cast<void>(d);               \
                         return __VA_ARGS__;                 \
                       })

template <typename T>
HWY_INLINE void Binary(SimdBinaryOp op, const T* x, const T* y, T* z, int64_t n,
                       int x_step, int y_step) {
  switch (op) {
    TW_BINARY(kAdd, hn::Add(a, b));
    TW_BINARY(kSub, hn::Sub(a, b));
    TW_BINARY(kMul, hn::Mul(a, b));
    TW_BINARY(kDiv, hn::Div(a, b));
    // hn::Max's result is b if either is NaN; a NaN must win.
    TW_BINARY(kMaximum, hn::IfThenElse(hn::IsNaN(a), a,
                                       hn::IfThenElse(hn::Gt(a, b), a, b)));
    TW_BINARY(kMinimum, hn::IfThenElse(hn::IsNaN(a), a,
                                       hn::IfThenElse(hn::Lt(a, b), a, b)));
    TW_BINARY(kSquaredDifference, hn::Mul(hn::Sub(a, b), hn::Sub(a, b)));
    // (y, dy)
    TW_BINARY(kTanhGrad, hn::Mul(b, hn::NegMulAdd(a, a, hn::Set(d, 1))));
    TW_BINARY(kSigmoidGrad, hn::Mul(hn::Mul(b, a), hn::Sub(hn::Set(d, 1), a)));
    // Where b is 0, so is the result, whatever a is.
    TW_BINARY(kSqrtGrad,
              hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                                 hn::Div(hn::Mul(b, hn::Set(d, T(0.5))), a)));
    TW_BINARY(kRsqrtGrad,
              hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                                 hn::Mul(hn::Mul(b, hn::Set(d, T(-0.5))),
                                         hn::Mul(a, hn::Mul(a, a)))));
    TW_BINARY(kReciprocalGrad,
              hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                                 hn::Mul(hn::Neg(b), hn::Mul(a, a))));
    // (gradient, feature or activation)
    TW_BINARY(kReluGrad, hn::IfThenElseZero(hn::Gt(b, hn::Zero(d)), a));
    TW_BINARY(kRelu6Grad, hn::IfThenElseZero(hn::And(hn::Gt(b, hn::Zero(d)),
                                                     hn::Lt(b, hn::Set(d, 6))),
                                             a));
    TW_BINARY(kEluGrad,
              hn::IfThenElse(hn::Lt(b, hn::Zero(d)), hn::MulAdd(a, b, a), a));
    TW_BINARY(kSoftplusGrad,
              hn::Div(a, hn::Add(hn::Set(d, 1), SafeExp(d, hn::Neg(b)))));
    TW_BINARY(kSoftsignGrad, [d](auto g, auto f) HWY_ATTR {
      const auto s = hn::Add(hn::Set(d, 1), hn::Abs(f));
      return hn::Div(g, hn::Mul(s, s));
    }(a, b));
    TW_BINARY(kAtan2, Atan2(d, a, b));
    case SimdBinaryOp::kNone:
      return;
  }
}

HWY_INLINE void BinaryInteger(SimdBinaryOp op, const int32_t* x,
                              const int32_t* y, int32_t* z, int64_t n,
                              int x_step, int y_step) {
  switch (op) {
    TW_BINARY(kAdd, hn::Add(a, b));
    TW_BINARY(kSub, hn::Sub(a, b));
    TW_BINARY(kMul, hn::Mul(a, b));
    TW_BINARY(kMaximum, hn::Max(a, b));
    TW_BINARY(kMinimum, hn::Min(a, b));
    default:
      return;
  }
}
#undef TW_BINARY

void UnaryFloat(SimdUnaryOp op, const float* x, float* y, int64_t n) {
  Unary(op, x, y, n);
}
void UnaryDouble(SimdUnaryOp op, const double* x, double* y, int64_t n) {
  Unary(op, x, y, n);
}
void BinaryFloat(SimdBinaryOp op, const float* x, const float* y, float* z,
                 int64_t n, int x_step, int y_step) {
  Binary(op, x, y, z, n, x_step, y_step);
}
void BinaryDouble(SimdBinaryOp op, const double* x, const double* y, double* z,
                  int64_t n, int x_step, int y_step) {
  Binary(op, x, y, z, n, x_step, y_step);
}
void BinaryInt32(SimdBinaryOp op, const int32_t* x, const int32_t* y,
                 int32_t* z, int64_t n, int x_step, int y_step) {
  BinaryInteger(op, x, y, z, n, x_step, y_step);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(UnaryFloat);
HWY_EXPORT(UnaryDouble);
HWY_EXPORT(BinaryFloat);
HWY_EXPORT(BinaryDouble);
HWY_EXPORT(BinaryInt32);

void SimdUnary(SimdUnaryOp op, const float* x, float* y, int64_t n) {
  if (op >= SimdUnaryOp::kFirstSpecial) return SimdSpecial(op, x, y, n);
  HWY_DYNAMIC_DISPATCH(UnaryFloat)(op, x, y, n);
}
void SimdUnary(SimdUnaryOp op, const double* x, double* y, int64_t n) {
  if (op >= SimdUnaryOp::kFirstSpecial) return SimdSpecial(op, x, y, n);
  HWY_DYNAMIC_DISPATCH(UnaryDouble)(op, x, y, n);
}
void SimdBinary(SimdBinaryOp op, const float* x, const float* y, float* z,
                int64_t n, int x_step, int y_step) {
  HWY_DYNAMIC_DISPATCH(BinaryFloat)(op, x, y, z, n, x_step, y_step);
}
void SimdBinary(SimdBinaryOp op, const double* x, const double* y, double* z,
                int64_t n, int x_step, int y_step) {
  HWY_DYNAMIC_DISPATCH(BinaryDouble)(op, x, y, z, n, x_step, y_step);
}
void SimdBinary(SimdBinaryOp op, const int32_t* x, const int32_t* y, int32_t* z,
                int64_t n, int x_step, int y_step) {
  HWY_DYNAMIC_DISPATCH(BinaryInt32)(op, x, y, z, n, x_step, y_step);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
