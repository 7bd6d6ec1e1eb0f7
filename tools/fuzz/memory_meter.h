// SPDX-License-Identifier: Apache-2.0
// Measures how much memory a piece of code takes from malloc, on all threads.
//
// A program that links this has a malloc of its own, which counts and calls the
// C library's; under AddressSanitizer its hooks count.
#ifndef TENSORWRIGHT_TOOLS_FUZZ_MEMORY_METER_H_
#define TENSORWRIGHT_TOOLS_FUZZ_MEMORY_METER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {

class MemoryMeter {
 public:
  // Counts from here on.  Only one may exist at a time.
  MemoryMeter();

  // The most bytes, of those taken since, that were live together.
  int64_t live() const;
  // The largest piece.
  int64_t single() const;
};

// Runs the target on the bytes; returns "", or a text if it took more than it
// may.
std::string RunMeasured(const Target& target, absl::string_view bytes);

}  // namespace fuzz
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_FUZZ_MEMORY_METER_H_
