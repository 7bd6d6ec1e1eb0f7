// SPDX-License-Identifier: Apache-2.0
#include "tools/mutate/elements.h"

#include <cmath>
#include <complex>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "core/framework/numeric_types.h"

namespace tensorwright::mutate {
namespace {

// Calls fn(zero of the element type).  False, without a call, for other types.
template <typename Fn>
bool WithFloat(DataType type, const Fn& fn) {
  switch (type) {
    case DT_FLOAT:
      return fn(float{}), true;
    case DT_DOUBLE:
      return fn(double{}), true;
    case DT_HALF:
      return fn(Eigen::half{}), true;
    case DT_BFLOAT16:
      return fn(bfloat16{}), true;
    default:
      return false;
  }
}

template <typename Fn>
bool WithInteger(DataType type, const Fn& fn) {
  switch (type) {
    case DT_INT8:
      return fn(int8_t{}), true;
    case DT_UINT8:
      return fn(uint8_t{}), true;
    case DT_INT16:
      return fn(int16_t{}), true;
    case DT_UINT16:
      return fn(uint16_t{}), true;
    case DT_INT32:
      return fn(int32_t{}), true;
    case DT_UINT32:
      return fn(uint32_t{}), true;
    case DT_INT64:
      return fn(int64_t{}), true;
    case DT_UINT64:
      return fn(uint64_t{}), true;
    default:
      return false;
  }
}

template <typename Fn>
bool WithComplex(DataType type, const Fn& fn) {
  switch (type) {
    case DT_COMPLEX64:
      return fn(std::complex<float>{}), true;
    case DT_COMPLEX128:
      return fn(std::complex<double>{}), true;
    default:
      return false;
  }
}

// The type for comparisons and arithmetic.
template <typename T>
using Wide = std::conditional_t<
    std::is_arithmetic_v<T> && sizeof(T) == 8, T,
    std::conditional_t<std::is_integral_v<T>, int64_t, double>>;

template <typename T>
T Spoilt(T x) {
  const auto wide = static_cast<double>(x);
  if (!std::isfinite(wide)) return static_cast<T>(3.0f);
  return static_cast<T>(wide + 1 + std::abs(wide));
}

// Does the best element, for `better`, occur twice?
template <typename Better>
bool HasTie(const Tensor& t, const Better& better) {
  bool tied = false;
  const auto look = [&](auto zero) {
    using T = decltype(zero);
    const absl::Span<const T> x = Flat<T>(t);
    if (x.size() < 2) return;
    auto best = static_cast<Wide<T>>(x[0]);
    for (size_t i = 1; i < x.size(); ++i) {
      const auto y = static_cast<Wide<T>>(x[i]);
      if (better(y, best)) {
        best = y;
        tied = false;
      } else if (y == best) {
        tied = true;
      }
    }
  };
  if (FindNaN(t) >= 0) return false;
  if (!WithFloat(t.dtype(), look)) WithInteger(t.dtype(), look);
  return tied;
}

}  // namespace

bool IsPlain(DataType type) {
  return type != DT_RESOURCE && type != DT_VARIANT && type != DT_INVALID &&
         !IsRefType(type);
}

void SpoilElement(int64_t i, Tensor* t) {
  if (t->dtype() == DT_STRING) {
    t->base<tstring>()[i] += "?";
    return;
  }
  const auto spoil = [&](auto zero) {
    using T = decltype(zero);
    T& x = t->base<T>()[i];
    x = Spoilt(x);
  };
  const auto spoil_complex = [&](auto zero) {
    using T = decltype(zero);
    T& x = t->base<T>()[i];
    // A NaN in one part must leave nothing behind.
    const bool finite = std::isfinite(x.real()) && std::isfinite(x.imag());
    x = finite ? T(Spoilt(x.real()), x.imag()) : T(3, 0);
  };
  if (WithFloat(t->dtype(), spoil)) return;
  if (WithComplex(t->dtype(), spoil_complex)) return;
  // Elements are little-endian, as on every machine that this library is built
  // for.
  auto* bytes = static_cast<uint8_t*>(t->data());
  bytes[i * DataTypeSize(t->dtype())] ^=
      DataTypeIsQuantized(t->dtype()) ? 16 : 1;
}

int64_t FindNaN(const Tensor& t, int64_t from) {
  int64_t found = -1;
  const auto look = [&](auto zero) {
    using T = decltype(zero);
    const absl::Span<const T> x = Flat<T>(t);
    for (size_t i = from; i < x.size() && found < 0; ++i) {
      if (x[i] != x[i]) found = static_cast<int64_t>(i);
    }
  };
  if (!WithFloat(t.dtype(), look)) WithComplex(t.dtype(), look);
  return found;
}

bool HasTiedMaximum(const Tensor& t) {
  return HasTie(t, [](auto a, auto b) { return a > b; });
}

bool HasTiedMinimum(const Tensor& t) {
  return HasTie(t, [](auto a, auto b) { return a < b; });
}

}  // namespace tensorwright::mutate
