// SPDX-License-Identifier: Apache-2.0
// Step.
#include "core/common_runtime/step.h"

#include <time.h>

#include <algorithm>
#include <string>

#include "absl/time/clock.h"
#include "core/common_runtime/device.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Something different in every thread.
const void* ThisThread() {
  static thread_local const char token = 0;
  return &token;
}

// A clock that is a few milliseconds behind, and costs a fifth of the exact
// one: a run of cheap kernels looks at it often.
int64_t CoarseNanos() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

const int64_t kPollNanos = absl::ToInt64Nanoseconds(Step::kPollInterval);

// Further away than anybody waits, and safe to add to a time.
constexpr absl::Duration kNoDeadline = absl::Hours(24 * 365 * 100);

}  // namespace

Step::Step() : rendezvous_(NewLocalRendezvous()) {}

Step::~Step() { container_.reset(); }

void Step::Begin(int64_t id, const std::function<bool()>* interrupted,
                 absl::Time deadline, StepStatsCollector* stats,
                 const std::vector<Device*>* devices, bool needs_rendezvous) {
  id_ = id;
  interrupted_ = interrupted;
  stats_ = stats;
  devices_ = devices;
  // A new one each time: values that nobody received must not reach the next
  // step.
  if (rendezvous_used_) rendezvous_.reset(NewLocalRendezvous());
  rendezvous_used_ = needs_rendezvous;
  container_.emplace(id, [this](const std::string& name) {
    for (Device* device : *devices_) {
      device->resource_manager()->Cleanup(name).IgnoreError();
    }
  });
  must_poll_ = interrupted_ != nullptr || deadline != absl::InfiniteFuture();
  if (!must_poll_) return;
  caller_ = ThisThread();
  const int64_t now = CoarseNanos();
  const absl::Duration left =
      deadline == absl::InfiniteFuture() ? kNoDeadline : deadline - absl::Now();
  deadline_nanos_ = now + absl::ToInt64Nanoseconds(std::min(left, kNoDeadline));
  next_poll_nanos_ = std::min(now + kPollNanos, deadline_nanos_);
}

bool Step::End() {
  container_.reset();
  return !stopped() && !cancellation_.IsCancelled();
}

void Step::Fail(const Status& status) {
  {
    absl::MutexLock lock(&mu_);
    if (!status_.ok()) return;
    status_ = status;
    stopped_.store(true, std::memory_order_release);
  }
  rendezvous_->StartAbort(status);
  cancellation_.StartCancel();
}

Status Step::status() const {
  if (!stopped()) return OkStatus();
  absl::MutexLock lock(&mu_);
  return status_;
}

void Step::Poll() {
  if (!must_poll_ || caller_ != ThisThread()) return;
  const int64_t now = CoarseNanos();
  if (now < next_poll_nanos_) return;
  next_poll_nanos_ = now + kPollNanos;
  if (now >= deadline_nanos_) {
    Fail(errors::DeadlineExceeded("The run did not end within its timeout"));
  } else if (interrupted_ != nullptr && (*interrupted_)()) {
    Fail(errors::Cancelled("The run was interrupted"));
  }
}

}  // namespace tensorwright
