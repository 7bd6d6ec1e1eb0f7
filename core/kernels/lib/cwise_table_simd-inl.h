// SPDX-License-Identifier: Apache-2.0
// Makes the vector loops of the rows of TW_CWISE_TABLE (in the sections that
// TW_ROWS names).  The includer, a source that Highway compiles once per
// instruction set, defines that table.  foreach_target.h and the functions that
// the vector forms call come before this.  No include guard, on purpose.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/kernels/lib/cwise_ops_simd.h"

// The numbers of the rows; the same for every instruction set.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_SIMD_INL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_SIMD_INL_H_
namespace tensorwright {
namespace {

enum class SimdUnaryRow {
#define TW_UNARY(op, cost, types, gpu, flags, ...) k##op,
#include TW_CWISE_TABLE
};
enum class SimdBinaryRow {
#define TW_BINARY(op, cost, types, gpu, flags, ...) k##op,
#include TW_CWISE_TABLE
};

}  // namespace
}  // namespace tensorwright
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// y[i] = f(x[i]).  The rest of a vector goes through a buffer padded with ones,
// so nothing past the end is touched.
template <typename T, class F>
HWY_INLINE void UnaryLoop(const T* x, T* y, int64_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
  }
  if (i == n) return;
  if (n == 1) {  // Scalars are common; they need no detour.
    const hn::CappedTag<T, 1> one;
    return hn::Store(f(one, hn::Load(one, x)), one, y);
  }
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(hn::Set(d, 1), d, buffer);
  std::memcpy(buffer, x + i, (n - i) * sizeof(T));
  hn::Store(f(d, hn::Load(d, buffer)), d, buffer);
  std::memcpy(y + i, buffer, (n - i) * sizeof(T));
}

template <int kXStep, int kYStep, typename T, class F>
HWY_INLINE void BinaryLoop(const T* x, const T* y, T* z, int64_t n,
                           const F& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // A scalar operand is read before z is written, because z may be in its
  // place.
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

// Macros, because the attribute must stand on every lambda.
template <typename T>
HWY_INLINE void RunUnary([[maybe_unused]] SimdUnaryRow row,
                         [[maybe_unused]] const T* x, [[maybe_unused]] T* y,
                         [[maybe_unused]] int64_t n) {
  switch (row) {
#define TW_UNARY(op, cost, types, gpu, flags, ...)                    \
  case SimdUnaryRow::k##op:                                           \
    UnaryLoop(x, y, n, []([[maybe_unused]] auto d, auto v) HWY_ATTR { \
      return __VA_ARGS__;                                             \
    });                                                               \
    break;
#include TW_CWISE_TABLE
  }
}

template <typename T>
HWY_INLINE void RunBinary([[maybe_unused]] SimdBinaryRow row,
                          [[maybe_unused]] const T* x,
                          [[maybe_unused]] const T* y, [[maybe_unused]] T* z,
                          [[maybe_unused]] int64_t n,
                          [[maybe_unused]] int x_step,
                          [[maybe_unused]] int y_step) {
  [[maybe_unused]] constexpr bool kInteger = std::is_same_v<T, int32_t>;
  switch (row) {
#define TW_BINARY(op, cost, types, gpu, flags, ...)           \
  case SimdBinaryRow::k##op:                                  \
    if constexpr (!kInteger || ((flags)&kIntLoop) != 0) {     \
      BinarySteps(x, y, z, n, x_step, y_step,                 \
                  []([[maybe_unused]] auto d, auto a, auto b) \
                      HWY_ATTR { return __VA_ARGS__; });      \
    }                                                         \
    break;
#include TW_CWISE_TABLE
  }
}

void UnaryFloat(SimdUnaryRow row, const float* x, float* y, int64_t n) {
  RunUnary(row, x, y, n);
}
void UnaryDouble(SimdUnaryRow row, const double* x, double* y, int64_t n) {
  RunUnary(row, x, y, n);
}
void BinaryFloat(SimdBinaryRow row, const float* x, const float* y, float* z,
                 int64_t n, int x_step, int y_step) {
  RunBinary(row, x, y, z, n, x_step, y_step);
}
void BinaryDouble(SimdBinaryRow row, const double* x, const double* y,
                  double* z, int64_t n, int x_step, int y_step) {
  RunBinary(row, x, y, z, n, x_step, y_step);
}
void BinaryInt32(SimdBinaryRow row, const int32_t* x, const int32_t* y,
                 int32_t* z, int64_t n, int x_step, int y_step) {
  RunBinary(row, x, y, z, n, x_step, y_step);
}

}  // namespace
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

#define TW_UNARY(op, cost, types, gpu, flags, ...)                         \
  void SimdLoop<functor::op>::Run(const float* x, float* y, int64_t n) {   \
    HWY_DYNAMIC_DISPATCH(UnaryFloat)(SimdUnaryRow::k##op, x, y, n);        \
  }                                                                        \
  void SimdLoop<functor::op>::Run(const double* x, double* y, int64_t n) { \
    HWY_DYNAMIC_DISPATCH(UnaryDouble)(SimdUnaryRow::k##op, x, y, n);       \
  }
#define TW_BINARY(op, cost, types, gpu, flags, ...)                            \
  void SimdLoop<functor::op>::Run(const float* x, const float* y, float* z,    \
                                  int64_t n, int x_step, int y_step) {         \
    HWY_DYNAMIC_DISPATCH(BinaryFloat)                                          \
    (SimdBinaryRow::k##op, x, y, z, n, x_step, y_step);                        \
  }                                                                            \
  void SimdLoop<functor::op>::Run(const double* x, const double* y, double* z, \
                                  int64_t n, int x_step, int y_step) {         \
    HWY_DYNAMIC_DISPATCH(BinaryDouble)                                         \
    (SimdBinaryRow::k##op, x, y, z, n, x_step, y_step);                        \
  }                                                                            \
  void SimdLoop<functor::op>::Run(const int32_t* x, const int32_t* y,          \
                                  int32_t* z, int64_t n, int x_step,           \
                                  int y_step) {                                \
    HWY_DYNAMIC_DISPATCH(BinaryInt32)                                          \
    (SimdBinaryRow::k##op, x, y, z, n, x_step, y_step);                        \
  }
#include TW_CWISE_TABLE

}  // namespace tensorwright
#endif  // HWY_ONCE

#undef TW_CWISE_TABLE
#undef TW_ROWS
