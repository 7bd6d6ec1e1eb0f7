// SPDX-License-Identifier: Apache-2.0
// Calls to several tasks that fail together.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_CALLS_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_CALLS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The first call that fails, or Fail, cancels the others.  Made by make_shared:
// calls in progress keep it alive.  Thread safe, except for result().
class StepCalls : public std::enable_shared_from_this<StepCalls> {
 public:
  // Called now and then with the indices, in the order of Start, of calls that
  // have not ended.
  using Report = std::function<void(const std::vector<size_t>&)>;

  // `worker` outlives the call.  For a call with `lends_thread`, Wait, which
  // must follow, does the work of a worker in this process.
  void Start(Transport* worker, const std::string& method, absl::Cord request,
             CallOptions options, bool lends_thread = false);
  // The first failure counts.
  void Fail(const Status& status);
  // Waits until all calls have ended, cancelling them at the deadline, and
  // returns the first failure.
  Status Wait(absl::Time deadline, const Report& report = nullptr);
  // The result of the i-th call of Start; valid after Wait.
  const CallResult& result(size_t i) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return results_[i].value;
  }
  // The times at which the call began and ended.
  absl::Time begun(size_t i) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return results_[i].begun_at;
  }
  absl::Time ended(size_t i) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return results_[i].ended_at;
  }

 private:
  struct Ending {
    bool ended = false;
    CallResult value;
    absl::Time begun_at;
    absl::Time ended_at;
  };
  void Ended(size_t index, CallResult result);

  absl::Mutex mu_;
  // The work that Wait does.
  std::vector<std::function<void()>> work_ ABSL_GUARDED_BY(mu_);
  size_t left_ ABSL_GUARDED_BY(mu_) = 0;
  Status status_ ABSL_GUARDED_BY(mu_);
  std::vector<std::shared_ptr<ClientCall>> calls_ ABSL_GUARDED_BY(mu_);
  std::vector<Ending> results_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_CALLS_H_
