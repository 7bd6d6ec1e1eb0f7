// SPDX-License-Identifier: Apache-2.0
// Uniform, normal and truncated normal numbers from a generator's bits, value
// for value TensorFlow's.
#ifndef TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_
#define TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "Eigen/Core"
#include "core/lib/random/philox_random.h"

// A distribution is called with a generator and returns an array of
// kResultElementCount values for one call of the generator; if
// kVariableSamplesPerOutput is true it draws as often as it needs to.
// kElementCost is about the CPU cycles for an element.

namespace tensorwright {
namespace random {

// ---- Numbers in [0, 1) from random bits
// ---------------------------------------
//
// The bits become the mantissa of a number in [1, 2), from which 1 is
// subtracted.

// Multiples of 2^-10.
PHILOX_DEVICE_INLINE Eigen::half Uint16ToHalf(uint16_t x) {
  const uint16_t bits = static_cast<uint16_t>((15 << 10) | (x & 0x3ff));
  return Eigen::numext::bit_cast<Eigen::half>(bits) - Eigen::half(1.0f);
}
// Multiples of 2^-7.
PHILOX_DEVICE_INLINE Eigen::bfloat16 Uint16ToGfloat16(uint16_t x) {
  const uint16_t bits = static_cast<uint16_t>((127 << 7) | (x & 0x7f));
  return Eigen::numext::bit_cast<Eigen::bfloat16>(bits) - Eigen::bfloat16(1.0f);
}
// Multiples of 2^-23.
PHILOX_DEVICE_INLINE float Uint32ToFloat(uint32_t x) {
  return Eigen::numext::bit_cast<float>(0x3f800000u | (x & 0x7fffffu)) - 1.0f;
}
// Multiples of 2^-52; `high` gives the upper 20 bits.
PHILOX_DEVICE_INLINE double Uint64ToDouble(uint32_t high, uint32_t low) {
  const uint64_t bits = uint64_t{0x3ff00000u | (high & 0xfffffu)} << 32 | low;
  return Eigen::numext::bit_cast<double>(bits) - 1.0;
}

namespace internal {

// The number of 32-bit words of the generator that a value takes.
template <typename T>
inline constexpr int kWords = sizeof(T) <= 4 ? 1 : 2;

PHILOX_DEVICE_INLINE void UnitFromWords(const uint32_t* w, Eigen::half* u) {
  *u = Uint16ToHalf(static_cast<uint16_t>(w[0]));
}
PHILOX_DEVICE_INLINE void UnitFromWords(const uint32_t* w, Eigen::bfloat16* u) {
  *u = Uint16ToGfloat16(static_cast<uint16_t>(w[0]));
}
PHILOX_DEVICE_INLINE void UnitFromWords(const uint32_t* w, float* u) {
  *u = Uint32ToFloat(w[0]);
}
PHILOX_DEVICE_INLINE void UnitFromWords(const uint32_t* w, double* u) {
  *u = Uint64ToDouble(w[0], w[1]);
}

PHILOX_DEVICE_INLINE void BitsFromWords(const uint32_t* w, uint32_t* bits) {
  *bits = w[0];
}
PHILOX_DEVICE_INLINE void BitsFromWords(const uint32_t* w, uint64_t* bits) {
  *bits = uint64_t{w[1]} << 32 | w[0];
}

// The constants that every distribution declares.
template <typename T, int count, int cycles, bool variable = false>
struct Distribution {
  static constexpr int kResultElementCount = count;
  static constexpr int kElementCost = cycles;
  static constexpr bool kVariableSamplesPerOutput = variable;
  using ResultElementType = T;
  using ResultType = Array<T, count>;
};

// Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958):
// two uniform numbers, of 2 * kWords<Real> words, become two normal ones.
template <typename Real>
PHILOX_DEVICE_INLINE void BoxMuller(const uint32_t* words, Real* pair) {
  Real u, turn;
  UnitFromWords(words, &u);
  UnitFromWords(words + kWords<Real>, &turn);
  // Keeps the radius below 5.7: the logarithm of 0 would be infinite.
  const Real radius = std::sqrt(-2 * std::log(std::max(u, Real(1.0e-7))));
  // Computes in double and rounds once: near a multiple of pi the sine keeps
  // every digit of its argument.
  const Real angle = static_cast<Real>(2 * M_PI * turn);
  pair[0] = radius * std::sin(angle);
  pair[1] = radius * std::cos(angle);
}

// The type in which normal numbers of T are computed.
template <typename T>
using NormalReal =
    std::conditional_t<std::is_same<T, double>::value, double, float>;

}  // namespace internal

PHILOX_DEVICE_INLINE void BoxMullerFloat(uint32_t x0, uint32_t x1, float* f0,
                                         float* f1) {
  const uint32_t words[] = {x0, x1};
  float pair[2];
  internal::BoxMuller(words, pair);
  *f0 = pair[0];
  *f1 = pair[1];
}
PHILOX_DEVICE_INLINE void BoxMullerDouble(uint32_t x0, uint32_t x1, uint32_t x2,
                                          uint32_t x3, double* d0, double* d1) {
  const uint32_t words[] = {x0, x1, x2, x3};
  double pair[2];
  internal::BoxMuller(words, pair);
  *d0 = pair[0];
  *d1 = pair[1];
}

// ---- Generators -------------------------------------------------------------

// Gives a generator's numbers one at a time.
template <typename Generator>
class SingleSampleAdapter {
 public:
  static constexpr int kResultElementCount = 1;
  static constexpr int kNativeElementCount = Generator::kResultElementCount;
  using ResultElementType = typename Generator::ResultElementType;
  using ResultType = ResultElementType;

