// SPDX-License-Identifier: Apache-2.0
// MurmurHash2 (Austin Appleby, public domain), the hash behind
// StringToHashBucket: stable values.
#ifndef TENSORWRIGHT_CORE_LIB_HASH_HASH_H_
#define TENSORWRIGHT_CORE_LIB_HASH_HASH_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tensorwright {

uint32_t Hash32(const char* data, size_t n, uint32_t seed);
uint64_t Hash64(const char* data, size_t n, uint64_t seed);

inline uint64_t Hash64(const char* data, size_t n) {
  return Hash64(data, n, 0xDECAFCAFFEULL);
}
inline uint64_t Hash64(absl::string_view s) {
  return Hash64(s.data(), s.size());
}

// Mixes two hashes; order matters.
inline uint64_t Hash64Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_HASH_HASH_H_
