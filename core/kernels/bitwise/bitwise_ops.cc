// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels on the bits of integers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {
namespace functor {
namespace {

// C++ leaves shifts by less than 0 places, or by all, undefined.
template <typename T>
int PlacesOf(T y) {
  constexpr T kMost = 8 * sizeof(T) - 1;
  return static_cast<int>(std::clamp<T>(y, 0, kMost));
}

// Processors shift vectors of bytes and of int16 by one number of places only:
// so this shifts by 4, by 2 and by 1, as the bits of `places` tell.
template <bool kLeft, int kPlaces, typename U>
U ShiftIf(U x, U places) {
  const U shifted = static_cast<U>(kLeft ? x << kPlaces : x >> kPlaces);
  return (places & kPlaces) != 0 ? shifted : x;
}

template <bool kLeft, typename U>
U ShiftBySteps(U x, U places) {
  if constexpr (sizeof(U) == 2) x = ShiftIf<kLeft, 8>(x, places);
  x = ShiftIf<kLeft, 4>(x, places);
  x = ShiftIf<kLeft, 2>(x, places);
  return ShiftIf<kLeft, 1>(x, places);
}

template <typename T>
struct LeftShift {
  T operator()(T x, T y) const {
    using U = std::make_unsigned_t<T>;
    if constexpr (sizeof(T) == 1) {
      const U places = static_cast<U>(PlacesOf(y));
      return static_cast<T>(ShiftBySteps<true>(static_cast<U>(x), places));
    } else {
      return static_cast<T>(static_cast<U>(x) << PlacesOf(y));
    }
  }
};

template <typename T>
struct RightShift {
  T operator()(T x, T y) const {
    if constexpr (sizeof(T) <= 2) {
      using U = std::make_unsigned_t<T>;
      const U places = static_cast<U>(PlacesOf(y));
      // For a negative number ones come in from the left: these are the zeros
      // of its inverse.
      const U sign = x < 0 ? static_cast<U>(-1) : U(0);
      const U positive = static_cast<U>(x) ^ sign;
      return static_cast<T>(ShiftBySteps<false>(positive, places) ^ sign);
    } else {
      return static_cast<T>(x >> PlacesOf(y));
    }
  }
};

// The number of bits that are set.
template <typename T>
struct PopulationCount {
  uint8_t operator()(T x) const {
    return static_cast<uint8_t>(
        std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  }
};

}  // namespace
}  // namespace functor

REGISTER_KERNEL_FOR_TYPES(Name("BitwiseAnd").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseAnd>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("BitwiseOr").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseOr>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("BitwiseXor").Device(DEVICE_CPU), "T",
                          Binary<functor::BitwiseXor>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("Invert").Device(DEVICE_CPU), "T",
                          Unary<functor::Invert>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("LeftShift").Device(DEVICE_CPU), "T",
                          Binary<functor::LeftShift>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("RightShift").Device(DEVICE_CPU), "T",
                          Binary<functor::RightShift>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("PopulationCount").Device(DEVICE_CPU), "T",
                          Unary<functor::PopulationCount>::Op, int8, int16,
                          int32, int64_t, uint8, uint16, uint32, uint64);

}  // namespace tensorwright
