// SPDX-License-Identifier: Apache-2.0
// Sets how the CPU treats numbers below the smallest normal one, in this
// thread.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_DENORMAL_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_DENORMAL_H_

#include <immintrin.h>

namespace tensorwright {
namespace port {

class DenormalState {
 public:
  DenormalState(bool flush_to_zero, bool denormals_are_zero)
      : flush_to_zero_(flush_to_zero),
        denormals_are_zero_(denormals_are_zero) {}
  bool flush_to_zero() const { return flush_to_zero_; }
  bool denormals_are_zero() const { return denormals_are_zero_; }
  bool operator==(const DenormalState& other) const {
    return flush_to_zero_ == other.flush_to_zero_ &&
           denormals_are_zero_ == other.denormals_are_zero_;
  }

 private:
  bool flush_to_zero_, denormals_are_zero_;
};

inline DenormalState GetDenormalState() {
  return DenormalState((_mm_getcsr() & 0x8000) != 0,
                       (_mm_getcsr() & 0x0040) != 0);
}
inline bool SetDenormalState(const DenormalState& state) {
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | (state.flush_to_zero() ? 0x8000u : 0) |
             (state.denormals_are_zero() ? 0x0040u : 0));
  return true;
}

// Restores the state when it goes out of scope.
class ScopedRestoreFlushDenormalState {
 public:
  ScopedRestoreFlushDenormalState() : before_(GetDenormalState()) {}
  ~ScopedRestoreFlushDenormalState() { SetDenormalState(before_); }
  ScopedRestoreFlushDenormalState(const ScopedRestoreFlushDenormalState&) =
      delete;

 private:
  const DenormalState before_;
};
class ScopedFlushDenormal : ScopedRestoreFlushDenormalState {
 public:
  ScopedFlushDenormal() { SetDenormalState(DenormalState(true, true)); }
};
class ScopedDontFlushDenormal : ScopedRestoreFlushDenormalState {
 public:
  ScopedDontFlushDenormal() { SetDenormalState(DenormalState(false, false)); }
};

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_DENORMAL_H_
