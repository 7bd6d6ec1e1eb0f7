// SPDX-License-Identifier: Apache-2.0
// Step: the state that all partitions of one run share: its first error,
// cancellation, rendezvous, step container, deadline.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/framework/cancellation.h"
#include "core/framework/rendezvous.h"
#include "core/framework/resource_mgr.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class Device;
class StepStatsCollector;

// Step ids are unique in the process, from 1 on: per-step containers of
// sessions that share devices must not meet.  Any thread.
int64_t NewStepId();

// The arguments of a run's step.  Nothing is owned; everything outlives the
// step.
struct StepArgs {
  int64_t id = 0;  // From NewStepId, or from a master.
  // Null, or polled every kPollInterval: true cancels the step.
  const std::function<bool()>* interrupted = nullptr;
  absl::Time deadline = absl::InfiniteFuture();
  StepStatsCollector* stats = nullptr;
  // The devices whose resource managers may get per-step containers.
  const std::vector<Device*>* devices = nullptr;
  // The rendezvous that _Send and _Recv of this step share with the other
  // participants of the step, which may be in other processes.  The step holds
  // a reference until it ends, and aborts it when it fails.  Null: the step
  // uses one of its own.
  Rendezvous* rendezvous = nullptr;
  // Does the step use a rendezvous of its own?
  bool needs_rendezvous = false;
};

// Belongs to a run state and serves one run after the other, until one of them
// fails: cancellation cannot be taken back, so the run state is then dropped.
// Fail, stopped and Poll may be called from any thread.
class Step : public std::enable_shared_from_this<Step> {
 public:
  Step();
  ~Step();

  // Begins a run.  End must have been called, with true, since the last Begin.
  // Reads `args` and keeps its pointers until End.
  void Begin(const StepArgs& args);
  // Destroys per-step resources, after all kernels have ended.  False if it
  // failed: then it must not be begun again.
  bool End();

  int64_t id() const { return id_; }
  CancellationManager* cancellation() { return &cancellation_; }
  // Never null; the step's own unless it was given another.
  Rendezvous* rendezvous() { return rendezvous_.get(); }
  ScopedStepContainer* container() { return &*container_; }
  StepStatsCollector* stats() { return stats_; }

  // Keeps the first error, which must not be OK, aborts the rendezvous and
  // cancels, which wakes all that waits.  Callbacks run in this thread; hold no
  // lock that they take.
  void Fail(const Status& status);
  // Has the step failed?  Executors then start no further kernels.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  // OK, or the first error; cheap while there is none.
  Status status() const;

  // While it lives, this thread polls `step` if that has a deadline or an
  // interrupt hook, and otherwise goes on polling the step that it polled
  // before: a function that a kernel calls runs as a step of its own, and must
  // not keep its caller's thread from noticing that the run is to end.  `step`
  // outlives it.
  class PollScope {
   public:
    explicit PollScope(Step* step) : outer_(polled_) {
      if (step->must_poll_) polled_ = step;
    }
    ~PollScope() { polled_ = outer_; }
    PollScope(const PollScope&) = delete;
    PollScope& operator=(const PollScope&) = delete;

   private:
    Step* const outer_;
  };

  // Looks at the clock and the interrupt hook of the step that this thread
  // polls, if there is one and kPollInterval has passed since the last look.
  // Fails that step with DeadlineExceeded or Cancelled, which cancels the
  // functions that it has called.  Hold no lock: see Fail.
  static void Poll();
  // Does this thread poll a step?
  static bool ThreadPolls() { return polled_ != nullptr; }
  // The same look, which returns the error and fails nothing, for callers that
  // hold a lock.  OK if this thread polls no step.
  static Status CheckPolled();
  static constexpr absl::Duration kPollInterval = absl::Milliseconds(10);

 private:
  void SetRendezvous(Rendezvous* rendezvous);  // Takes the reference.
  Status Look();

  static thread_local Step* polled_;

  int64_t id_ = 0;
  const std::function<bool()>* interrupted_ = nullptr;
  int64_t deadline_nanos_ = 0;  // On the coarse clock, like next_poll_nanos_.
  int64_t next_poll_nanos_ = 0;
  bool must_poll_ = false;
  StepStatsCollector* stats_ = nullptr;
  CancellationManager cancellation_;
  // Only Begin and End change these, under mu_, since Fail may come late.
  core::RefCountPtr<Rendezvous> rendezvous_;
  bool rendezvous_is_given_ = false;
  bool rendezvous_used_ = false;  // A step that has begun uses it.
  std::optional<ScopedStepContainer> container_;
  const std::vector<Device*>* devices_ = nullptr;

  std::atomic<bool> stopped_{false};
  mutable absl::Mutex mu_;
  Status status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_H_
