// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels on the bits of integers.

#include <algorithm>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"

namespace tensorwright {
namespace functor {
namespace {

// C++ leaves shifts by less than 0 places, or by all, undefined.
template <typename T>
int PlacesOf(T y) {
  constexpr T kMost = 8 * sizeof(T) - 1;
  return static_cast<int>(std::clamp<T>(y, 0, kMost));
}

template <typename T>
struct LeftShift {
  T operator()(T x, T y) const {
    return static_cast<T>(std::make_unsigned_t<T>(x) << PlacesOf(y));
  }
};

template <typename T>
struct RightShift {
  T operator()(T x, T y) const { return static_cast<T>(x >> PlacesOf(y)); }
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

}  // namespace tensorwright
