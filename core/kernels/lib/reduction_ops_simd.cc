// SPDX-License-Identifier: Apache-2.0
// Highway's reductions: compiled once per instruction set below.

#include "core/kernels/lib/reduction_ops_simd.h"

#include <cstring>
#include <limits>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// This comes after it, since it is compiled once per instruction set, too.
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The last elements of a run as a vector filled up with `neutral`.
template <class D, typename T>
HWY_INLINE auto LoadTail(D d, const T* x, int64_t n, T neutral) {
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(hn::Set(d, neutral), d, lanes);
  std::memcpy(lanes, x, n * sizeof(T));
  return hn::Load(d, lanes);
}

// Four accumulators hide the latency of an addition.
template <typename T, class Combine, class Fold>
HWY_INLINE T Run(const T* x, int64_t n, T neutral, const Combine& combine,
                 const Fold& fold) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Set(d, neutral), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = combine(s0, hn::LoadU(d, x + i));
    s1 = combine(s1, hn::LoadU(d, x + i + lanes));
    s2 = combine(s2, hn::LoadU(d, x + i + 2 * lanes));
    s3 = combine(s3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) s0 = combine(s0, hn::LoadU(d, x + i));
  if (i < n) s1 = combine(s1, LoadTail(d, x + i, n - i, neutral));
  return fold(combine(combine(s0, s1), combine(s2, s3)));
}

// The extremum of the numbers, and whether there was a NaN beside them: the
// instruction loses NaNs, and comparing with each element costs more.
template <typename T, class Extremum, class Fold>
HWY_INLINE T RunExtremum(const T* x, int64_t n, T neutral,
                         const Extremum& extremum, const Fold& fold) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Set(d, neutral), s1 = s0, s2 = s0, s3 = s0;
  // The sum is one of zeros, unless something is NaN or infinite.
  const auto zero = hn::Zero(d);
  auto t0 = zero, t1 = zero, t2 = zero, t3 = zero;
  const auto step = [&](auto v, auto& s, auto& t) HWY_ATTR {
    s = extremum(s, v);
    t = hn::MulAdd(v, zero, t);
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    step(hn::LoadU(d, x + i), s0, t0);
    step(hn::LoadU(d, x + i + lanes), s1, t1);
    step(hn::LoadU(d, x + i + 2 * lanes), s2, t2);
    step(hn::LoadU(d, x + i + 3 * lanes), s3, t3);
  }
  for (; i + lanes <= n; i += lanes) step(hn::LoadU(d, x + i), s0, t0);
  if (i < n) {
    const T last = x[n - 1];
    step(LoadTail(d, x + i, n - i, last), s1, t1);
  }
  const auto test = hn::Add(hn::Add(t0, t1), hn::Add(t2, t3));
  if (!hn::AllTrue(d, hn::Eq(test, zero))) {
    for (int64_t j = 0; j < n; ++j) {
      if (x[j] != x[j]) return x[j];
    }
  }
  return fold(extremum(extremum(s0, s1), extremum(s2, s3)));
}

template <typename T>
HWY_INLINE T Reduce(SimdReduction reduction, const T* x, int64_t n) {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const hn::ScalableTag<T> d;
  switch (reduction) {
    case SimdReduction::kSum:
      return Run(
          x, n, T(0), [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
          [d](auto v) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, v)); });
    case SimdReduction::kProd:
      return Run(
          x, n, T(1), [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); },
          [d](auto v) HWY_ATTR {
            HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
            hn::Store(v, d, lanes);
            T product = lanes[0];
            for (size_t i = 1; i < hn::Lanes(d); ++i) product *= lanes[i];
            return product;
          });
    case SimdReduction::kMax:
      return RunExtremum(
          x, n, -kInf, [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); },
          [d](auto v) HWY_ATTR { return hn::GetLane(hn::MaxOfLanes(d, v)); });
    case SimdReduction::kMin:
      return RunExtremum(
          x, n, kInf, [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); },
          [d](auto v) HWY_ATTR { return hn::GetLane(hn::MinOfLanes(d, v)); });
  }
  return T(0);
}

// hn::Exp of numbers that are not positive needs care only for NaN.
template <class D, class V>
HWY_INLINE V ExpOfNegative(D d, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

template <typename T>
HWY_INLINE T ExpAndSum(const T* x, T shift, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, shift);
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto e = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i), by));
    hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  T total = hn::GetLane(hn::SumOfLanes(d, sum));
  if (i == n) return total;
  HWY_ALIGN T tail[HWY_MAX_BYTES / sizeof(T)];
  const auto rest = LoadTail(d, x + i, n - i, shift);
  hn::Store(ExpOfNegative(d, hn::Sub(rest, by)), d, tail);
  std::memcpy(y + i, tail, (n - i) * sizeof(T));
  for (int64_t j = 0; j < n - i; ++j) total += tail[j];
  return total;
}

float ReduceFloat(SimdReduction reduction, const float* x, int64_t n) {
  return Reduce(reduction, x, n);
}
double ReduceDouble(SimdReduction reduction, const double* x, int64_t n) {
  return Reduce(reduction, x, n);
}
float ExpAndSumFloat(const float* x, float shift, float* y, int64_t n) {
  return ExpAndSum(x, shift, y, n);
}
double ExpAndSumDouble(const double* x, double shift, double* y, int64_t n) {
  return ExpAndSum(x, shift, y, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(ReduceFloat);
HWY_EXPORT(ReduceDouble);
HWY_EXPORT(ExpAndSumFloat);
HWY_EXPORT(ExpAndSumDouble);

float SimdReduce(SimdReduction reduction, const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ReduceFloat)(reduction, x, n);
}
double SimdReduce(SimdReduction reduction, const double* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ReduceDouble)(reduction, x, n);
}
float SimdExpAndSum(const float* x, float shift, float* y, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ExpAndSumFloat)(x, shift, y, n);
}
double SimdExpAndSum(const double* x, double shift, double* y, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ExpAndSumDouble)(x, shift, y, n);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
