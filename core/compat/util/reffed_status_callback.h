// SPDX-License-Identifier: Apache-2.0
// A callback for work in several parts: called with the first error when the
// last reference is given back.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_REFFED_STATUS_CALLBACK_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_REFFED_STATUS_CALLBACK_H_

#include <utility>

#include "core/framework/op_kernel.h"
#include "core/lib/core/refcount.h"
#include "core/platform/mutex.h"

namespace tensorwright {

using StatusCallback = std::function<void(const Status&)>;

class ReffedStatusCallback : public core::RefCounted {
 public:
  explicit ReffedStatusCallback(StatusCallback done) : done_(std::move(done)) {}

  void UpdateStatus(const Status& s) {
    mutex_lock l(mu_);
    status_.Update(s);
  }
  bool ok() {
    mutex_lock l(mu_);
    return status_.ok();
  }
  Status status() {
    mutex_lock l(mu_);
    return status_;
  }

 protected:
  ~ReffedStatusCallback() override { done_(status_); }

 private:
  StatusCallback done_;
  mutex mu_;
  Status status_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_REFFED_STATUS_CALLBACK_H_
