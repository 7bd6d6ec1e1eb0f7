// SPDX-License-Identifier: Apache-2.0
// A simple mutator for tests that run without libFuzzer.
#ifndef TENSORWRIGHT_TOOLS_FUZZ_MUTATE_H_
#define TENSORWRIGHT_TOOLS_FUZZ_MUTATE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tensorwright {
namespace fuzz {

// The same inputs on every machine for the same seed.
class Mutator {
 public:
  // `corpus` outlives it and is not empty.
  Mutator(const std::vector<std::string>* corpus, uint64_t seed)
      : corpus_(*corpus), state_(seed) {}

  // An input of the corpus with one to eight changes: bytes and bits flipped,
  // odd numbers written, pieces removed, repeated, or taken from another one.
  std::string Next();

 private:
  uint64_t Random();       // Any number.
  size_t Below(size_t n);  // In [0, n), 0 for n = 0.
  void Change(std::string* bytes);

  const std::vector<std::string>& corpus_;
  uint64_t state_;
};

}  // namespace fuzz
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_FUZZ_MUTATE_H_
