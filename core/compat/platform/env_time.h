// SPDX-License-Identifier: Apache-2.0
// Time since 1970, under the name of a class.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_TIME_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_TIME_H_

#include <cstdint>

#include "core/platform/env.h"

namespace tensorwright {

class EnvTime {
 public:
  static constexpr uint64_t kMicrosToNanos = 1000;
  static constexpr uint64_t kMillisToMicros = 1000;
  static constexpr uint64_t kMillisToNanos = 1000 * 1000;
  static constexpr uint64_t kSecondsToMillis = 1000;
  static constexpr uint64_t kSecondsToMicros = 1000 * 1000;
  static constexpr uint64_t kSecondsToNanos = 1000 * 1000 * 1000;

  // TensorFlow 1.x asks an object for the time.
  static EnvTime* Default() {
    static EnvTime time;
    return &time;
  }
  static uint64_t NowNanos() { return Env::Default()->NowNanos(); }
  static uint64_t NowMicros() { return NowNanos() / kMicrosToNanos; }
  static uint64_t NowSeconds() { return NowNanos() / kSecondsToNanos; }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_TIME_H_
