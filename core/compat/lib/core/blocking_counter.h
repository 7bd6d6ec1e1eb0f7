// SPDX-License-Identifier: Apache-2.0
// BlockingCounter: wait until several pieces of work have ended.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BLOCKING_COUNTER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BLOCKING_COUNTER_H_

#include <chrono>

#include "core/platform/mutex.h"

namespace tensorwright {

// Each piece calls DecrementCount() once; Wait() returns after `initial_count`
// calls.
class BlockingCounter {
 public:
  explicit BlockingCounter(int initial_count) : count_(initial_count) {}

  void DecrementCount() {
    mutex_lock l(mu_);
    if (--count_ == 0) done_.notify_all();
  }
  void Wait() {
    mutex_lock l(mu_);
    done_.wait(l, [this] { return count_ <= 0; });
  }
  // False if the time passes first.
  bool WaitFor(std::chrono::milliseconds timeout) {
    mutex_lock l(mu_);
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (count_ > 0) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= left.zero()) return false;
      done_.wait_for(l, left);
    }
    return true;
  }

 private:
  mutex mu_;
  condition_variable done_;
  int count_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_BLOCKING_COUNTER_H_