  PHILOX_DEVICE_INLINE explicit SingleSampleAdapter(Generator* generator)
      : generator_(generator) {}

  PHILOX_DEVICE_INLINE ResultType operator()() {
    if (next_ == kNativeElementCount) Refill(0);
    return block_[next_++];
  }
  PHILOX_DEVICE_INLINE void Skip(uint64_t n) {
    const uint64_t left = kNativeElementCount - next_;
    if (n <= left) {
      next_ += static_cast<int>(n);
      return;
    }
    n -= left;
    generator_->Skip(n / kNativeElementCount);
    next_ = kNativeElementCount;
    if (const int rest = n % kNativeElementCount; rest != 0) Refill(rest);
  }

 private:
  PHILOX_DEVICE_INLINE void Refill(int next) {
    block_ = (*generator_)();
    next_ = next;
  }

  Generator* generator_;
  typename Generator::ResultType block_;
  // Position in block_; at first past its end.
  int next_ = kNativeElementCount;
};

// ---- Distributions ----------------------------------------------------------

namespace internal {

template <typename Generator, typename T>
class UniformReal
    : public Distribution<T, Generator::kResultElementCount / kWords<T>, 3> {
 public:
  PHILOX_DEVICE_INLINE auto operator()(Generator* gen) {
    const auto words = (*gen)();
    typename UniformReal::ResultType result;
    for (int i = 0; i < result.size(); ++i) {
      UnitFromWords(&words[kWords<T> * i], &result[i]);
    }
    return result;
  }
};

template <typename Generator, typename T>
class UniformInteger
    : public Distribution<T, Generator::kResultElementCount / kWords<T>, 3> {
 public:
  PHILOX_DEVICE_INLINE UniformInteger(T lo, T hi)
      : lo_(static_cast<Unsigned>(lo)),
        range_(static_cast<Unsigned>(hi) - static_cast<Unsigned>(lo)) {}

  PHILOX_DEVICE_INLINE auto operator()(Generator* gen) {
    const auto words = (*gen)();
    typename UniformInteger::ResultType result;
    for (int i = 0; i < result.size(); ++i) {
      Unsigned bits;
      BitsFromWords(&words[kWords<T> * i], &bits);
      result[i] = static_cast<T>(lo_ + bits % range_);
    }
    return result;
  }

 private:
  // hi - lo may be more than T's maximum, so the numbers are unsigned, which
  // wrap as needed.
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned lo_, range_;
};

}  // namespace internal

// half, bfloat16, float, double: in [0, 1). int32, int64:
// UniformDistribution(lo, hi), lo < hi, gives integers in [lo, hi), taken
// modulo, so they are very slightly biased unless hi - lo is a power of two.
template <typename Generator, typename T>
class UniformDistribution
    : public std::conditional_t<std::is_integral<T>::value,
                                internal::UniformInteger<Generator, T>,
                                internal::UniformReal<Generator, T>> {
  using Base = std::conditional_t<std::is_integral<T>::value,
                                  internal::UniformInteger<Generator, T>,
                                  internal::UniformReal<Generator, T>>;

 public:
  using Base::Base;
};

// Any integer of T, which has 32 or 64 bits.
template <typename Generator, typename T>
class UniformFullIntDistribution
    : public internal::Distribution<
          T, Generator::kResultElementCount / internal::kWords<T>, 3> {
 public:
  PHILOX_DEVICE_INLINE auto operator()(Generator* gen) {
    const auto words = (*gen)();
    typename UniformFullIntDistribution::ResultType result;
    for (int i = 0; i < result.size(); ++i) {
      std::make_unsigned_t<T> bits;
      internal::BitsFromWords(&words[internal::kWords<T> * i], &bits);
      result[i] = static_cast<T>(bits);
    }
    return result;
  }
};

// Mean 0, deviation 1.
template <typename Generator, typename T>
class NormalDistribution
    : public internal::Distribution<
          T, Generator::kResultElementCount / internal::kWords<T>, 70> {
 public:
  PHILOX_DEVICE_INLINE auto operator()(Generator* gen) {
    using Real = internal::NormalReal<T>;
    const auto words = (*gen)();
    typename NormalDistribution::ResultType result;
    for (int i = 0; i < result.size(); i += 2) {
      Real pair[2];
      internal::BoxMuller(&words[internal::kWords<Real> * i], pair);
      result[i] = static_cast<T>(pair[0]);
      result[i + 1] = static_cast<T>(pair[1]);
    }
    return result;
  }
};

// Mean 0, deviation 1, and less than 2 from 0: other numbers are drawn anew,
// which takes a SingleSampleAdapter.
template <typename SingleSampleGenerator, typename T>
class TruncatedNormalDistribution
    : public internal::Distribution<
          T, SingleSampleGenerator::kNativeElementCount / internal::kWords<T>,
          90, /*variable=*/true> {
 public:
  static constexpr internal::NormalReal<T> kTruncateValue = 2;

  PHILOX_DEVICE_INLINE auto operator()(SingleSampleGenerator* gen) {
    using Real = internal::NormalReal<T>;
    typename TruncatedNormalDistribution::ResultType result;
    for (int found = 0;;) {
      uint32_t words[2 * internal::kWords<Real>];
      for (uint32_t& word : words) word = (*gen)();
      Real pair[2];
      internal::BoxMuller(words, pair);
      for (const Real value : pair) {
        if (std::abs(value) >= kTruncateValue) continue;
        result[found++] = static_cast<T>(value);
        if (found == result.size()) return result;
      }
    }
  }
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_
