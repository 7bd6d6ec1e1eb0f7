// SPDX-License-Identifier: Apache-2.0
// Step: what all partitions of one run share: its first error, cancellation,
// rendezvous, step container, deadline.
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

// Belongs to a run state and is used by one run after the other, until one of
// them fails: cancellation cannot be taken back, so then the run state goes.
// Fail, stopped and Poll may be called from any thread.
class Step : public std::enable_shared_from_this<Step> {
 public:
  Step();
  ~Step();

  // `devices`: those whose resource managers may get per-step containers.
  // `interrupted` may be null; a deadline of absl::InfiniteFuture() is none.
  void Begin(int64_t id, const std::function<bool()>* interrupted,
             absl::Time deadline, StepStatsCollector* stats,
             const std::vector<Device*>* devices, bool needs_rendezvous);
  // Destroys per-step resources.  True if the step may be begun again.
  bool End();

  int64_t id() const { return id_; }
  CancellationManager* cancellation() { return &cancellation_; }
  // Never null between Begin and End.
  Rendezvous* rendezvous() { return rendezvous_.get(); }
  ScopedStepContainer* container() { return &*container_; }
  StepStatsCollector* stats() { return stats_; }

  // Keeps the first error and wakes everything that waits.
  void Fail(const Status& status);
  // Has the step failed?  Executors then start no further kernels.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  Status status() const;

  // Looks at clock and interrupt hook if kPollInterval has passed since the
  // last look.  Fails the step with DeadlineExceeded or Cancelled.  Does
  // nothing in another thread than the one that called Begin.
  void Poll();
  bool MustPoll() const { return must_poll_; }
  static constexpr absl::Duration kPollInterval = absl::Milliseconds(10);

 private:
  int64_t id_ = 0;
  const std::function<bool()>* interrupted_ = nullptr;
  int64_t deadline_nanos_ = 0;  // Of the coarse clock, like next_poll_nanos_.
  int64_t next_poll_nanos_ = 0;
  bool must_poll_ = false;
  const void* caller_ = nullptr;  // Names the thread that called Begin.
  StepStatsCollector* stats_ = nullptr;
  CancellationManager cancellation_;
  core::RefCountPtr<Rendezvous> rendezvous_;
  bool rendezvous_used_ = false;
  std::optional<ScopedStepContainer> container_;
  const std::vector<Device*>* devices_ = nullptr;

  std::atomic<bool> stopped_{false};
  mutable absl::Mutex mu_;
  Status status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_H_
