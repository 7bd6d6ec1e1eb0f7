// SPDX-License-Identifier: Apache-2.0
// Integers in [0, n), each exactly as likely as the others.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_

#include <bit>
#include <cstdint>
#include <limits>

namespace tensorwright {
namespace random {

// `random` gives independent unsigned numbers of all of their bits; those that
// would favour some results are drawn again.
template <typename UintType, typename RandomBits>
UintType ExactUniformInt(UintType n, const RandomBits& random) {
  static_assert(std::numeric_limits<UintType>::is_integer &&
                !std::numeric_limits<UintType>::is_signed);
  if (n == 0) return static_cast<UintType>(random()) * n;
  if (std::has_single_bit(n)) return random() & (n - 1);
  // The largest multiple of n that fits, less one.
  const UintType max = std::numeric_limits<UintType>::max();
  const UintType last = static_cast<UintType>(max - (max % n + 1) % n);
  UintType bits = random();
  while (bits > last) bits = random();
  return bits % n;
}

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_
