// SPDX-License-Identifier: Apache-2.0
// Tells ThreadSanitizer of abseil's locks, which no sanitizer sees: abseil is
// compiled without one, and has no lock of pthreads in it.  sanitizers.py
// compiles this into the library of an op, and has the linker wrap the
// functions (--wrap) that ABSEIL, the mangled name of abseil's namespace,
// stands in.
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

#define REAL(name) __asm__("__real_" name)
#define WRAP(name) __asm__("__wrap_" name)

#define LOCK(member, id)                                  \
  void Real##id(void* lock) REAL("_ZN" ABSEIL member);    \
  void Wrapped##id(void* lock) WRAP("_ZN" ABSEIL member); \
  void Wrapped##id(void* lock) {                          \
    Real##id(lock);                                       \
    __tsan_acquire(lock);                                 \
  }
#define UNLOCK(member, id)                                \
  void Real##id(void* lock) REAL("_ZN" ABSEIL member);    \
  void Wrapped##id(void* lock) WRAP("_ZN" ABSEIL member); \
  void Wrapped##id(void* lock) {                          \
    __tsan_release(lock);                                 \
    Real##id(lock);                                       \
  }
#define TRY_LOCK(member, id)                              \
  bool Real##id(void* lock) REAL("_ZN" ABSEIL member);    \
  bool Wrapped##id(void* lock) WRAP("_ZN" ABSEIL member); \
  bool Wrapped##id(void* lock) {                          \
    const bool taken = Real##id(lock);                    \
    if (taken) __tsan_acquire(lock);                      \
    return taken;                                         \
  }
// A function that gives up its lock for some time.
#define WAIT(member, id, result, given_up, parameters, ...) \
  result Real##id parameters REAL("_ZN" ABSEIL member);     \
  result Wrapped##id parameters WRAP("_ZN" ABSEIL member);  \
  result Wrapped##id parameters {                           \
    struct Reacquired {                                     \
      void* const lock;                                     \
      ~Reacquired() { __tsan_acquire(lock); }               \
    } const at_end{given_up};                               \
    __tsan_release(given_up);                               \
    return Real##id(__VA_ARGS__);                           \
  }

LOCK("5Mutex4LockEv", Lock)
LOCK("5Mutex10ReaderLockEv", ReaderLock)
UNLOCK("5Mutex6UnlockEv", Unlock)
UNLOCK("5Mutex12ReaderUnlockEv", ReaderUnlock)
TRY_LOCK("5Mutex7TryLockEv", TryLock)
TRY_LOCK("5Mutex13ReaderTryLockEv", ReaderTryLock)
WAIT("5Mutex5AwaitERKNS0_9ConditionE", Await, void, lock,
     (void* lock, const absl::Condition& c), lock, c)
WAIT("7CondVar4WaitEPNS0_5MutexE", CondVarWait, void, lock,
     (void* variable, void* lock), variable, lock)
WAIT("7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE", CondVarTimeout,
     bool, lock, (void* variable, void* lock, absl::Duration d), variable, lock,
     d)
UNLOCK("12Notification6NotifyEv", Notify)

// These are const members, whose names begin with another word.
void RealWait(const void* n)
    REAL("_ZNK" ABSEIL "12Notification19WaitForNotificationEv");
void WrappedWait(const void* n)
    WRAP("_ZNK" ABSEIL "12Notification19WaitForNotificationEv");
void WrappedWait(const void* n) {
  RealWait(n);
  __tsan_acquire(const_cast<void*>(n));
}
