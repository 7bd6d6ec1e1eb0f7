// SPDX-License-Identifier: Apache-2.0
// Sets how the CPU rounds, in this thread and for as long as the object lives.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_SETROUND_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_SETROUND_H_

#include <cfenv>

namespace tensorwright {
namespace port {

class ScopedSetRound {
 public:
  explicit ScopedSetRound(int mode) : before_(std::fegetround()) {
    std::fesetround(mode);
  }
  ~ScopedSetRound() { std::fesetround(before_); }
  ScopedSetRound(const ScopedSetRound&) = delete;

 private:
  const int before_;
};

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_SETROUND_H_
