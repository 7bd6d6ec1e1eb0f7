// SPDX-License-Identifier: Apache-2.0
// Loops over complex numbers, a vector at a time: included once per instruction
// set.

// NOLINT: Highway's include guard, which opens again for each instruction set.
#if defined(                                                             \
    TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_VECTORS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_VECTORS_INL_H_
#undef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_VECTORS_INL_H_
#else
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_VECTORS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_VECTORS_INL_H_
