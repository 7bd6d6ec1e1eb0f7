// SPDX-License-Identifier: Apache-2.0
// Step.
#include "core/common_runtime/step.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "core/common_runtime/device.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

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

int64_t NewStepId() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

thread_local Step* Step::polled_ = nullptr;

Step::Step() : rendezvous_(NewLocalRendezvous()) {}

Step::~Step() { container_.reset(); }

void Step::Begin(const StepArgs& args) {
  id_ = args.id;
  interrupted_ = args.interrupted;
  stats_ = args.stats;
  devices_ = args.devices;
  rendezvous_is_given_ = args.rendezvous != nullptr;
  if (rendezvous_is_given_) {
    args.rendezvous->Ref();
    SetRendezvous(args.rendezvous);
  } else if (rendezvous_used_) {
    // A new one each time: values that nobody received must not reach the next
    // step.
    SetRendezvous(NewLocalRendezvous());
  }
  rendezvous_used_ = args.needs_rendezvous;
  container_.emplace(id_, [this](const std::string& name) {
    for (Device* device : *devices_) {
      device->resource_manager()->Cleanup(name).IgnoreError();
    }
  });
  must_poll_ =
      interrupted_ != nullptr || args.deadline != absl::InfiniteFuture();
  if (!must_poll_) return;
  const int64_t now = CoarseNanos();
  const absl::Duration left = args.deadline == absl::InfiniteFuture()
                                  ? kNoDeadline
                                  : args.deadline - absl::Now();
  deadline_nanos_ = now + absl::ToInt64Nanoseconds(std::min(left, kNoDeadline));
  next_poll_nanos_ = std::min(now + kPollNanos, deadline_nanos_);
}

void Step::SetRendezvous(Rendezvous* rendezvous) {
  core::RefCountPtr<Rendezvous> given(rendezvous);
  absl::MutexLock lock(&mu_);
  std::swap(rendezvous_, given);
}

bool Step::End() {
  container_.reset();
  if (rendezvous_is_given_) {
    SetRendezvous(NewLocalRendezvous());
    rendezvous_used_ = false;
  }
  return !stopped() && !cancellation_.IsCancelled();
}

void Step::Fail(const Status& status) {
  core::RefCountPtr<Rendezvous> rendezvous;
  {
    absl::MutexLock lock(&mu_);
    if (!status_.ok()) return;
    status_ = status;
    stopped_.store(true, std::memory_order_release);
    rendezvous = rendezvous_;
  }
  rendezvous->StartAbort(status);
  cancellation_.StartCancel();
}

Status Step::status() const {
  if (!stopped()) return OkStatus();
  absl::MutexLock lock(&mu_);
  return status_;
}

Status Step::Look() {
  const int64_t now = CoarseNanos();
  if (now < next_poll_nanos_) return OkStatus();
  next_poll_nanos_ = now + kPollNanos;
  if (now >= deadline_nanos_) {
    return errors::DeadlineExceeded("Timed out waiting for the run to end");
  }
  if (interrupted_ != nullptr && (*interrupted_)()) {
    return errors::Cancelled("The run was interrupted");
  }
  return OkStatus();
}

Status Step::CheckPolled() {
  return polled_ == nullptr ? OkStatus() : polled_->Look();
}

void Step::Poll() {
  const Status status = CheckPolled();
  if (!status.ok()) polled_->Fail(status);
}

}  // namespace tensorwright
