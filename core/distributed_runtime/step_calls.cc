// SPDX-License-Identifier: Apache-2.0
// StepCalls.
#include "core/distributed_runtime/step_calls.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The interval at which Wait reports which tasks it waits for.
constexpr absl::Duration kReportInterval = absl::Seconds(10);

}  // namespace

void StepCalls::Start(Transport* worker, const std::string& method,
                      absl::Cord request, CallOptions options,
                      bool lends_thread) {
  size_t index = 0;
  {
    absl::MutexLock lock(&mu_);
    index = results_.size();
    results_.emplace_back().begun_at = absl::Now();
    calls_.emplace_back();
    ++left_;
  }
  if (lends_thread) {
    options.runner = [this](std::function<void()> work) {
      absl::MutexLock lock(&mu_);
      work_.push_back(std::move(work));
    };
  }
  auto call =
      worker->Call(method, std::move(request), options,
                   [self = shared_from_this(), index](CallResult result) {
                     self->Ended(index, std::move(result));
                   });
  bool cancel = false;
  {
    absl::MutexLock lock(&mu_);
    calls_[index] = call;
    cancel = !status_.ok();
  }
  if (cancel) call->Cancel();
}

void StepCalls::Fail(const Status& status) {
  std::vector<std::shared_ptr<ClientCall>> calls;
  {
    absl::MutexLock lock(&mu_);
    if (!status_.ok()) return;
    status_ = status;
    calls = calls_;
  }
  for (const auto& call : calls) {
    if (call != nullptr) call->Cancel();
  }
}

Status StepCalls::Wait(absl::Time deadline, const Report& report) {
  const auto over = [this]()
                        ABSL_NO_THREAD_SAFETY_ANALYSIS { return left_ == 0; };
  std::vector<std::function<void()>> work;
  {
    absl::MutexLock lock(&mu_);
    work.swap(work_);
  }
  for (std::function<void()>& one : work) std::exchange(one, nullptr)();
  for (;;) {
    std::vector<size_t> missing;
    {
      absl::MutexLock lock(&mu_);
      const absl::Time next =
          report ? std::min(deadline, absl::Now() + kReportInterval) : deadline;
      if (mu_.AwaitWithDeadline(absl::Condition(&over), next)) return status_;
      for (size_t i = 0; i < results_.size(); ++i) {
        if (!results_[i].ended) missing.push_back(i);
      }
    }
    if (absl::Now() >= deadline) {
      Fail(errors::DeadlineExceeded("Timed out waiting for the step to end"));
      deadline = absl::InfiniteFuture();
    } else if (report) {
      report(missing);
    }
  }
}

void StepCalls::Ended(size_t index, CallResult result) {
  const Status status = result.status;
  // The failure comes first, so that Wait sees it.
  if (!status.ok()) Fail(status);
  absl::MutexLock lock(&mu_);
  Ending& ending = results_[index];
  ending.value = std::move(result);
  ending.ended_at = absl::Now();
  ending.ended = true;
  --left_;
}

}  // namespace tensorwright
