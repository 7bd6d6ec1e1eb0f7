// SPDX-License-Identifier: Apache-2.0
// WorkerSession: the part of a master's session at one task: functions, kernels
// with state, and registered graphs.
//
// Sessions of a task share its devices, and so the values of variables, unless
// a session is isolated: then it has devices of its own, with the same names.
// They share functions, too: a resource, such as an iterator, calls the
// functions that it was made with, whichever session reads it.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_SESSION_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/run_state.h"
#include "core/distributed_runtime/step_rendezvous.h"
#include "core/distributed_runtime/wire.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/framework/allocator_reuse.h"
#include "core/framework/function.h"
#include "core/framework/step_stats.pb.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {

// The functions of sessions, and the runtime that runs them.  Outlives the
// resources that call them.  Thread safe.
struct FunctionDomain {
  FunctionDomain(const WorkerEnv* env, std::shared_ptr<DeviceMgr> devices);

  const std::shared_ptr<FunctionLibraryDefinition> library;
  const std::shared_ptr<SessionResources> resources;
};

// One graph of a step, or one piece of it.
struct GraphRun {
  std::string graph_handle;
  int64_t step_id = 0;
  std::vector<NamedTensor> send;      // By rendezvous key.
  std::vector<std::string> recv_key;  // The keys of the tensors to answer with.
  bool is_partial = false;
  bool is_last = false;
  bool record_timeline = false;
  bool record_graphs = false;
  absl::Time deadline = absl::InfiniteFuture();
};

struct GraphRunResult {
  std::vector<NamedTensor> recv;  // In the order of recv_key.
  StepStats step_stats;
  std::vector<GraphDef> graphs;
};

// Thread safe.
class WorkerSession {
 public:
  // If functions contradict those of the domain, which has others of their
  // names, they get another domain.
  using NewDomain = std::function<std::shared_ptr<FunctionDomain>()>;

  // `env` and `steps` outlive it.  `cluster` is the server's, or the session's
  // own.  `domain` has devices with the cluster's name for this task; null: the
  // session is isolated.  InvalidArgument for a config that makes no sense.
  static StatusOr<std::shared_ptr<WorkerSession>> New(
      const WorkerEnv* env, StepRendezvousTable* steps,
      std::shared_ptr<const ClusterView> cluster,
      std::shared_ptr<FunctionDomain> domain, NewDomain new_domain);
  // Cancels the running steps and waits for them.
  ~WorkerSession();

  // Compiles a partition.  The handle names it in this session.  Errors are
  // those of ConvertGraphDefToGraph and CompileGraph.
  StatusOr<std::string> RegisterGraph(const RegisterGraphRequest& request);
  // Aborted if there is no graph of that handle: the task has restarted since.
  Status DeregisterGraph(const std::string& handle);

  // Runs the graph in this thread, or feeds a partial run of it, which goes on
  // in a thread of its own, and waits for the tensors that the piece fetches.
  // Calls `on_begin(cancel)` when there is something to cancel, and with null
  // when there no longer is.
  Status Run(const GraphRun& run,
             const std::function<void(std::function<void()>)>& on_begin,
             GraphRunResult* result);

  // Ends the steps in progress; later ones fail.
  void Cancel(const Status& status);
  void ForgetPartial(int64_t step_id);

 private:
  struct RegisteredGraph;
  struct PartialStep;
  WorkerSession(const WorkerEnv* env, StepRendezvousTable* steps,
                std::shared_ptr<const ClusterView> cluster)
      : env_(env), steps_(steps), cluster_(std::move(cluster)) {}

  // The library with these functions added.
  StatusOr<std::shared_ptr<FunctionLibraryDefinition>> AddFunctions(
      const FunctionDefLibrary& functions);
  StatusOr<std::shared_ptr<RegisteredGraph>> Find(const std::string& handle);
  Status Enter(const std::shared_ptr<Step>& step);
  void Leave(const std::shared_ptr<Step>& step);
  Status RunWhole(const RegisteredGraph& graph, const GraphRun& run,
                  StepRendezvous* rendezvous,
                  const std::function<void(std::function<void()>)>& on_begin,
                  GraphRunResult* result);
  Status RunPiece(std::shared_ptr<RegisteredGraph> graph, const GraphRun& run,
                  core::RefCountPtr<StepRendezvous> rendezvous,
                  const std::function<void(std::function<void()>)>& on_begin,
                  GraphRunResult* result);
  static Status SendAll(const GraphRun& run, StepRendezvous* rendezvous);
  static Status ReceiveAll(const GraphRun& run, StepRendezvous* rendezvous,
                           GraphRunResult* result);

  // Destroyed last, when the memory of all members below has been given back.
  const FreedMemoryReuse reuse_;
  const WorkerEnv* const env_;
  StepRendezvousTable* const steps_;
  const std::shared_ptr<const ClusterView> cluster_;
  NewDomain new_domain_;
  absl::Mutex domain_mu_;
  // Does not change after the first graph.
  std::shared_ptr<FunctionDomain> domain_ ABSL_GUARDED_BY(domain_mu_);
  bool has_graphs_ ABSL_GUARDED_BY(domain_mu_) = false;
  // Destroyed before the domain, whose functions its kernels call.
  std::shared_ptr<SessionResources> resources_;

  absl::Mutex mu_;
  Status closed_ ABSL_GUARDED_BY(mu_);
  int64_t next_graph_ ABSL_GUARDED_BY(mu_) = 0;
  absl::flat_hash_map<std::string, std::shared_ptr<RegisteredGraph>> graphs_
      ABSL_GUARDED_BY(mu_);
  absl::flat_hash_set<std::shared_ptr<Step>> active_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<int64_t, std::shared_ptr<PartialStep>> partial_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_SESSION_H_
