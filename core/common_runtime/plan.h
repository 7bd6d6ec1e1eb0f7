// SPDX-License-Identifier: Apache-2.0
// Plan: one (feeds, fetches, targets) compiled for one state of a graph.
//
// CompilePlan prunes the graph to the nodes that the signature needs, places
// the nodes, runs the graph passes, partitions by device and compiles each
// partition (compiled_graph.h).  A Plan is immutable except for its free list
// of run states, so concurrent runs share it.  The session's cache and the runs
// in progress own it; it must not outlive its session.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_PLAN_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_PLAN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/common_runtime/session.h"
#include "core/framework/kernel_registry.h"
#include "core/graph/output_ref.h"
#include "core/graph/passes/graph_passes.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class CompiledGraph;
class ConfigProto;
class KernelCache;
class LiveGraph;
struct RewrittenGraph;
struct RunState;
struct StepArgs;
namespace thread {
class ThreadPool;
}  // namespace thread
struct SessionResources;

// A RunSignature with its names looked up.  Nodes belong to the session's
// LiveGraph.
struct NodeSignature {
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<Node*> targets;

  friend bool operator==(const NodeSignature& a, const NodeSignature& b) {
    return a.feeds == b.feeds && a.fetches == b.fetches &&
           a.targets == b.targets;
  }
  template <typename H>
  friend H AbslHashValue(H h, const NodeSignature& s) {
    return H::combine(std::move(h), s.feeds, s.fetches, s.targets);
  }
};

class Plan final : public Callable {
 public:
  Plan();
  ~Plan() override;

  // Empty for a plan of CompileGraph.
  const NodeSignature& signature() const { return signature_; }
  // The graph that outside optimizers made; null if they left it alone.
  const RewrittenGraph* rewritten() const { return rewritten_.get(); }
  int num_fetches() const { return num_fetches_; }
  int64_t mutation_version() const { return mutation_version_; }

  // False once a library of one of its kernels has been loaded again.
  bool HasCurrentKernels() const {
    const int64_t reloads = reloads_.load(std::memory_order_relaxed);
    return reloads == KernelReloads() || HasKernelsSince(reloads);
  }

  // One per device that takes part; the first is the client's (CPU:0) if it
  // has anything to do.
  const std::vector<std::unique_ptr<CompiledGraph>>& partitions() const {
    return partitions_;
  }

  // Every node with its device, in the order of execution, as text.
  std::string DebugString() const;

  // In a plan for pieces, by fetch: the feeds that it needs.
  const std::vector<std::vector<int>>& feeds_needed() const {
    return feeds_needed_;
  }

  // Null if the session has one inter-op thread, the caller.
  thread::ThreadPool* inter_op_pool() const;
  // Gives a new run state its executors, and now and then gives an old one
  // better ones.
  void PrepareRunState(RunState* state) const;

  // Begins the step of `state`.  `args` need not set devices and
  // needs_rendezvous, which the plan knows.
  void BeginStep(RunState* state, StepArgs args) const;
  // Runs the plan in `state`, whose step has begun, and returns the step's
  // status.  `feeds` are in the order of feeds(); `fetches` has num_fetches()
  // places. The calling thread takes part in the work.
  Status Execute(RunState* state, absl::Span<const Tensor> feeds,
                 std::vector<Tensor>* fetches) const;

  // The same without waiting for other threads: calls `done` once, when the run
  // has ended, from any thread, perhaps before Start returns (always so if the
  // caller's thread is the only one).  The step has the status.  `feeds` and
  // `fetches` live until then.
  void Start(RunState* state, absl::Span<const Tensor> feeds,
             std::vector<Tensor>* fetches, std::function<void()> done) const;

  // Gets a run state for the exclusive use of one run, and takes it back.
  std::unique_ptr<RunState> AcquireRunState() const;
  void ReleaseRunState(std::unique_ptr<RunState> state) const;

 private:
  friend class PlanCompiler;

  // Looks at the ops; if none was reloaded since, notes that.
  bool HasKernelsSince(int64_t reloads) const;

  // Destroyed last: kernels may be running functions when they are destroyed.
  std::shared_ptr<SessionResources> resources_;
  // Owns the definitions of functions that nodes of the partitions call.
  std::shared_ptr<const RewrittenGraph> rewritten_;
  NodeSignature signature_;
  int num_fetches_ = 0;
  int64_t mutation_version_ = 0;
  // KernelReloads() of the time to which its kernels belong.
  mutable std::atomic<int64_t> reloads_ = KernelReloads();
  // The ops of its nodes, before any pass, that libraries have kernels of.
  std::vector<std::string> library_ops_;
  std::vector<std::unique_ptr<CompiledGraph>> partitions_;
  bool needs_rendezvous_ = false;
  // Does some partition's device have memory of its own?
  bool has_device_memory_ = false;
  std::vector<std::vector<int>> feeds_needed_;
  mutable absl::Mutex mu_;
  mutable std::vector<std::unique_ptr<RunState>> free_ ABSL_GUARDED_BY(mu_);
};

struct PlanOptions {
  static PlanOptions FromConfig(const ConfigProto& config);

  GraphPassOptions passes;
  // The config by which outside optimizers run before the passes; null: none
  // runs.
  std::shared_ptr<const ConfigProto> outside;
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  // For a PartialRun (partial_run.h): no passes, and feeds and fetches go
  // through the step's rendezvous.
  bool in_pieces = false;
  // The graph is a partition, and values from other partitions may be dead.
  bool may_be_dead = false;
};

// Holds graph.mu() while it copies the nodes it needs.
StatusOr<std::shared_ptr<const Plan>> CompilePlan(
    const LiveGraph& graph, const NodeSignature& signature,
    std::shared_ptr<SessionResources> resources, const PlanOptions& options);

// The same for a graph all of which runs: a partition that a master sends, or
// the body of a function.  Its feeds and fetches are its _Arg and _Retval
// nodes, in the order of their index; every node runs.  Nodes that have no
// assigned device are placed.  `kernels` has the kernels with state, which
// other plans share.
StatusOr<std::shared_ptr<const Plan>> CompileGraph(
    std::unique_ptr<Graph> graph, std::shared_ptr<SessionResources> resources,
    KernelCache* kernels, const PlanOptions& options);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_PLAN_H_
