// SPDX-License-Identifier: Apache-2.0
// WorkQueue: the tasks that a run hands to other threads.
//
// The thread that called Run takes part: it works on the queue while it waits
// for the run to end.  With an inter-op pool of one thread it is the only one.
// A task wakes one thread: the waiting one, if it sleeps, else one of the pool.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_WORK_QUEUE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_WORK_QUEUE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "absl/synchronization/mutex.h"
#include "core/common_runtime/step.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {

// Thread safe.  The pool's closures share it; they may run after the run has
// ended, and then find nothing to do.
class WorkQueue : public std::enable_shared_from_this<WorkQueue> {
 public:
  // `pool` may be null: then only the waiting thread works.
  explicit WorkQueue(thread::ThreadPool* pool) : pool_(pool) {}

  using Task = std::function<void()>;

  // May be called by any thread between the run's begin and end.
  void Push(Task task);

  bool has_pool() const { return pool_ != nullptr; }

  // Marks `n` partitions as running; PartitionDone takes one off.  The thread
  // that takes the last one off calls `done`, unless null, for a run that
  // nobody waits for.
  void Expect(int n, std::function<void()> done = nullptr);
  void PartitionDone();
  // Runs tasks until no partition is running, and polls the step that this
  // thread polls.
  void WorkUntilDone();
  // Runs tasks until `done`, which is looked at again after Wake; with null,
  // until no partition is running.  `poll`, unless null, is called every few
  // milliseconds.
  void WorkUntil(const std::function<bool()>& done,
                 const std::function<void()>& poll);
  void Wake();

 private:
  bool RunOne();
  // Has the run ended?  Not while a thread is about to tell the pool of a task:
  // another may have run it already, and the pool lives as long as the run.
  bool IsDone() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return running_ == 0 && pushing_ == 0;
  }
  // Makes the change, with the lock held, and ends the run if that was the last
  // one.
  template <typename Change>
  void EndIfDone(const Change& change);

  thread::ThreadPool* const pool_;
  absl::Mutex mu_;
  absl::CondVar changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mu_);
  // Threads in WorkUntil that sleep until the run ends.
  size_t sleeping_ ABSL_GUARDED_BY(mu_) = 0;
  int running_ ABSL_GUARDED_BY(mu_) = 0;
  int pushing_ ABSL_GUARDED_BY(mu_) = 0;
  std::function<void()> done_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_WORK_QUEUE_H_
