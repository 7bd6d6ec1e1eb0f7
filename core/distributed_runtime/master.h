// SPDX-License-Identifier: Apache-2.0
// Master: the MasterService of one task.  Any task of a cluster may be a
// client's master; it has a MasterSession for each session of its clients.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/master_session.h"
#include "core/distributed_runtime/rpc.h"
#include "core/distributed_runtime/session_holds.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Thread safe.
class Master final : public Service {
 public:
  // `env` outlives it.
  explicit Master(const WorkerEnv* env);
  ~Master() override;

  void Handle(std::shared_ptr<ServerCall> call) override;

  // Ends all sessions; later calls fail with `status`.
  void Stop(const Status& status);

 private:
  using Answer = StatusOr<absl::Cord>;

  Answer Dispatch(absl::string_view method, ServerCall* call);
  Answer CreateSession(ServerCall* call);
  Answer ExtendSession(const absl::Cord& bytes);
  Answer PartialRunSetup(const absl::Cord& bytes);
  Answer RunStep(ServerCall* call);
  Answer CloseSession(const absl::Cord& bytes);
  void HoldSession(std::shared_ptr<ServerCall> call);
  // Does nothing if there is no such session.
  Status EndSession(const std::string& handle, const Status& status);
  Answer ListDevices(const absl::Cord& bytes);
  Answer Reset(const absl::Cord& bytes);
  Answer MakeCallable(const absl::Cord& bytes);
  Answer RunCallable(ServerCall* call);
  Answer ReleaseCallable(const absl::Cord& bytes);

  StatusOr<std::shared_ptr<MasterSession>> Find(const std::string& handle);

  const WorkerEnv* const env_;
  absl::Mutex mu_;
  Status stopped_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, std::shared_ptr<MasterSession>> sessions_
      ABSL_GUARDED_BY(mu_);
  SessionHolds holds_;  // Destroyed first: it ends sessions.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_H_
