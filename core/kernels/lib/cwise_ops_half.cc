// SPDX-License-Identifier: Apache-2.0
// Highway's loops over half: compiled once per instruction set below.

#include "core/kernels/lib/cwise_ops_half.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// This comes after it, since it is compiled once per instruction set, too.
#include "core/kernels/lib/cwise_ops_simd_arithmetic-inl.h"

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

template <int kXStep, int kYStep, class F>
HWY_INLINE void BinaryLoop(const Half* x, const Half* y, Half* z, int64_t n,
                           const F& f) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  // A scalar is read before z is written, which may be in its place.
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

// Templates, so that forms without a loop here are never compiled; macros,
// because the attribute must stand on every lambda.
template <typename T>
bool RunBinary([[maybe_unused]] HalfRow row, [[maybe_unused]] const Half* x,
               [[maybe_unused]] const Half* y, [[maybe_unused]] Half* z,
               [[maybe_unused]] int64_t n, [[maybe_unused]] int x_step,
               [[maybe_unused]] int y_step) {
#if HWY_TARGET <= HWY_AVX2
  [[maybe_unused]] const hn::ScalableTag<T> d;
  switch (row) {
#define TW_BINARY(op, cost, types, gpu, flags, ...)                          \
  case HalfRow::k##op:                                                       \
    if constexpr (sizeof(T) == 4 && ((flags)&kHalfLoop) != 0) {              \
      BinarySteps(x, y, z, n, x_step, y_step, [d](auto a, auto b) HWY_ATTR { \
        static_cast<void>(d);                                                \
        return __VA_ARGS__;                                                  \
      });                                                                    \
      return true;                                                           \
    }                                                                        \
    return false;
#define TW_ROWS TW_HALF_ROWS
#include "core/kernels/lib/cwise_table.h"
#undef TW_ROWS
    default:
      return false;
  }
#else
  return false;
#endif
}

template <typename T>
bool RunUnary([[maybe_unused]] HalfRow row, [[maybe_unused]] const Half* x,
              [[maybe_unused]] Half* y, [[maybe_unused]] int64_t n) {
#if HWY_TARGET <= HWY_AVX2
  [[maybe_unused]] const hn::ScalableTag<T> d;
  switch (row) {
#define TW_UNARY(op, cost, types, gpu, flags, ...)               \
  case HalfRow::k##op:                                           \
    if constexpr (sizeof(T) == 4 && ((flags)&kHalfLoop) != 0) {  \
      BinarySteps(x, x, y, n, 1, 1, [d](auto v, auto) HWY_ATTR { \
        static_cast<void>(d);                                    \
        return __VA_ARGS__;                                      \
      });                                                        \
      return true;                                               \
    }                                                            \
    return false;
#define TW_ROWS TW_HALF_ROWS
#include "core/kernels/lib/cwise_table.h"
#undef TW_ROWS
    default:
      return false;
  }
#else
  return false;
#endif
}

bool BinaryOfHalf(HalfRow row, const Half* x, const Half* y, Half* z, int64_t n,
                  int x_step, int y_step) {
  return RunBinary<float>(row, x, y, z, n, x_step, y_step);
}

bool UnaryOfHalf(HalfRow row, const Half* x, Half* y, int64_t n) {
  return RunUnary<float>(row, x, y, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(BinaryOfHalf);
HWY_EXPORT(UnaryOfHalf);

bool SimdUnaryHalf(HalfRow row, const Eigen::half* x, Eigen::half* y,
                   int64_t n) {
  using hwy::float16_t;
  return HWY_DYNAMIC_DISPATCH(UnaryOfHalf)(
      row, reinterpret_cast<const float16_t*>(x),
      reinterpret_cast<float16_t*>(y), n);
}

bool SimdBinaryHalf(HalfRow row, const Eigen::half* x, const Eigen::half* y,
                    Eigen::half* z, int64_t n, int x_step, int y_step) {
  using hwy::float16_t;
  return HWY_DYNAMIC_DISPATCH(BinaryOfHalf)(
      row, reinterpret_cast<const float16_t*>(x),
      reinterpret_cast<const float16_t*>(y), reinterpret_cast<float16_t*>(z), n,
      x_step, y_step);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
