// SPDX-License-Identifier: Apache-2.0
// Logarithms to base 2.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITS_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITS_H_

#include <cstdint>

#include "absl/numeric/bits.h"

namespace tensorwright {

// The position of the highest bit; -1 for 0.
inline int Log2Floor(uint32_t n) { return absl::bit_width(n) - 1; }
inline int Log2Floor64(uint64_t n) { return absl::bit_width(n) - 1; }
// The logarithm rounded up; -1 for 0.
inline int Log2Ceiling(uint32_t n) {
  return n == 0 ? -1 : absl::bit_width(n - 1);
}
inline int Log2Ceiling64(uint64_t n) {
  return n == 0 ? -1 : absl::bit_width(n - 1);
}
inline uint32_t NextPowerOfTwo(uint32_t n) {
  return n == 0 ? 0 : absl::bit_ceil(n);
}
inline uint64_t NextPowerOfTwo64(uint64_t n) {
  return n == 0 ? 0 : absl::bit_ceil(n);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITS_H_
