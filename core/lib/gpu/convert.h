// SPDX-License-Identifier: Apache-2.0
// Conversions between the types that kernels store and compute in, packs of
// elements that one access moves, and division by a constant of the launch.
// For kernels' device code.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_CONVERT_H_
#define TENSORWRIGHT_CORE_LIB_GPU_CONVERT_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/lib/gpu/floats.h"
#include "core/lib/gpu/language.h"

#if !defined(__CUDACC__)
#include "Eigen/Core"
#endif

namespace tensorwright {
namespace gpu {

// x in the type that it is computed in.
template <typename T>
__device__ __forceinline__ Compute<T> Widen(T x) {
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<T, Half>) {
    return __half2float(__ushort_as_half(x.bits));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return __bfloat162float(__ushort_as_bfloat16(x.bits));
  } else {
    return x;
  }
#else
  if constexpr (std::is_same_v<T, Half>) {
    return Eigen::half_impl::half_to_float(
        Eigen::half_impl::raw_uint16_to_half(x.bits));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    const uint32_t bits = uint32_t{x.bits} << 16;
    float result;
    std::memcpy(&result, &bits, sizeof(result));
    return result;
  } else {
    return x;
  }
#endif
}

// x rounded to T, to the nearest.
template <typename T, typename C>
__device__ __forceinline__ T Narrow(C x) {
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<T, Half>) {
    return Half{__half_as_ushort(__float2half_rn(x))};
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return Bfloat16{__bfloat16_as_ushort(__float2bfloat16_rn(x))};
  } else {
    return static_cast<T>(x);
  }
#else
  if constexpr (std::is_same_v<T, Half>) {
    return Half{Eigen::half_impl::float_to_half_rtne(x).x};
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return Bfloat16{
        Eigen::bfloat16_impl::float_to_bfloat16_rtne<false>(x).value};
  } else {
    return static_cast<T>(x);
  }
#endif
}

// kN elements that one access moves.
template <typename T, int kN>
struct alignas(sizeof(T) * kN) Pack {
  T values[kN];
};

// As many elements as make sixteen bytes.
template <typename T>
inline constexpr int kPack = 16 / static_cast<int>(sizeof(T));

template <typename T, int kN>
bool IsPackAligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % alignof(Pack<T, kN>) == 0;
}

// Divides by a constant of the launch: by a product, since a division of 32
// bits takes some twenty instructions.  For numbers below 2^31; see Granlund
// and Montgomery, "Division by Invariant Integers using Multiplication" (1994).
template <typename Index>
class Divider;
template <>
class Divider<uint32_t> {
 public:
  Divider() = default;
  // 0 < divisor < 2^31.
  explicit Divider(int64_t divisor) : divisor_(static_cast<uint32_t>(divisor)) {
    while ((uint64_t{1} << shift_) < divisor_) ++shift_;
    factor_ = static_cast<uint32_t>(
        (((uint64_t{1} << shift_) - divisor_) << 32) / divisor_ + 1);
  }

  __device__ __forceinline__ void Divide(uint32_t n, uint32_t* quotient,
                                         uint32_t* remainder) const {
    *quotient = (__umulhi(n, factor_) + n) >> shift_;
    *remainder = n - *quotient * divisor_;
  }

 private:
  uint32_t divisor_ = 1, factor_ = 1, shift_ = 0;
};

// Numbers of 64 bits are divided as they are.
template <>
class Divider<uint64_t> {
 public:
  Divider() = default;
  explicit Divider(int64_t divisor)
      : divisor_(static_cast<uint64_t>(divisor)) {}

  __device__ __forceinline__ void Divide(uint64_t n, uint64_t* quotient,
                                         uint64_t* remainder) const {
    *quotient = n / divisor_;
    *remainder = n - *quotient * divisor_;
  }

 private:
  uint64_t divisor_ = 1;
};

// Do indices of n elements fit the type that is divided fast?
inline bool FitsIndex32(int64_t n) { return n < (int64_t{1} << 31); }

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_CONVERT_H_
