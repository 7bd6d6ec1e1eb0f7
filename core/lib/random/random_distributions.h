// SPDX-License-Identifier: Apache-2.0
// Uniform, normal and truncated normal numbers from a generator's bits, value
// for value TensorFlow's.
#ifndef TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_
#define TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "Eigen/Core"
#include "core/lib/random/philox_random.h"

// A distribution is called with a generator and returns an array of
// kResultElementCount values for one call of the generator; where
// kVariableSamplesPerOutput is true it draws as often as it needs to.
// kElementCost is CPU cycles an element, about.

namespace tensorwright {
namespace random {

namespace internal {

// The bits of a float in [1, 2), less one: the mantissa is random, so 2^-23
// apart, 0 included.
PHILOX_DEVICE_INLINE float BitsToFloat(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

}  // namespace internal

// In [0, 1), multiples of 2^-10.
PHILOX_DEVICE_INLINE Eigen::half Uint16ToHalf(uint16_t x) {
  const uint16_t bits = static_cast<uint16_t>((15 << 10) | (x & 0x3ff));
  return Eigen::numext::bit_cast<Eigen::half>(bits) - Eigen::half(1.0f);
}
// In [0, 1), multiples of 2^-7.
PHILOX_DEVICE_INLINE Eigen::bfloat16 Uint16ToGfloat16(uint16_t x) {
  const uint16_t bits = static_cast<uint16_t>((127 << 7) | (x & 0x7f));
  return Eigen::numext::bit_cast<Eigen::bfloat16>(bits) - Eigen::bfloat16(1.0f);
}
// In [0, 1), multiples of 2^-23.
PHILOX_DEVICE_INLINE float Uint32ToFloat(uint32_t x) {
  return internal::BitsToFloat((127u << 23) | (x & 0x7fffffu)) - 1.0f;
}
// In [0, 1), multiples of 2^-52.
PHILOX_DEVICE_INLINE double Uint64ToDouble(uint32_t x0, uint32_t x1) {
  const uint64_t bits =
      (uint64_t{1023} << 52) | (uint64_t{x0 & 0xfffffu} << 32) | x1;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d - 1.0;
}

// Two uniform numbers become two normal ones, mean 0 and deviation 1.
PHILOX_DEVICE_INLINE void BoxMullerFloat(uint32_t x0, uint32_t x1, float* f0,
                                         float* f1) {
  constexpr float kEpsilon = 1.0e-7f;  // The logarithm of 0 would be infinite.
  float u1 = Uint32ToFloat(x0);
  if (u1 < kEpsilon) u1 = kEpsilon;
  // In double, rounded once: near a multiple of pi the sine keeps every digit
  // of its argument.
  const float v1 = static_cast<float>(2 * M_PI * Uint32ToFloat(x1));
  const float u2 = std::sqrt(-2.0f * std::log(u1));
  *f0 = std::sin(v1) * u2;
  *f1 = std::cos(v1) * u2;
}
PHILOX_DEVICE_INLINE void BoxMullerDouble(uint32_t x0, uint32_t x1, uint32_t x2,
                                          uint32_t x3, double* d0, double* d1) {
  constexpr double kEpsilon = 1.0e-7;
  double u1 = Uint64ToDouble(x0, x1);
  if (u1 < kEpsilon) u1 = kEpsilon;
  const double v1 = 2 * M_PI * Uint64ToDouble(x2, x3);
  const double u2 = std::sqrt(-2.0 * std::log(u1));
  *d0 = std::sin(v1) * u2;
  *d1 = std::cos(v1) * u2;
}

// Gives a generator's numbers one at a time.
template <typename Generator>
class SingleSampleAdapter {
 public:
  static constexpr int kResultElementCount = 1;
  static constexpr int kNativeElementCount = Generator::kResultElementCount;
  using ResultType = typename Generator::ResultElementType;
  using ResultElementType = typename Generator::ResultElementType;

  PHILOX_DEVICE_INLINE explicit SingleSampleAdapter(Generator* generator)
      : generator_(generator), used_(kNativeElementCount) {}

  PHILOX_DEVICE_INLINE ResultType operator()() {
    if (used_ == kNativeElementCount) {
      unused_ = (*generator_)();
      used_ = 0;
    }
    return unused_[used_++];
  }
  PHILOX_DEVICE_INLINE void Skip(uint64_t n) {
    while (n > 0 && used_ < kNativeElementCount) {
      ++used_;
      --n;
    }
    generator_->Skip(n / kNativeElementCount);
    n %= kNativeElementCount;
    if (n > 0) {
      unused_ = (*generator_)();
      used_ = static_cast<int>(n);
    }
  }

 private:
  Generator* generator_;
  typename Generator::ResultType unused_;
  int used_;
};

// ---- Uniform ----------------------------------------------------------------

template <typename Generator, typename RealType>
class UniformDistribution;

namespace internal {

// 16- and 32-bit floats: one value for each of the generator's numbers.
template <typename Generator, typename T, T (*Convert)(uint32_t)>
class UniformReal {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<T, kResultElementCount>;
  using ResultElementType = T;

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; ++i)
      result[i] = Convert(sample[i]);
    return result;
  }
};

PHILOX_DEVICE_INLINE Eigen::half UniformHalf(uint32_t x) {
  return Uint16ToHalf(static_cast<uint16_t>(x));
}
PHILOX_DEVICE_INLINE Eigen::bfloat16 UniformBFloat16(uint32_t x) {
  return Uint16ToGfloat16(static_cast<uint16_t>(x));
}

}  // namespace internal

template <typename Generator>
class UniformDistribution<Generator, Eigen::half>
    : public internal::UniformReal<Generator, Eigen::half,
                                   internal::UniformHalf> {};
template <typename Generator>
class UniformDistribution<Generator, Eigen::bfloat16>
    : public internal::UniformReal<Generator, Eigen::bfloat16,
                                   internal::UniformBFloat16> {};
template <typename Generator>
class UniformDistribution<Generator, float>
    : public internal::UniformReal<Generator, float, Uint32ToFloat> {};

template <typename Generator>
class UniformDistribution<Generator, double> {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / 2;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<double, kResultElementCount>;
  using ResultElementType = double;

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; ++i) {
      result[i] = Uint64ToDouble(sample[2 * i], sample[2 * i + 1]);
    }
    return result;
  }
};

