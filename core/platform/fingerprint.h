// SPDX-License-Identifier: Apache-2.0
// Fingerprints: hashes that are the same everywhere and for ever.
#ifndef TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_
#define TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tensorwright {

// The hashes of FarmHash.
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

// The fingerprint of a pair: two rounds of MurmurHash64A's mixing (Appleby), as
// in TensorFlow, since crossed features depend on its values.
inline uint64_t FingerprintCat64(uint64_t fp1, uint64_t fp2) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t x) { return x ^ (x >> 47); };
  const uint64_t hash =
      (fp1 ^ kMultiplier ^ (mix(fp2 * kMultiplier) * kMultiplier)) *
      kMultiplier;
  return mix(mix(hash) * kMultiplier);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_FINGERPRINT_H_
