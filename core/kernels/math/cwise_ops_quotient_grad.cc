// SPDX-License-Identifier: Apache-2.0
// Highway's loops for the gradients of 1 / x and 1 / sqrt(x) of complex
// numbers, in the numbers' own precision: compiled once per instruction set
// below.

#include <complex>
#include <type_traits>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/math/cwise_ops_quotient.h"
#include "core/kernels/math/cwise_ops_quotient_vectors-inl.h"

// The types of the loops' arguments; they are the same for each instruction
// set.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_GRAD_CC_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_GRAD_CC_
namespace tensorwright {

enum class PowerGradOp { kInvGrad, kRsqrtGrad };

}  // namespace tensorwright
#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_GRAD_CC_

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One vector of z = -y conj(x)^2, or of -y conj(x)^3 / 2; z is 0 where y is 0.
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

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

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

}  // namespace

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

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
template bool ComplexReciprocalGradLoop<Complex64>(const void*, const void*,
                                                   void*, int64_t, int, int);
template bool ComplexReciprocalGradLoop<Complex128>(const void*, const void*,
                                                    void*, int64_t, int, int);
template bool ComplexRsqrtGradLoop<Complex64>(const void*, const void*, void*,
                                              int64_t, int, int);
template bool ComplexRsqrtGradLoop<Complex128>(const void*, const void*, void*,
                                               int64_t, int, int);

}  // namespace tensorwright
#endif  // HWY_ONCE
