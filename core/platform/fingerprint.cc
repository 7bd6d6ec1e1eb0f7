// SPDX-License-Identifier: Apache-2.0
// Fingerprints by FarmHash.
#include "core/platform/fingerprint.h"

#include "farmhash.h"

namespace tensorwright {

uint64_t Fingerprint64(absl::string_view s) {
  return ::util::Fingerprint64(s.data(), s.size());
}

uint32_t Fingerprint32(absl::string_view s) {
  return ::util::Fingerprint32(s.data(), s.size());
}

Fprint128 Fingerprint128(absl::string_view s) {
  const auto f = ::util::Fingerprint128(s.data(), s.size());
  return {::util::Uint128Low64(f), ::util::Uint128High64(f)};
}

}  // namespace tensorwright
