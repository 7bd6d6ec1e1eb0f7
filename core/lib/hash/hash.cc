// SPDX-License-Identifier: Apache-2.0
// MurmurHash2, 32 bits, and MurmurHash64A.
#include "core/lib/hash/hash.h"

#include <cstring>

#include "core/lib/core/coding.h"

namespace tensorwright {

uint32_t Hash32(const char* data, size_t n, uint32_t seed) {
  constexpr uint32_t m = 0x5bd1e995;
  uint32_t h = seed ^ static_cast<uint32_t>(n);
  for (; n >= 4; data += 4, n -= 4) {
    uint32_t k = core::DecodeFixed32(data) * m;
    k = (k ^ (k >> 24)) * m;
    h = h * m ^ k;
  }
  if (n > 0) {
    for (size_t i = n; i-- > 0;) {
      h ^= static_cast<uint32_t>(static_cast<uint8_t>(data[i])) << (8 * i);
    }
    h *= m;
  }
  h = (h ^ (h >> 13)) * m;
  return h ^ (h >> 15);
}

uint64_t Hash64(const char* data, size_t n, uint64_t seed) {
  constexpr uint64_t m = 0xc6a4a7935bd1e995ULL;
  uint64_t h = seed ^ (n * m);
  for (; n >= 8; data += 8, n -= 8) {
    uint64_t k = core::DecodeFixed64(data) * m;
    k = (k ^ (k >> 47)) * m;
    h = (h ^ k) * m;
  }
  if (n > 0) {
    for (size_t i = n; i-- > 0;) {
      h ^= static_cast<uint64_t>(static_cast<uint8_t>(data[i])) << (8 * i);
    }
    h *= m;
  }
  h = (h ^ (h >> 47)) * m;
  return h ^ (h >> 47);
}

}  // namespace tensorwright
