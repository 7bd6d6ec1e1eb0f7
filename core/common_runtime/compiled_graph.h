// SPDX-License-Identifier: Apache-2.0
// CompiledGraph: one partition of a plan in the form that executors run: flat
// arrays, integer slots, kernels made, constants materialised, a static order.
//
// Every output of every node has a slot, every input a place in one flat array.
// Feeds and fetches are slots here, not nodes; constants are tensors that
// inputs point to.  Owned by its Plan, which shares it with all run states;
// immutable except for the measured costs, which any thread may read and
// record. The executors, not this, hold the values of a run.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/common_runtime/kernel_cache.h"
#include "core/common_runtime/scalar_loop.h"
#include "core/common_runtime/shape_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/graph/control_flow_info.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A node.  Slots and inputs are numbered within the frame that the node runs in
// (the root frame holds everything of a graph without loops).
struct CompiledNode {
  const Node* node = nullptr;
  OpKernel* kernel = nullptr;      // Null: only the node's edges matter (NoOp).
  AsyncOpKernel* async = nullptr;  // `kernel`, if it is asynchronous.
  ShapeCheck* shape_check = nullptr;  // Null: nothing to check.
  // From the node's properties, one per output.
  const DataType* output_types = nullptr;
  NodeClass node_class = NodeClass::kOther;
  int frame = 0;
  int index_in_frame = 0;
  int num_inputs = 0;
  int num_outputs = 0;
  int first_input = 0;    // In the frame's array of inputs.
  int first_output = 0;   // In the frame's array of slots.
  int enters_frame = -1;  // Enter: the frame it opens.
  int landing_slot = -1;  // Enter, Exit, NextIteration: in the output's frame.
  int first_release = 0;  // In CompiledGraph::releases().
  int num_releases = 0;
  int first_edge = 0;  // In CompiledGraph::edges().
  int num_edges = 0;
  bool is_expensive = false;
  bool is_constant_enter = false;
  // Its output is its input: Identity, Enter, Exit, ... of values.  Executors
  // pass the value on themselves.
  bool passes_through = false;
  // Executors route values of a Merge or Switch themselves, likewise.
  bool routes = false;
  bool writes_variables = false;  // As far as its signature tells.
  bool has_ref_inputs = false;  // Inputs need preparing before the kernel runs.
  bool has_ref_outputs = false;  // Consumers' inputs are set after it has run.
};

// Tells where a node's result goes.
struct CompiledEdge {
  int dst = 0;          // Compiled node.
  int output = 0;       // Output of the source; -1: a control edge.
  int input = 0;        // In the frame's array of inputs; -1: a control edge.
  bool to_ref = false;  // The consumer takes the reference, not the value.
};

// The memory of each value of a node, on a device whose memory is not the
// host's.
struct NodeMemory {
  // One per input and output: on_host() if the kernel wants host memory. Empty
  // for a node without a kernel.
  std::vector<AllocatorAttributes> inputs;
  std::vector<AllocatorAttributes> outputs;
  DeviceContext* context = nullptr;  // The kernel's.

  // Sets them for one kernel call.  The parameters borrow the arrays.
  void SetIn(OpKernelContext::Params* params) const {
    params->input_alloc_attrs = inputs;
    params->output_alloc_attrs = outputs;
    params->op_device_context = context;
  }
};

// A loop frame whose iterations one thread can run one after the other, in the
// static order: see SequentialLoop.
struct CompiledLoop {
  enum class Kind : uint8_t {
    kMerge,
    kLoopMerge,  // Of the values of an Enter and a NextIteration.
    kSwitch,
    kPassThrough,
    kNextIteration,
    kExit,
    kOrder,  // Only the node's edges matter.
    kKernel,
  };
  struct Step {
    Kind kind;
    int node;
    // In `controls`.
    int first_control;
    int num_controls;
  };
  std::vector<Step> steps;
  // Nodes, by their index in the frame, at the other end of control edges.
  std::vector<int> controls;
  std::vector<int> enters;     // Compiled nodes.
  std::vector<int> exits;      // Likewise.
  std::vector<int> expensive;  // Likewise.
  // The constant Enters, and the inputs that read their values.
  struct Invariant {
    int enter;
    std::vector<int> inputs;
  };
  std::vector<Invariant> invariants;
  // Null if not all values can be scalars.
  std::unique_ptr<const ScalarLoop> scalars;
};

// The parts of a frame that each iteration needs; the root has one iteration.
struct CompiledFrame {
  // In CompiledGraph::frames(); -1 for the root.
  int parent = -1;
  std::string name;
  int parallel_iterations = 1;
  int num_enters = 0;
  std::vector<int> nodes;    // Compiled nodes, by index in the frame.
  std::vector<int> pending;  // By index: see Iteration::NodeState.
  std::vector<int> ready;    // Compiled nodes that wait for nothing.
  std::vector<int>
      input_slots;  // By input: its slot; -1: no slot of this frame.
  std::vector<bool> input_is_last;  // In the static order.
  std::vector<int> merge_inputs;    // Inputs that are set only on arrival.
  std::vector<int> slot_uses;       // By slot: inputs and fetches that read it.
  // The inputs that are constants.
  std::vector<std::pair<int, const Tensor*>> constant_inputs;
  // Null if iterations may overlap, or need more than kernels in an order.
  std::unique_ptr<const CompiledLoop> loop;
};

// Arrays that the getters return live as long as this object.
class CompiledGraph {
 public:
  enum class Mode {
    // One kernel after the other, in the calling thread.
    kStatic,
    // Kernels run when their inputs are there, expensive ones in parallel.
    kDataflow,
    // The same with dead values and loop frames.
    kControlFlow,
  };

