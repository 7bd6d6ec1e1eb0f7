// SPDX-License-Identifier: Apache-2.0
// CancellableWait: waits on a condition variable that a cancelled run wakes.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_CANCELLABLE_WAIT_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_CANCELLABLE_WAIT_H_

#include <atomic>

#include "core/framework/cancellation.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// While it lives, cancelling `manager` (null: nobody cancels) sets cancelled()
// and wakes threads that wait for `changed` under `mu`.  Make and destroy it
// without `mu`.
class CancellableWait {
 public:
  CancellableWait(CancellationManager* manager, mutex* mu,
                  condition_variable* changed)
      : manager_(manager) {
    if (manager_ == nullptr) return;
    token_ = manager_->get_cancellation_token();
    const bool is_registered =
        manager_->RegisterCallback(token_, [this, mu, changed] {
          mutex_lock lock(*mu);
          cancelled_ = true;
          changed->notify_all();
        });
    if (!is_registered) {
      cancelled_ = true;
      manager_ = nullptr;
    }
  }
  ~CancellableWait() {
    if (manager_ != nullptr) manager_->DeregisterCallback(token_);
  }
  CancellableWait(const CancellableWait&) = delete;
  CancellableWait& operator=(const CancellableWait&) = delete;

  bool cancelled() const { return cancelled_; }

 private:
  CancellationManager* manager_;
  CancellationToken token_ = CancellationManager::kInvalidToken;
  std::atomic<bool> cancelled_{false};
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_CANCELLABLE_WAIT_H_
