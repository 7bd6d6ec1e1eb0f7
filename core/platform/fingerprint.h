// SPDX-License-Identifier: Apache-2.0
// Fingerprints: hashes that are the same everywhere and for ever.
#ifndef TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_
#define TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tensorwright {

// FarmHash's.
uint64_t Fingerprint64(absl::string_view s);
uint32_t Fingerprint32(absl::string_view s);

struct Fprint128 {
  uint64_t low64;
  uint64_t high64;
  bool operator==(const Fprint128& other) const {
    return low64 == other.low64 && high64 == other.high64;
  }
};
Fprint128 Fingerprint128(absl::string_view s);

// Of a pair.
inline uint64_t FingerprintCat64(uint64_t fp1, uint64_t fp2) {
  return fp1 ^ (fp2 + 0x9e3779b97f4a7c15 + (fp1 << 6) + (fp1 >> 2));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_
