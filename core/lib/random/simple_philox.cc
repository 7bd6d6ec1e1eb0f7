// SPDX-License-Identifier: Apache-2.0
// Unbiased integers from SimplePhilox.
#include "core/lib/random/simple_philox.h"

namespace tensorwright {
namespace random {
namespace {

// Rejects the numbers below 2^bits mod n, so that every remainder is equally
// likely.  n == 0 takes a number too, as in TensorFlow.
template <typename U, typename Next>
U ExactUniform(U n, const Next& next) {
  U x = next();
  if (n == 0) return 0;
  if ((n & (n - 1)) == 0) return x & (n - 1);
  const U rejected = static_cast<U>(-n) % n;
  while (x < rejected) x = next();
  return x % n;
}

}  // namespace

uint32_t SimplePhilox::Uniform(uint32_t n) {
  return ExactUniform<uint32_t>(n, [this] { return Rand32(); });
}

uint64_t SimplePhilox::Uniform64(uint64_t n) {
  return ExactUniform<uint64_t>(n, [this] { return Rand64(); });
}

uint32_t SimplePhilox::Skewed(int max_log) {
  const int shift = static_cast<int>(Rand32() % (max_log + 1));
  const uint32_t mask = shift == 32 ? ~0u : (1u << shift) - 1;
  return Rand32() & mask;
}

}  // namespace random
}  // namespace tensorwright
