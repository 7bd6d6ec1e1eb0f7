// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic that the vector forms of cwise_table.h call, without
// Highway's mathematical functions: included once per instruction set.

// NOLINT: Highway's include guard, which opens again for each instruction set.
#if defined(TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_ARITHMETIC_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_ARITHMETIC_INL_H_
#undef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_ARITHMETIC_INL_H_
#else
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_ARITHMETIC_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE V Squared(V x) {
  return hn::Mul(x, x);
}

// The result of hn::Max and hn::Min is b if either is NaN; a NaN must win.
template <class V>
HWY_INLINE V Larger(V a, V b) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::Gt(a, b), a, b));
  } else {
    return hn::Max(a, b);
  }
}

template <class V>
HWY_INLINE V Smaller(V a, V b) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::Lt(a, b), a, b));
  } else {
    return hn::Min(a, b);
  }
}

// 1 / sqrt(x).  For floats an estimate of 12 bits or more and a step of
// Newton's method, which takes a third of the time of a division; not for
// arguments for which that step meets no finite number.
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

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_ARITHMETIC_INL_H_
