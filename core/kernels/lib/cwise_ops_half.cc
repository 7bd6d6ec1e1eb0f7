// SPDX-License-Identifier: Apache-2.0
// Highway's loops over half: compiled once per instruction set below.

#include "core/kernels/lib/cwise_ops_half.h"

#include <algorithm>
#include <cstring>
#include <limits>

// Each set costs compile time; these serve what is in use, and the last one
// any x86-64.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/lib/cwise_ops_half.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The order matters: foreach_target.h includes this file again.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DH = hn::Rebind<hwy::float16_t, D>;
using V = hn::Vec<D>;
using Half = hwy::float16_t;

constexpr size_t kMost = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE V Load(const Half* x) {
  return hn::PromoteTo(D(), hn::LoadU(DH(), x));
}

HWY_INLINE void Store(V v, Half* y) {
  hn::StoreU(hn::DemoteTo(DH(), v), DH(), y);
}

// n < Lanes elements of x, then ones.
HWY_INLINE V LoadFirst(const Half* x, int64_t n) {
  HWY_ALIGN Half buffer[kMost];
  const uint16_t one = 0x3c00;
  for (Half& h : buffer) std::memcpy(&h, &one, sizeof(h));
  std::memcpy(buffer, x, n * sizeof(Half));
  return Load(buffer);
}

HWY_INLINE V LoadScalar(const Half* x) {
  HWY_ALIGN Half buffer[kMost];
  std::fill_n(buffer, kMost, *x);
  return Load(buffer);
}

HWY_INLINE void StoreFirst(V v, int64_t n, Half* y) {
  HWY_ALIGN Half buffer[kMost];
  Store(v, buffer);
  std::memcpy(y, buffer, n * sizeof(Half));
}

// By the estimate and Newton's step of cwise_ops_simd.cc.
HWY_INLINE V Rsqrt(V x) {
  const D d;
  const V one = hn::Set(d, 1);
  const auto normal =
      hn::And(hn::Ge(x, hn::Set(d, std::numeric_limits<float>::min())),
              hn::Le(x, hn::Set(d, std::numeric_limits<float>::max())));
  if (HWY_LIKELY(hn::AllTrue(d, normal))) {
    const V y = hn::ApproximateReciprocalSqrt(x);
    const V error = hn::NegMulAdd(hn::Mul(x, y), y, one);
    return hn::MulAdd(hn::Mul(y, hn::Set(d, 0.5f)), error, y);
  }
  return hn::Div(one, hn::Sqrt(x));
}

template <int kXStep, int kYStep, class F>
HWY_INLINE void BinaryLoop(const Half* x, const Half* y, Half* z, int64_t n,
                           const F& f) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  // A scalar is read before z, which may be its place, is written.
  const V x0 = LoadScalar(x), y0 = LoadScalar(y);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Store(f(kXStep ? Load(x + i) : x0, kYStep ? Load(y + i) : y0), z + i);
  }
  if (i == n) return;
  const V a = kXStep ? LoadFirst(x + i, n - i) : x0;
  const V b = kYStep ? LoadFirst(y + i, n - i) : y0;
  StoreFirst(f(a, b), n - i, z + i);
}

template <class F>
HWY_INLINE void BinarySteps(const Half* x, const Half* y, Half* z, int64_t n,
                            int x_step, int y_step, const F& f) {
  if (n == 0) return;
  if (x_step == 0 && y_step == 0) {
    BinaryLoop<0, 0>(x, y, z, n, f);
  } else if (x_step == 0) {
    BinaryLoop<0, 1>(x, y, z, n, f);
  } else if (y_step == 0) {
    BinaryLoop<1, 0>(x, y, z, n, f);
  } else {
    BinaryLoop<1, 1>(x, y, z, n, f);
  }
}

#define TW_BINARY(name, ...)                                    \
  case SimdBinaryOp::name:                                      \
    BinarySteps(x, y, z, n, x_step, y_step,                     \
                [](V a, V b) HWY_ATTR { return __VA_ARGS__; }); \
    return true
// A macro, because the attribute must stand on every lambda.

bool BinaryOfHalf([[maybe_unused]] SimdBinaryOp op,
                  [[maybe_unused]] const Half* x,
                  [[maybe_unused]] const Half* y, [[maybe_unused]] Half* z,
                  [[maybe_unused]] int64_t n, [[maybe_unused]] int x_step,
                  [[maybe_unused]] int y_step) {
#if HWY_TARGET <= HWY_AVX2
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
    TW_BINARY(kReciprocalGrad,
              hn::IfThenZeroElse(hn::Eq(b, hn::Zero(D())),
                                 hn::Mul(hn::Neg(b), hn::Mul(a, a))));
    default:
      return false;
  }
#else
  return false;
#endif
}
#undef TW_BINARY

bool UnaryOfHalf([[maybe_unused]] SimdUnaryOp op,
                 [[maybe_unused]] const Half* x, [[maybe_unused]] Half* y,
                 [[maybe_unused]] int64_t n) {
#if HWY_TARGET <= HWY_AVX2
  if (op != SimdUnaryOp::kRsqrt) return false;
  BinarySteps(x, x, y, n, 1, 1, [](V a, V) HWY_ATTR { return Rsqrt(a); });
  return true;
#else
  return false;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(BinaryOfHalf);
HWY_EXPORT(UnaryOfHalf);

bool SimdUnaryHalf(SimdUnaryOp op, const Eigen::half* x, Eigen::half* y,
                   int64_t n) {
  using hwy::float16_t;
  return HWY_DYNAMIC_DISPATCH(UnaryOfHalf)(
      op, reinterpret_cast<const float16_t*>(x),
      reinterpret_cast<float16_t*>(y), n);
}

bool SimdBinaryHalf(SimdBinaryOp op, const Eigen::half* x, const Eigen::half* y,
                    Eigen::half* z, int64_t n, int x_step, int y_step) {
  using hwy::float16_t;
  return HWY_DYNAMIC_DISPATCH(BinaryOfHalf)(
      op, reinterpret_cast<const float16_t*>(x),
      reinterpret_cast<const float16_t*>(y), reinterpret_cast<float16_t*>(z), n,
      x_step, y_step);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
