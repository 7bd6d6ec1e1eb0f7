// SPDX-License-Identifier: Apache-2.0
// Step.
#include "core/common_runtime/step.h"

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

}  // namespace

Step::Step() : rendezvous_(NewLocalRendezvous()) {}

Step::~Step() { container_.reset(); }

void Step::Begin(int64_t id, const std::function<bool()>* interrupted,
                 absl::Time deadline, StepStatsCollector* stats,
                 const std::vector<Device*>* devices, bool needs_rendezvous) {
  id_ = id;
  interrupted_ = interrupted;
  deadline_ = deadline;
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
  must_poll_ = interrupted_ != nullptr || deadline_ != absl::InfiniteFuture();
  if (!must_poll_) return;
  caller_ = ThisThread();
  next_poll_ = absl::Now() + kPollInterval;
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
  const absl::Time now = absl::Now();
  if (now < next_poll_) return;
  next_poll_ = now + kPollInterval;
  if (now >= deadline_) {
    Fail(errors::DeadlineExceeded("The run did not end within its timeout"));
  } else if (interrupted_ != nullptr && (*interrupted_)()) {
    Fail(errors::Cancelled("The run was interrupted"));
  }
}

}  // namespace tensorwright
