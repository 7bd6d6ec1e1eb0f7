// SPDX-License-Identifier: Apache-2.0
// SimplePhilox: numbers one at a time from a PhiloxRandom, for code that is not
// a kernel's inner loop.
#ifndef TENSORWRIGHT_CORE_LIB_RANDOM_SIMPLE_PHILOX_H_
#define TENSORWRIGHT_CORE_LIB_RANDOM_SIMPLE_PHILOX_H_

#include <cstdint>

#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"

namespace tensorwright {
namespace random {

// Not thread-safe; `gen` must outlive it.
class SimplePhilox {
 public:
  explicit SimplePhilox(PhiloxRandom* gen) : single_(gen) {}

  uint32_t Rand32() { return single_(); }
  uint64_t Rand64() {
    const uint32_t lo = single_(), hi = single_();
    return lo | static_cast<uint64_t>(hi) << 32;
  }
  // In [0, 1).
  float RandFloat() { return Uint32ToFloat(single_()); }
  double RandDouble() {
    const uint32_t x0 = single_(), x1 = single_();
    return Uint64ToDouble(x0, x1);
  }
  // In [0, n), each equally likely; 0 for n == 0.
  uint32_t Uniform(uint32_t n);
  uint64_t Uniform64(uint64_t n);
  // True once in n times, on average.
  bool OneIn(uint32_t n) { return Uniform(n) == 0; }
  // In [0, 2^max_log - 1], small numbers more often: uniform on 2^k with k
  // uniform in [0, max_log].
  uint32_t Skewed(int max_log);

 private:
  SingleSampleAdapter<PhiloxRandom> single_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_RANDOM_SIMPLE_PHILOX_H_
