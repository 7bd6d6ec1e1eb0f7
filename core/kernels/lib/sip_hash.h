// SPDX-License-Identifier: Apache-2.0
// SipHash: the keyed hash of strings behind strong hash buckets.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_SIP_HASH_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_SIP_HASH_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace tensorwright {

// SipHash-2-4 (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012).
class SipHash {
 public:
  SipHash(uint64_t k0, uint64_t k1)
      : v0_(k0 ^ 0x736f6d6570736575),
        v1_(k1 ^ 0x646f72616e646f6d),
        v2_(k0 ^ 0x6c7967656e657261),
        v3_(k1 ^ 0x7465646279746573) {}

  uint64_t operator()(absl::string_view s) const {
    static_assert(std::endian::native == std::endian::little);
    SipHash state = *this;
    const size_t whole = s.size() / 8 * 8;
    uint64_t word;
    for (size_t i = 0; i < whole; i += 8) {
      std::memcpy(&word, s.data() + i, 8);
      state.Compress(word);
    }
    // The rest, with the length in the last byte.
    word = 0;
    std::memcpy(&word, s.data() + whole, s.size() - whole);
    state.Compress(word | static_cast<uint64_t>(s.size()) << 56);
    state.v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) state.Round();
    return state.v0_ ^ state.v1_ ^ state.v2_ ^ state.v3_;
  }

 private:
  void Compress(uint64_t word) {
    v3_ ^= word;
    Round();
    Round();
    v0_ ^= word;
  }
  void Round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_SIP_HASH_H_
