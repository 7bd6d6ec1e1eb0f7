// SPDX-License-Identifier: Apache-2.0
// CancellationManager: tells all waiting code inside a run to stop.
//
// Code that waits (a blocked queue, a Recv) registers a callback under a token:
//
//   auto token = manager->get_cancellation_token();
//   if (!manager->RegisterCallback(token, [this] { Cancel(); })) {
//     done(errors::Cancelled("..."));  // Too late to wait.
//   }
//   ...
//   manager->DeregisterCallback(token);  // When it need not be told any more.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_CANCELLATION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_CANCELLATION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace tensorwright {

using CancellationToken = int64_t;
using CancelCallback = std::function<void()>;

// Thread-safe.  One per run, or one per object that can be closed.
class CancellationManager {
 public:
  static const CancellationToken kInvalidToken;

  CancellationManager();
  CancellationManager(const CancellationManager&) = delete;
  CancellationManager& operator=(const CancellationManager&) = delete;
  // Cancels the callbacks that are still registered.
  ~CancellationManager();

  // Calls every registered callback once, in this thread and without a lock
  // held.  A second call does nothing.
  void StartCancel();

  // Has StartCancel() been called?  Cheap enough for a loop.
  bool IsCancelled() const {
    return is_cancelled_.load(std::memory_order_acquire);
  }

  CancellationToken get_cancellation_token() {
    return next_token_.fetch_add(1, std::memory_order_relaxed);
  }

  // Returns false, and drops the callback, if cancelling has begun.
  bool RegisterCallback(CancellationToken token, CancelCallback callback);

  // True if the callback has not been and will not be called.  If cancelling is
  // under way it waits until every callback has returned, and says false: so
  // never call it from a callback, or holding a lock that one takes.
  bool DeregisterCallback(CancellationToken token);

  // The same without the waiting: false if cancelling has begun.
  bool TryDeregisterCallback(CancellationToken token);

 private:
  std::atomic<bool> is_cancelled_{false};
  std::atomic<CancellationToken> next_token_{0};
  absl::Mutex mu_;
  bool cancelling_ ABSL_GUARDED_BY(mu_) = false;
  absl::Notification cancelled_;  // All callbacks have returned.
  // Behind a pointer: kernels include this header, and none wants hash maps.
  struct Callbacks;
  std::unique_ptr<Callbacks> callbacks_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_CANCELLATION_H_
