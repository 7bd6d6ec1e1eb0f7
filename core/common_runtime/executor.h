// SPDX-License-Identifier: Apache-2.0
// Executor: runs one partition of a plan, again and again.
//
// There are two.  StaticExecutor, for small and sequential graphs, calls
// kernels in a fixed order in the calling thread.  DataflowExecutor starts
// kernels when their inputs are there, in several threads, with dead values and
// loop frames where the graph has control flow.  NodeRunner holds the work that
// both do for one node.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTOR_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/step.h"
#include "core/common_runtime/work_queue.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// One run, for all its partitions.  It borrows: the objects it points to live
// until the last partition is done, and nobody writes the elements of feeds
// meanwhile.
struct RunArgs {
  Step* step = nullptr;
  std::shared_ptr<WorkQueue> queue;
  absl::Span<const Tensor> feeds;
  std::vector<Tensor>* fetches = nullptr;  // Has its size; partitions fill it.
  // Must nodes run one at a time, in an order that the graph decides, whatever
  // they cost and however long asynchronous ones take?  The queue has no pool
  // then, and there is one partition.
  bool in_order = false;
};

// Holds the slots of one run at a time, so it belongs to one run state and has
// no lock against a second run.  After a run that failed it must not be used
// again: values of that run may still be in its slots.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs the partition.  Errors go to args.step.  Calls
  // args.queue->PartitionDone() once when the last kernel has ended and fetches
  // are set, from any thread, perhaps before it returns.
  virtual void Start(const RunArgs& args) = 0;

  // `graph` outlives the executor.  `mode` is the answer of graph.mode().
  static std::unique_ptr<Executor> Make(const CompiledGraph& graph,
                                        CompiledGraph::Mode mode);
};

// The parts of running a node that do not depend on the order.  Has no state
// except the graph, so any thread may use it.
class NodeRunner {
 public:
  explicit NodeRunner(const CompiledGraph& graph);

  // The parameters of a kernel call, without the node's own.
  OpKernelContext::Params MakeParams(Step* step) const;

  // Lets the inputs of a frame's nodes point to their slots and constants, for
  // good.  last_use is that of the static order, where it was found.
  static void PointInputs(const CompiledFrame& frame,
                          absl::Span<OutputSlot> slots,
                          absl::Span<TensorValue> inputs);
  // For an op that wants values, replaces references by the values behind them
  // (kept in `storage`, one per input), and checks that variables are
  // initialized: FailedPrecondition otherwise, unless the op allows such
  // inputs.  Takes the mutex of each reference for a moment.
  static Status PrepareRefs(const CompiledNode& node,
                            absl::Span<TensorValue> inputs, Tensor* storage);
  // The error, with its node noted.
  static Status NodeError(const CompiledNode& node, const Status& status);
  // OK if the kernel has set every output that it must, to the right type; else
  // Internal.  A Switch or Recv may leave outputs out.
  static Status CheckOutputs(const CompiledNode& node,
                             absl::Span<const OutputSlot> outputs) {
    for (int i = 0; i < node.num_outputs; ++i) {
      if (outputs[i].tensor == nullptr ||
          outputs[i].tensor->dtype() != node.output_types[i]) [[unlikely]] {
        return CheckOutputsSlow(node, outputs);
      }
    }
    return OkStatus();
  }
  // Does the work of nodes that pass their input through: shares the buffer, or
  // moves it if this is the last use.  Values only.
  static void PassThrough(const TensorValue& input, OutputSlot* output) {
    if (input.last_use) {
      output->value = std::move(*input.tensor);
    } else {
      output->value = *input.tensor;
    }
    output->tensor = &output->value;
  }
  // Waits for what kernels left running on the partition's device, if that has
  // memory of its own, so that its errors belong to the run.
  static Status Sync(const CompiledGraph& graph, const Step& step);
  // The value of fetch `f`, moved out of `slots` if that is allowed.  A
  // variable's value is copied under its mutex: FailedPrecondition if it has no
  // value.  InvalidArgument if the tensor is dead.  Both errors note the node.
  static Status Fetch(const CompiledGraph::FetchSlot& f,
                      absl::Span<OutputSlot> slots, Tensor* value);

 private:
  static Status CheckOutputsSlow(const CompiledNode& node,
                                 absl::Span<const OutputSlot> outputs);

  const CompiledGraph& graph_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTOR_H_
