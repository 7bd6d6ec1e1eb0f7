// SPDX-License-Identifier: Apache-2.0
// MasterSession: one client's graph at its master, and the graph's steps.
//
// The graph grows as the client extends it.  A step looks up the plan (made and
// registered with the tasks at the first step of its kind), tells every task to
// run its part, sends the feeds along, and gathers the fetched values.  The
// first task that fails ends the step at all of them.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/common_runtime/device_info.h"
#include "core/distributed_runtime/cluster_plan.h"
#include "core/distributed_runtime/session_holds.h"
#include "core/distributed_runtime/wire.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"
#include "core/protobuf/master.pb.h"

namespace tensorwright {

class StepCalls;

// Do the device filters of a config, such as "/job:ps" or "/job:worker/task:1",
// admit this task?  No filters admit all.
bool MatchesDeviceFilters(
    const google::protobuf::RepeatedPtrField<std::string>& filters,
    const std::string& task);

// One step, or one piece of a partial one, which a client asks for.
struct StepRequest {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  std::string partial_run_handle;
  absl::Time deadline = absl::InfiniteFuture();
  // See WorkerSession::Run.
  std::function<void(std::function<void()>)> on_begin;
};

struct StepResult {
  std::vector<NamedTensor> fetched;  // In the order of the fetches.
  RunMetadata metadata;
};

// Thread safe; steps proceed concurrently.
class MasterSession {
 public:
  // Asks the tasks that the config's device filters admit for their devices,
  // waiting for those that are not up yet, and makes a session at each.
  // InvalidArgument for a graph or config that makes no sense,
  // FailedPrecondition for a task of another runtime, DeadlineExceeded or
  // Cancelled if the wait ended so.  `env` outlives it.
  static StatusOr<std::shared_ptr<MasterSession>> New(
      const WorkerEnv* env, const CreateSessionRequest& request,
      absl::Time deadline, ServerCall* call);
  ~MasterSession();

  const std::string& handle() const { return handle_; }
  int64_t graph_version() const;
  const DeviceSet& devices() const { return devices_; }
  // The master's own task, as the session's cluster names it.
  const std::string& task() const { return cluster_->task(); }

  // Aborted if the graph is not at that version any more.
  StatusOr<int64_t> Extend(const ExtendSessionRequest& request);
  Status Run(StepRequest request, StepResult* result);
  StatusOr<std::string> PartialRunSetup(const PartialRunSetupRequest& request);

  StatusOr<int64_t> MakeCallable(const CallableOptions& options);
  Status RunCallable(int64_t handle, std::vector<Tensor> feeds,
                     StepRequest request, StepResult* result);
  Status ReleaseCallable(int64_t handle);

  // Ends steps and the tasks' sessions.  Steps that clients ask for later fail
  // with `status`.
  void Close(const Status& status);

 private:
  struct Registered;
  struct Partial;
  MasterSession(const WorkerEnv* env, std::string handle);

  // Takes the cluster that the config describes, if it describes one.
  Status SetCluster(const std::string& target);
  Status FindWorkers(absl::Time deadline, ServerCall* call);
  Status AddDevices(const std::string& task, const CallResult& result);
  Status MakeWorkerSessions(absl::Time deadline);
  StatusOr<std::shared_ptr<Registered>> GetPlan(const RunSignature& signature,
                                                absl::Time deadline);
  Status Register(Registered* plan, absl::Time deadline);
  // `feeds` and `fetches` by their places in the signature.  `partial`: null
  // for a step in one piece.
  Status RunPlan(const Registered& plan, Partial* partial,
                 const std::vector<std::pair<int, Tensor>>& feeds,
                 const std::vector<int>& fetches, const StepRequest& request,
                 StepResult* result);
  Status RunPartial(const StepRequest& request, StepResult* result);
  // Is everything fed and fetched?  The caller holds its mutex.
  static bool IsOver(const Partial& partial) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  void Cleanup(const ClusterPlan& plan, int64_t step_id);
  // The same for a step that has left nothing behind: sends it with the next
  // RunGraph.
  void CleanupLater(const ClusterPlan& plan, int64_t step_id);

  const WorkerEnv* const env_;
  const std::string handle_;
  ConfigProto config_;
  std::shared_ptr<const ClusterView> cluster_;
  const std::shared_ptr<LiveGraph> graph_;
  std::atomic<int64_t> nodes_{0};  // Including those of functions.
  // Filled before the session is used.
  std::map<std::string, std::shared_ptr<Transport>> workers_;  // By task.
  std::vector<std::unique_ptr<DeviceInfo>> owned_devices_;
  DeviceSet devices_;
  // The holds of the workers' sessions.
  std::vector<std::shared_ptr<SessionHold>> holds_;

  mutable absl::Mutex mu_;
  Status closed_ ABSL_GUARDED_BY(mu_);
  std::map<std::vector<std::string>, std::shared_ptr<Registered>> plans_
      ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::shared_ptr<Partial>> partial_ ABSL_GUARDED_BY(mu_);
  std::map<int64_t, CallableOptions> callables_ ABSL_GUARDED_BY(mu_);
  int64_t next_callable_ ABSL_GUARDED_BY(mu_) = 1;
  absl::flat_hash_set<std::shared_ptr<StepCalls>> active_ ABSL_GUARDED_BY(mu_);
  // Steps that tasks may forget but have not been told of, by task.
  std::map<std::string, std::vector<int64_t>> finished_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_H_
