// SPDX-License-Identifier: Apache-2.0
// Worker: the WorkerService of one task.
//
// Masters, of this task or others, create sessions here, register the
// partitions of their graphs that belong to this task, and run steps; other
// workers fetch the tensors that the steps here have sent.  Masters and workers
// of another runtime are refused (protocol.h).
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/rpc.h"
#include "core/distributed_runtime/session_holds.h"
#include "core/distributed_runtime/step_rendezvous.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/distributed_runtime/worker_session.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Thread safe.
class Worker final : public Service {
 public:
  // `env` outlives it.
  explicit Worker(const WorkerEnv* env);
  ~Worker() override;

  void Handle(std::shared_ptr<ServerCall> call) override;

  // Ends all sessions; later calls fail with `status`.
  void Stop(const Status& status);

 private:
  using Answer = StatusOr<absl::Cord>;

  Answer Dispatch(absl::string_view method, ServerCall* call);
  Answer GetStatus();
  Answer CreateWorkerSession(const absl::Cord& bytes);
  Answer DeleteWorkerSession(const absl::Cord& bytes);
  void HoldSession(std::shared_ptr<ServerCall> call);
  void EndSession(const std::string& handle, const Status& status);
  Answer RegisterGraph(const absl::Cord& bytes);
  Answer DeregisterGraph(const absl::Cord& bytes);
  Answer RunGraph(ServerCall* call);
  Answer CleanupGraph(const absl::Cord& bytes);
  Answer CleanupAll(const absl::Cord& bytes);
  Answer Logging(const absl::Cord& bytes);
  void RecvTensor(std::shared_ptr<ServerCall> call);
  void RecvTensors(std::shared_ptr<ServerCall> call);
  // Does the sender's incarnation belong to this life of this task?
  Status CheckSource(const Rendezvous::ParsedKey& key) const;

  StatusOr<std::shared_ptr<WorkerSession>> Find(const std::string& handle);
  // The parts that sessions share whose clusters give this task one name.
  struct Shared {
    std::shared_ptr<DeviceMgr> devices;
    // Sessions begin with the last one.  Older ones are kept for resources that
    // call their functions.
    std::vector<std::shared_ptr<FunctionDomain>> domains;
  };
  StatusOr<std::shared_ptr<Shared>> SharedAs(const std::string& task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void NoteStepStats(int64_t step_id, const StepStats& stats);

  const WorkerEnv* const env_;
  StepRendezvousTable steps_;
  absl::Mutex mu_;
  Status stopped_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, std::shared_ptr<WorkerSession>> sessions_
      ABSL_GUARDED_BY(mu_);
  // By the name of this task.
  std::map<std::string, std::shared_ptr<Shared>> shared_ ABSL_GUARDED_BY(mu_);
  // The statistics of the latest steps, while a Logging call wants them.
  bool logging_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<LabeledStepStats> logged_ ABSL_GUARDED_BY(mu_);
  SessionHolds holds_;  // Destroyed first: it ends sessions.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_H_
