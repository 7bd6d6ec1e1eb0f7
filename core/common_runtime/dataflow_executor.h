// SPDX-License-Identifier: Apache-2.0
// DataflowExecutor: starts a kernel as soon as its inputs are there.
//
// A thread that makes nodes ready runs the cheap ones itself, one after the
// other.  It keeps nodes that are worth a thread for last; if there are two or
// more, it keeps one and hands the others to the work queue, or all of them if
// the cheap ones take long.  Asynchronous kernels give the thread back until
// they call their done.
//
// Kernels that use every core themselves run one at a time: two of them at once
// would share the caches and wait for each other's threads.
//
// One lock guards the bookkeeping (FrameManager); kernels run outside it.  A
// run that can only ever use one thread takes no lock at all.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DATAFLOW_EXECUTOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DATAFLOW_EXECUTOR_H_

#include <optional>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "core/common_runtime/executor.h"
#include "core/common_runtime/frames.h"

namespace tensorwright {

class DataflowExecutor final : public Executor {
 public:
  explicit DataflowExecutor(const CompiledGraph& graph);

  void Start(const RunArgs& args) override;

 private:
  // The number of cheap nodes between two looks at the clock and at the nodes
  // that have waited long: well below a millisecond.
  static constexpr int kNodesPerTurn = 64;

  struct AsyncCall;
  // Nodes a thread still has to run.
  struct Backlog {
    ReadyList cheap;
    ReadyList wide;  // The wide node whose turn it is, if this thread has it.
    ReadyList costly;
    size_t size() const { return cheap.size() + wide.size() + costly.size(); }
  };

  // Runs these nodes and all that become ready through them, except those it
  // hands on.  The last thread to run out of work ends the partition.
  void Process(ReadyList ready);
  // Moves `ready` into the backlog, except for wide nodes whose turn it is not.
  // If that leaves the backlog empty, the run may be over when this returns.
  void Sort(ReadyList* ready, Backlog* backlog);
  // Adds a wide node to the backlog or, if another wide node runs, to
  // wide_waiting_.
  void QueueWide(const ReadyNode& n, Backlog* backlog);
  ReadyNode Next(Backlog* backlog);
  // The node that became ready last runs first, while its inputs are warm; this
  // sees to it that a loop does not keep others waiting until it ends, if it
  // ever does.
  void TakeTurns(Backlog* backlog);
  void HandOn(ReadyList ready);
  // Subtracts `n` nodes, which will not run, from the count.
  void Abandon(int64_t n);
  void Finish();

  // Runs the kernel.  False if it is asynchronous and has not ended: its done
  // goes on with the work.
  bool RunNode(const ReadyNode& n, OpKernelContext::Params* params);
  Status Prepare(const ReadyNode& n, const CompiledNode& node,
                 OpKernelContext::Params* params,
                 ShapeCheck::Promised* promised);
  // Does the work of a Merge or a Switch.  False if the kernel has to do it,
  // because the predicate is no scalar, or a node reads which input the Merge
  // took.
  static bool Route(const ReadyNode& n, const CompiledNode& node,
                    const OpKernelContext::Params& params);
  bool ComputeAsync(const ReadyNode& n, const CompiledNode& node,
                    const OpKernelContext::Params& params);
  // After the kernel: checks outputs, gives inputs back.
  void Complete(const ReadyNode& n, const CompiledNode& node,
                OpKernelContext* context, int64_t start);
  void ReleaseInputs(const ReadyNode& n, const CompiledNode& node);
  // Runs a loop until it ends.  False if it goes on and is in the backlog
  // again, since other nodes wait.
  bool RunLoop(const ReadyNode& n, OpKernelContext::Params* params,
               Backlog* backlog);
  // Chooses the loops whose iterations run one after the other in this run: all
  // that can, but for those with a kernel that is worth a thread.
  void ChooseLoops();
  // RunNode for runs in order: while the kernel runs, nothing else does.
  bool RunAlone(const ReadyNode& n, OpKernelContext::Params* params,
                Backlog* backlog);
  // Counts the node as done.  Appends to `ready` the nodes that have become
  // ready, and the next wide node if this was one.  False if that was the last
  // node of the partition.
  bool NodeDone(const ReadyNode& n, ReadyList* ready);

  const CompiledGraph& graph_;
  const NodeRunner runner_;
  FrameManager frames_;
  std::vector<LastShapes> last_shapes_;  // By node.
  std::vector<int> expensive_;           // Nodes.
  const bool has_loops_;

  // For the current run.
  RunArgs args_;
  bool concurrent_ = false;
  // Nodes that wait for the asynchronous kernel that runs, if nodes run in
  // order: only the thread that starts it, or the one on which it ends, is at
  // work then.
  ReadyList held_;
  // Guards frames_, the members below, and last_shapes_ in loops.
  absl::Mutex mu_;
  int64_t outstanding_ = 0;  // Nodes ready or running.
  // The wide node that runs, or that a thread has in its backlog to run next;
  // and the other wide nodes that are ready.
  std::optional<ReadyNode> wide_;
  ReadyList wide_waiting_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DATAFLOW_EXECUTOR_H_
