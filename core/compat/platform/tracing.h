// SPDX-License-Identifier: Apache-2.0
// Marks of a span of time for profilers.  The runtime's own statistics time
// whole kernels (tf.RunMetadata); `perf` shows the inside of one.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_TRACING_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_TRACING_H_

#include <utility>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace port {
class Tracing {
 public:
  class ScopedAnnotation {
   public:
    explicit ScopedAnnotation(absl::string_view) {}
    ScopedAnnotation(absl::string_view, absl::string_view) {}
  };
};
}  // namespace port
namespace tracing {
class ScopedActivity {
 public:
  explicit ScopedActivity(absl::string_view, bool = true) {}
  ScopedActivity(absl::string_view, absl::string_view, bool = true) {}
};
class ScopedAnnotation {
 public:
  explicit ScopedAnnotation(absl::string_view) {}
  ScopedAnnotation(absl::string_view, absl::string_view) {}
};
}  // namespace tracing
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_TRACING_H_
