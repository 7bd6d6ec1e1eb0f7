// SPDX-License-Identifier: Apache-2.0
// Tells ThreadSanitizer about Debian's abseil, which is not built for it: that
// an unlocked mutex hands over the data written under it, and that a
// notification hands over the data written before.  Only --config=tsan uses
// this.
//
// Each function is found before abseil's function of the same name, in abseil's
// own libraries too; it tells what happens, and calls that.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}

#define TW_TEXT_OF(x) #x
#define TW_TEXT(x) TW_TEXT_OF(x)
// The Itanium ABI's name of a member of absl::<inline namespace>.
#define TW_MANGLED(kind, rest) \
  "_ZN" kind "4absl7" TW_TEXT(ABSL_OPTION_INLINE_NAMESPACE_NAME) rest
static_assert(sizeof(TW_TEXT(ABSL_OPTION_INLINE_NAMESPACE_NAME)) == 8,
              "the 7 above is the length of the namespace's name");

namespace {

// abseil's function of this name.
template <typename Function>
Function* Next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "abseil has no %s\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

void* Address(const void* p) { return const_cast<void*>(p); }

}  // namespace

#define TW_NEXT(type, kind, rest) \
  static auto* const next = Next<type>(TW_MANGLED(kind, rest))

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  TW_NEXT(void(Mutex*), "", "5Mutex4LockEv");
  next(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  TW_NEXT(void(Mutex*), "", "5Mutex6UnlockEv");
  __tsan_release(this);
  next(this);
}

bool Mutex::TryLock() {
  TW_NEXT(bool(Mutex*), "", "5Mutex7TryLockEv");
  const bool locked = next(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::ReaderLock() {
  TW_NEXT(void(Mutex*), "", "5Mutex10ReaderLockEv");
  next(this);
  __tsan_acquire(this);
}

void Mutex::ReaderUnlock() {
  TW_NEXT(void(Mutex*), "", "5Mutex12ReaderUnlockEv");
  __tsan_release(this);
  next(this);
}

// The condition is our code, which abseil would call with the mutex held: it is
// evaluated here instead.
void Mutex::Await(const Condition& condition) {
  while (!condition.Eval()) {
    Unlock();
    SleepFor(Milliseconds(1));
    Lock();
  }
}

void CondVar::Wait(Mutex* mu) {
  TW_NEXT(void(CondVar*, Mutex*), "", "7CondVar4WaitEPNS0_5MutexE");
  __tsan_release(mu);
  next(this, mu);
  __tsan_acquire(mu);
}

bool CondVar::WaitWithTimeout(Mutex* mu, Duration timeout) {
  TW_NEXT(bool(CondVar*, Mutex*, Duration), "",
          "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  __tsan_release(mu);
  const bool late = next(this, mu, timeout);
  __tsan_acquire(mu);
  return late;
}

void Notification::Notify() {
  TW_NEXT(void(Notification*), "", "12Notification6NotifyEv");
  // Also releases the flag behind the mutex: headers read it without the
  // library.
  __tsan_release(this);
  __tsan_release(reinterpret_cast<char*>(this) + sizeof(Mutex));
  next(this);
}

void Notification::WaitForNotification() const {
  TW_NEXT(void(const Notification*), "K",
          "12Notification19WaitForNotificationEv");
  next(this);
  __tsan_acquire(Address(this));
}

bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  TW_NEXT(bool(const Notification*, Duration), "K",
          "12Notification30WaitForNotificationWithTimeoutENS0_8DurationE");
  const bool notified = next(this, timeout);
  if (notified) __tsan_acquire(Address(this));
  return notified;
}

ABSL_NAMESPACE_END
}  // namespace absl
