// SPDX-License-Identifier: Apache-2.0
// mutex, its locks, and condition_variable, with TensorFlow's spellings over
// abseil's.
#ifndef TENSORWRIGHT_CORE_PLATFORM_MUTEX_H_
#define TENSORWRIGHT_CORE_PLATFORM_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

enum LinkerInitialized { LINKER_INITIALIZED };
enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };

class Condition : public absl::Condition {
 public:
  using absl::Condition::Condition;
};

// May be held by one writer or by several readers.  Not recursive.
class ABSL_LOCKABLE mutex : public absl::Mutex {
 public:
  mutex() = default;
  explicit constexpr mutex(LinkerInitialized)
      : absl::Mutex(absl::ConstInitType::kConstInit) {}

  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { Lock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return TryLock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { Unlock(); }
  void lock_shared() ABSL_SHARED_LOCK_FUNCTION() { ReaderLock(); }
  bool try_lock_shared() ABSL_SHARED_TRYLOCK_FUNCTION(true) {
    return ReaderTryLock();
  }
  void unlock_shared() ABSL_UNLOCK_FUNCTION() { ReaderUnlock(); }
  void assert_held() const ABSL_ASSERT_EXCLUSIVE_LOCK() { AssertHeld(); }
  void assert_held_shared() const ABSL_ASSERT_SHARED_LOCK() {
    AssertReaderHeld();
  }
};

// Holds a mutex for a scope.
class ABSL_SCOPED_LOCKABLE mutex_lock {
 public:
  explicit mutex_lock(mutex& mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(&mu) {
    mu_->lock();
  }
  mutex_lock(mutex& mu, std::try_to_lock_t) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu)
      : mu_(mu.try_lock() ? &mu : nullptr) {}
  mutex_lock(mutex_lock&& o) noexcept : mu_(o.mu_) { o.mu_ = nullptr; }
  mutex_lock(const mutex_lock&) = delete;
  mutex_lock& operator=(const mutex_lock&) = delete;
  ~mutex_lock() ABSL_UNLOCK_FUNCTION() {
    if (mu_ != nullptr) mu_->unlock();
  }

  mutex* mu() { return mu_; }
  explicit operator bool() const { return mu_ != nullptr; }

 private:
  mutex* mu_;
};

class ABSL_SCOPED_LOCKABLE tf_shared_lock {
 public:
  explicit tf_shared_lock(mutex& mu) ABSL_SHARED_LOCK_FUNCTION(mu) : mu_(&mu) {
    mu_->lock_shared();
  }
  tf_shared_lock(tf_shared_lock&& o) noexcept : mu_(o.mu_) { o.mu_ = nullptr; }
  tf_shared_lock(const tf_shared_lock&) = delete;
  tf_shared_lock& operator=(const tf_shared_lock&) = delete;
  ~tf_shared_lock() ABSL_UNLOCK_FUNCTION() {
    if (mu_ != nullptr) mu_->unlock_shared();
  }
  mutex* mu() { return mu_; }
  explicit operator bool() const { return mu_ != nullptr; }

 private:
  mutex* mu_;
};

class condition_variable {
 public:
  void wait(mutex_lock& lock) { cv_.Wait(lock.mu()); }
  template <typename Predicate>
  void wait(mutex_lock& lock, Predicate done) {
    while (!done()) wait(lock);
  }
  template <typename Rep, typename Period>
  std::cv_status wait_for(mutex_lock& lock,
                          std::chrono::duration<Rep, Period> timeout) {
    return cv_.WaitWithTimeout(lock.mu(), absl::FromChrono(timeout))
               ? std::cv_status::timeout
               : std::cv_status::no_timeout;
  }
  void notify_one() { cv_.Signal(); }
  void notify_all() { cv_.SignalAll(); }

 private:
  absl::CondVar cv_;
};

// Waits for a notification, at most `ms` milliseconds.
inline ConditionResult WaitForMilliseconds(mutex_lock* lock,
                                           condition_variable* cv, int64_t ms) {
  return cv->wait_for(*lock, std::chrono::milliseconds(ms)) ==
                 std::cv_status::timeout
             ? kCond_Timeout
             : kCond_MaybeNotified;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_MUTEX_H_
