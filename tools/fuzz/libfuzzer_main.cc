// SPDX-License-Identifier: Apache-2.0
// The driver of libFuzzer: TW_FUZZ_TARGET names the target (run.sh sets it).
//
// GCC compiles the code under test, which reports its place at each branch and
// comparison; libFuzzer counts a place as new when one of its extra counters
// is.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/fuzz/fuzz_targets.h"
#include "tools/fuzz/memory_meter.h"

namespace {

// Read by libFuzzer after each run.
constexpr size_t kCounters = 1 << 18;
__attribute__((section("__libfuzzer_extra_counters")))
uint8_t counters[kCounters];
// The previous place of this thread: the step from there counts.
thread_local uintptr_t last_place = 0;

const tensorwright::fuzz::Target& ChosenTarget() {
  const char* name = std::getenv("TW_FUZZ_TARGET");
  for (const auto& target : tensorwright::fuzz::Targets()) {
    if (name != nullptr && target.name == name) return target;
  }
  std::fprintf(stderr, "TW_FUZZ_TARGET must name one of:\n");
  for (const auto& target : tensorwright::fuzz::Targets()) {
    std::fprintf(stderr, "%s\n", target.name.c_str());
  }
  std::exit(2);
}

}  // namespace

extern "C" {

// -fsanitize-coverage=trace-pc calls it on each edge.
void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  uint8_t& counter = counters[((place >> 1) ^ last_place) % kCounters];
  if (counter < UINT8_MAX) ++counter;
  last_place = place;
}

// libFuzzer follows only comparisons of integers.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tensorwright::fuzz::Target& target = ChosenTarget();
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  last_place = 0;
  const std::string too_much = tensorwright::fuzz::RunMeasured(target, bytes);
  if (!too_much.empty()) {
    std::fprintf(stderr, "%s: %s\n", target.name.c_str(), too_much.c_str());
    std::abort();
  }
  return 0;
}

}  // extern "C"
