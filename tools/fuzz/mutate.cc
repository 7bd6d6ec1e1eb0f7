// SPDX-License-Identifier: Apache-2.0
#include "tools/fuzz/mutate.h"

#include <algorithm>
#include <cstring>

namespace tensorwright {
namespace fuzz {

// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014.
uint64_t Mutator::Random() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

size_t Mutator::Below(size_t n) { return n == 0 ? 0 : Random() % n; }

std::string Mutator::Next() {
  std::string bytes = corpus_[Below(corpus_.size())];
  constexpr size_t kMostChanges = 8;
  for (size_t i = Below(kMostChanges) + 1; i > 0; --i) Change(&bytes);
  return bytes;
}

void Mutator::Change(std::string* bytes) {
  constexpr uint64_t kOdd[] = {0,
                               1,
                               0x7f,
                               0x80,
                               0xff,
                               0x7fff,
                               0xffff,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               0xffffffffffffffff};
  constexpr size_t kLongestPiece = 64;
  const size_t n = bytes->size();
  const size_t at = Below(n);
  const size_t length = std::min(n - at, Below(kLongestPiece) + 1);
  enum { kByte, kBit, kNumber, kRemove, kRepeat, kSplice, kCut, kKinds };
  switch (Below(kKinds)) {
    case kByte:
      if (n > 0) (*bytes)[at] = static_cast<char>(Random());
      break;
    case kBit:
      if (n > 0) (*bytes)[at] ^= static_cast<char>(1 << Below(8));
      break;
    case kNumber: {
      const uint64_t odd = kOdd[Below(std::size(kOdd))];
      const size_t size = std::min(n - at, size_t{1} << Below(4));
      std::memcpy(bytes->data() + at, &odd, size);
      break;
    }
    case kRemove:
      bytes->erase(at, length);
      break;
    case kRepeat:
      bytes->insert(at, bytes->substr(at, length));
      break;
    case kSplice: {
      const std::string& other = corpus_[Below(corpus_.size())];
      bytes->insert(at, other.substr(Below(other.size()), length));
      break;
    }
    case kCut:
      // Seldom, since little is left to read.
      if (Below(4) == 0) bytes->resize(at);
      break;
  }
}

}  // namespace fuzz
}  // namespace tensorwright
