// SPDX-License-Identifier: Apache-2.0
// An array of bits.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITMAP_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITMAP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/numeric/bits.h"

namespace tensorwright {
namespace core {

class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(size_t n) { Reset(n); }

  size_t bits() const { return bits_; }
  // n bits, all 0.
  void Reset(size_t n) {
    bits_ = n;
    words_.assign((n + kBits - 1) / kBits, 0);
  }
  bool get(size_t i) const { return (words_[i / kBits] >> (i % kBits)) & 1; }
  void set(size_t i) { words_[i / kBits] |= uint64_t{1} << (i % kBits); }
  void clear(size_t i) { words_[i / kBits] &= ~(uint64_t{1} << (i % kBits)); }
  // The first bit from `start` on that is 0; bits() if none is.
  size_t FirstUnset(size_t start) const {
    for (size_t i = start; i < bits_;) {
      const uint64_t zeros = ~words_[i / kBits] >> (i % kBits);
      if (zeros != 0) {
        const size_t found = i + static_cast<size_t>(absl::countr_zero(zeros));
        return found < bits_ ? found : bits_;
      }
      i = (i / kBits + 1) * kBits;
    }
    return bits_;
  }
  std::string ToString() const {
    std::string text(bits_, '0');
    for (size_t i = 0; i < bits_; ++i) {
      if (get(i)) text[i] = '1';
    }
    return text;
  }

 private:
  static constexpr size_t kBits = 64;

  size_t bits_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace core
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BITMAP_H_