// Integers in [lo, hi), lo < hi.  Taken modulo, so very slightly biased unless
// hi - lo is a power of two.
template <typename Generator>
class UniformDistribution<Generator, int32_t> {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<int32_t, kResultElementCount>;
  using ResultElementType = int32_t;

  PHILOX_DEVICE_INLINE UniformDistribution(int32_t lo, int32_t hi)
      : lo_(lo),
        range_(static_cast<uint32_t>(hi) - static_cast<uint32_t>(lo)) {}

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; ++i) {
      result[i] =
          static_cast<int32_t>(static_cast<uint32_t>(lo_) + sample[i] % range_);
    }
    return result;
  }

 private:
  int32_t lo_;
  uint32_t range_;
};

template <typename Generator>
class UniformDistribution<Generator, int64_t> {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / 2;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<int64_t, kResultElementCount>;
  using ResultElementType = int64_t;

  PHILOX_DEVICE_INLINE UniformDistribution(int64_t lo, int64_t hi)
      : lo_(lo),
        range_(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo)) {}

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; ++i) {
      const uint64_t bits = sample[2 * i] | uint64_t{sample[2 * i + 1]} << 32;
      result[i] =
          static_cast<int64_t>(static_cast<uint64_t>(lo_) + bits % range_);
    }
    return result;
  }

 private:
  int64_t lo_;
  uint64_t range_;
};

// ---- Normal: mean 0, deviation 1 --------------------------------------------

template <typename Generator, typename RealType>
class NormalDistribution {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount;
  static constexpr int kElementCost = 70;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<RealType, kResultElementCount>;
  using ResultElementType = RealType;

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; i += 2) {
      float f[2];
      BoxMullerFloat(sample[i], sample[i + 1], &f[0], &f[1]);
      result[i] = RealType(f[0]);
      result[i + 1] = RealType(f[1]);
    }
    return result;
  }
};

template <typename Generator>
class NormalDistribution<Generator, double> {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / 2;
  static constexpr int kElementCost = 70;
  static constexpr bool kVariableSamplesPerOutput = false;
  using ResultType = Array<double, kResultElementCount>;
  using ResultElementType = double;

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* gen) {
    const typename Generator::ResultType sample = (*gen)();
    ResultType result;
    for (int i = 0; i < kResultElementCount; i += 2) {
      const int j = 2 * i;
      BoxMullerDouble(sample[j], sample[j + 1], sample[j + 2], sample[j + 3],
                      &result[i], &result[i + 1]);
    }
    return result;
  }
};

// ---- Normal within two deviations -------------------------------------------

// Draws anew what falls outside, so it takes a SingleSampleAdapter.
template <typename SingleSampleGenerator, typename RealType>
class TruncatedNormalDistribution {
 public:
  static constexpr int kResultElementCount =
      SingleSampleGenerator::kNativeElementCount;
  static constexpr int kElementCost = 90;
  static constexpr bool kVariableSamplesPerOutput = true;
  static constexpr float kTruncateValue = 2.0f;
  using ResultType = Array<RealType, kResultElementCount>;
  using ResultElementType = RealType;

  PHILOX_DEVICE_INLINE ResultType operator()(SingleSampleGenerator* gen) {
    ResultType result;
    int n = 0;
    while (true) {
      const uint32_t x0 = (*gen)();
      const uint32_t x1 = (*gen)();
      float f[2];
      BoxMullerFloat(x0, x1, &f[0], &f[1]);
      for (int i = 0; i < 2; ++i) {
        if (std::abs(f[i]) >= kTruncateValue) continue;
        result[n++] = RealType(f[i]);
        if (n >= kResultElementCount) return result;
      }
    }
  }
};

template <typename SingleSampleGenerator>
class TruncatedNormalDistribution<SingleSampleGenerator, double> {
 public:
  static constexpr int kResultElementCount =
      SingleSampleGenerator::kNativeElementCount > 1
          ? SingleSampleGenerator::kNativeElementCount / 2
          : 1;
  static constexpr int kElementCost = 90;
  static constexpr bool kVariableSamplesPerOutput = true;
  static constexpr double kTruncateValue = 2.0;
  using ResultType = Array<double, kResultElementCount>;
  using ResultElementType = double;

  PHILOX_DEVICE_INLINE ResultType operator()(SingleSampleGenerator* gen) {
    ResultType result;
    int n = 0;
    while (true) {
      const uint32_t x0 = (*gen)();
      const uint32_t x1 = (*gen)();
      const uint32_t x2 = (*gen)();
      const uint32_t x3 = (*gen)();
      double d[2];
      BoxMullerDouble(x0, x1, x2, x3, &d[0], &d[1]);
      for (int i = 0; i < 2; ++i) {
        if (std::abs(d[i]) >= kTruncateValue) continue;
        result[n++] = d[i];
        if (n >= kResultElementCount) return result;
      }
    }
  }
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_
