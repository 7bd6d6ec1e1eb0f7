// SPDX-License-Identifier: Apache-2.0
// WorkQueue.
#include "core/common_runtime/work_queue.h"

#include <utility>

#include "absl/time/time.h"

namespace tensorwright {

void WorkQueue::Push(Task task) {
  const std::shared_ptr<WorkQueue> self = shared_from_this();
  {
    absl::MutexLock lock(&mu_);
    tasks_.push_back(std::move(task));
    changed_.Signal();
    // Each thread that sleeps, or was told and is about to look, takes one.
    if (pool_ == nullptr || sleeping_ >= tasks_.size()) return;
    ++pushing_;
  }
  pool_->Schedule([self] { self->RunOne(); });
  EndIfDone([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { --pushing_; });
}

bool WorkQueue::RunOne() {
  Task task;
  {
    absl::MutexLock lock(&mu_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  return true;
}

void WorkQueue::Expect(int n, std::function<void()> done) {
  absl::MutexLock lock(&mu_);
  running_ += n;
  done_ = std::move(done);
}

void WorkQueue::PartitionDone() {
  EndIfDone([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { --running_; });
}

template <typename Change>
void WorkQueue::EndIfDone(const Change& change) {
  std::function<void()> done;
  {
    absl::MutexLock lock(&mu_);
    change();
    if (!IsDone()) return;
    changed_.SignalAll();
    done = std::exchange(done_, nullptr);
  }
  if (done) done();
}

void WorkQueue::WorkUntilDone() {
  if (Step::ThreadPolls()) {
    WorkUntil(nullptr, [] { Step::Poll(); });
  } else {
    WorkUntil(nullptr, nullptr);
  }
}

void WorkQueue::WorkUntil(const std::function<bool()>& done,
                          const std::function<void()>& poll) {
  for (;;) {
    if (poll) poll();
    if (RunOne()) continue;
    absl::MutexLock lock(&mu_);
    if (done ? done() : IsDone()) {
      // The signal of a task may have come to this thread: one that stays must
      // hear of it.
      if (!tasks_.empty()) changed_.Signal();
      return;
    }
    if (!tasks_.empty()) continue;
    // A thread that may leave before the run ends does not count.
    const size_t counted = done ? 0 : 1;
    sleeping_ += counted;
    if (poll) {
      changed_.WaitWithTimeout(&mu_, Step::kPollInterval);
    } else {
      changed_.Wait(&mu_);
    }
    sleeping_ -= counted;
  }
}

void WorkQueue::Wake() {
  absl::MutexLock lock(&mu_);
  changed_.SignalAll();
}

}  // namespace tensorwright
