// SPDX-License-Identifier: Apache-2.0
// StepRendezvous: the rendezvous of one step at one task.
//
// A sent value stays with the task of the sender until the receiver's task asks
// for it (remote_receiver.h).  StepRendezvousTable has the rendezvous of the
// steps in progress, by the step's id.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_RENDEZVOUS_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_RENDEZVOUS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/remote_receiver.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/framework/rendezvous.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class StepRendezvous final : public Rendezvous {
 public:
  // `pool` outlives it.
  StepRendezvous(int64_t step_id, std::shared_ptr<const ClusterView> cluster,
                 ElasticPool* pool);

  // Sets the cluster of the step, if it is not the one given to the
  // constructor. Call it before the step begins.
  void SetCluster(std::shared_ptr<const ClusterView> cluster);

  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override;
  // If the key's source is a device of another task, asks that task.
  // Unavailable or Aborted if the task is gone.
  void RecvAsync(const ParsedKey& key, const Args& args,
                 DoneCallback done) override;
  // Ends the calls to other tasks, too.
  void StartAbort(const Status& status) override;

  // Answers another task's request; never asks others.
  void RecvLocalAsync(const ParsedKey& key, DoneCallback done);

 private:
  ~StepRendezvous() override;
  std::shared_ptr<const ClusterView> cluster() const;

  const core::RefCountPtr<Rendezvous> local_;
  const std::shared_ptr<RemoteReceiver> remote_;
  mutable absl::Mutex mu_;
  std::shared_ptr<const ClusterView> cluster_ ABSL_GUARDED_BY(mu_);
};

// Thread safe.
class StepRendezvousTable {
 public:
  explicit StepRendezvousTable(const WorkerEnv* env) : env_(env) {}
  ~StepRendezvousTable();

  // The rendezvous of the step, for a task that asks for a tensor of it,
  // perhaps before the step begins here.  Aborted if the step was cleaned up a
  // while ago.
  StatusOr<core::RefCountPtr<StepRendezvous>> Get(int64_t step_id);
  // The same for the step itself, which belongs to a session.
  StatusOr<core::RefCountPtr<StepRendezvous>> Begin(int64_t step_id,
                                                    const void* session);
  // Forgets the step and aborts the rest of it.
  void Cleanup(int64_t step_id);
  // The same for all steps of a session: its master may be gone.
  void CleanupSession(const void* session);
  size_t size() const;

 private:
  // The number of ended steps to remember: a request that comes after its step
  // must not make it anew.
  static constexpr size_t kRemembered = 4096;
  // The number of steps that were asked for and have not begun.  With one more,
  // the oldest is cleaned up: its step may never come.
  static constexpr size_t kMaxExpected = 4096;

  struct Entry {
    core::RefCountPtr<StepRendezvous> rendezvous;
    const void* session = nullptr;  // Null: the step has not begun.
  };
  Entry* FindOrMake(int64_t step_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const WorkerEnv* const env_;
  mutable absl::Mutex mu_;
  absl::flat_hash_map<int64_t, Entry> steps_ ABSL_GUARDED_BY(mu_);
  // The steps in the order in which they were made; some have begun or ended
  // since.
  std::deque<int64_t> expected_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_set<int64_t> over_ ABSL_GUARDED_BY(mu_);
  std::deque<int64_t> over_in_order_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_STEP_RENDEZVOUS_H_
