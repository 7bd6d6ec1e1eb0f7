// SPDX-License-Identifier: Apache-2.0
// Integers in [0, n), each exactly as likely as the others.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_

#include <limits>

namespace tensorwright {
namespace random {

// `random` gives independent unsigned numbers whose bits are all random; the
// smallest ones, which would favour some results, are drawn again.  Returns 0
// for n == 0, which takes a number too.
template <typename UintType, typename RandomBits>
UintType ExactUniformInt(UintType n, const RandomBits& random) {
  static_assert(std::numeric_limits<UintType>::is_integer &&
                !std::numeric_limits<UintType>::is_signed);
  UintType bits = random();
  if (n == 0) return 0;
  if ((n & (n - 1)) == 0) return bits & (n - 1);
  // The number of values left when n of them are taken at a time.
  const UintType max = std::numeric_limits<UintType>::max();
  const UintType rejected = static_cast<UintType>(max % n + 1);
  while (bits < rejected) bits = random();
  return bits % n;
}

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_EXACT_UNIFORM_INT_H_
