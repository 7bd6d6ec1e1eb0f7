// SPDX-License-Identifier: Apache-2.0
// The same as tracing.h, by the names of later sources.
#ifndef TENSORWRIGHT_CORE_COMPAT_PROFILER_LIB_TRACEME_H_
#define TENSORWRIGHT_CORE_COMPAT_PROFILER_LIB_TRACEME_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tensorwright {
namespace profiler {

enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };

struct TraceMeArg {
  TraceMeArg(absl::string_view, const absl::AlphaNum&) {}
};
// The text that names a span.
inline std::string TraceMeEncode(absl::string_view name,
                                 std::initializer_list<TraceMeArg>) {
  return std::string(name);
}

class TraceMe {
 public:
  explicit TraceMe(absl::string_view, int = kCritical) {}
  template <typename NameGenerator,
            typename = decltype(std::string(std::declval<NameGenerator>()()))>
  explicit TraceMe(NameGenerator&&, int = kCritical) {}
  void Stop() {}
  static bool Active(int = kCritical) { return false; }
};

}  // namespace profiler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PROFILER_LIB_TRACEME_H_