  // Slots of the root frame.
  struct FeedSlot {
    int feed;
    int slot;
  };
  struct FetchSlot {
    int fetch;
    int slot;                // -1: a constant.
    const Tensor* constant;  // The value, if it is one.
    const Node* node;        // The node that is fetched, for messages.
    bool is_last;            // The slot's value may be moved out.
  };

  // Takes the graph, all of whose op nodes are for `device`, with _Arg and
  // _Retval nodes as feeds and fetches.  `device` and `kernels` are borrowed
  // and outlive the result.  `may_be_dead`: values from other partitions may be
  // dead, so the graph needs the executor for control flow even if it has none
  // itself. InvalidArgument, with the node noted, for cycles, frames that do
  // not nest, fetches from inside a loop and constants that are no tensors;
  // otherwise the errors of kernels' constructors. After an error *compiled is
  // of no use.
  static Status Compile(std::unique_ptr<Graph> graph, Device* device,
                        KernelCache* kernels, bool may_be_dead,
                        std::unique_ptr<CompiledGraph>* compiled);

  Device* device() const { return device_; }
  // Kernels call functions through it; null if none does.
  FunctionLibraryRuntime* functions() const { return functions_; }
  const Graph& graph() const { return *graph_; }
  // The mode for a run with that many threads: kStatic instead of kDataflow if
  // nothing could run in parallel anyway, or only one thread may be used.
  // Follows the measured costs, so the answer changes from run to run; linear
  // in the graph.
  Mode mode(int inter_op_threads) const {
    return mode_ == Mode::kDataflow && !has_async_ &&
                   (inter_op_threads < 2 || !MayRunInParallel())
               ? Mode::kStatic
               : mode_;
  }
  // Feeds, fetches and constants are not among them.  In topological order
  // (edges out of NextIteration do not count), each chain finished before the
  // next begins: the order in which kStatic runs them.
  const std::vector<CompiledNode>& nodes() const { return nodes_; }
  // The root first.
  const std::vector<CompiledFrame>& frames() const { return frames_; }
  // The slots of a node's frame whose values are not needed after the node has
  // run in the static order; see CompiledNode::first_release.
  const std::vector<int>& releases() const { return releases_; }
  const std::vector<CompiledEdge>& edges() const { return edges_; }
  const std::vector<FeedSlot>& feeds() const { return feeds_; }
  const std::vector<FetchSlot>& fetches() const { return fetches_; }
  // By node; empty on a device whose memory is the host's.
  const std::vector<NodeMemory>& memory() const { return memory_; }
  // Has it Send or Recv nodes, or asynchronous kernels?
  bool has_transfers() const { return has_transfers_; }
  bool has_async() const { return has_async_; }

  // Adds a measurement to the smoothed run time of a node's kernel, a quarter
  // of the new one at a time.  Any thread; if two record at the same time, one
  // measurement may be lost.
  void RecordCost(int node, int64_t nanos) const {
    std::atomic<int32_t>& cost = costs_[node];
    const int64_t old = cost.load(std::memory_order_relaxed);
    const int64_t next = old < 0 ? nanos : old + (nanos - old) / 4;
    cost.store(static_cast<int32_t>(std::min<int64_t>(next, 1 << 30)),
               std::memory_order_relaxed);
  }
  // Is a kernel of this node worth another thread?  Until it has been measured,
  // the kernel's own estimate answers.
  bool IsWorthAThread(int node) const {
    const int32_t cost = costs_[node].load(std::memory_order_relaxed);
    return nodes_[node].is_expensive && (cost < 0 || cost > kThreadCostNanos);
  }
  // Does the node's kernel use every thread of a pool, for so long that it
  // should have the cores for itself?  Its last run decides.
  void RecordWidth(int node, bool wide) const {
    std::atomic<bool>& last = wide_[node];
    if (last.load(std::memory_order_relaxed) != wide) {
      last.store(wide, std::memory_order_relaxed);
    }
  }
  bool IsWide(int node) const {
    return wide_[node].load(std::memory_order_relaxed) &&
           costs_[node].load(std::memory_order_relaxed) > kWideCostNanos;
  }
  // Could two nodes that are worth a thread ever be ready together?
  bool MayRunInParallel() const;

  static constexpr int32_t kThreadCostNanos = 20000;
  // A kernel that takes less time spends more on gathering its threads than it
  // would lose by sharing the cores.
  static constexpr int32_t kWideCostNanos = 50000;

 private:
  friend class GraphCompiler;
  CompiledGraph() = default;

  Mode mode_ = Mode::kStatic;
  Device* device_ = nullptr;
  FunctionLibraryRuntime* functions_ = nullptr;
  std::unique_ptr<Graph> graph_;
  std::vector<std::shared_ptr<OpKernel>> kernels_;
  std::vector<std::unique_ptr<ShapeCheck>> shape_checks_;
  std::vector<CompiledNode> nodes_;
  std::vector<CompiledFrame> frames_;
  std::vector<NodeMemory> memory_;
  std::vector<int> releases_;
  std::vector<CompiledEdge> edges_;
  std::vector<std::unique_ptr<Tensor>> constants_;
  std::vector<FeedSlot> feeds_;
  std::vector<FetchSlot> fetches_;
  bool has_transfers_ = false;
  bool has_async_ = false;
  // By node.
  mutable std::vector<std::atomic<int32_t>> costs_;
  mutable std::vector<std::atomic<bool>> wide_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_H_
