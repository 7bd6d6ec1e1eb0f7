// SPDX-License-Identifier: Apache-2.0
// CRC-32 with Castagnoli's polynomial, masked as record and checkpoint files
// store it.  No state: any thread.
#ifndef TENSORWRIGHT_CORE_LIB_HASH_CRC32C_H_
#define TENSORWRIGHT_CORE_LIB_HASH_CRC32C_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace crc32c {

// The CRC of A followed by data[0, n), where `init_crc` is the CRC of A.  About
// as fast as memory can be read.
uint32_t Extend(uint32_t init_crc, const char* data, size_t n);

inline uint32_t Value(const char* data, size_t n) { return Extend(0, data, n); }
inline uint32_t Value(absl::string_view s) { return Value(s.data(), s.size()); }

// The CRC of A followed by B, from the two CRCs and the length of B: several
// threads may sum parts of a file.
uint32_t Concat(uint32_t crc_a, uint32_t crc_b, uint64_t length_b);

// A CRC among the bytes that another CRC covers would make a weak check, so it
// is stored rotated and with this added.
inline constexpr uint32_t kMaskDelta = 0xa282ead8ul;
inline uint32_t Mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}
inline uint32_t Unmask(uint32_t masked_crc) {
  const uint32_t rotated = masked_crc - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace crc32c
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_HASH_CRC32C_H_
