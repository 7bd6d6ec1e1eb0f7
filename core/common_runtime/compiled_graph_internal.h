// SPDX-License-Identifier: Apache-2.0
// GraphCompiler: makes a CompiledGraph; for the sources of compiled_graph.h
// only.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_INTERNAL_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_INTERNAL_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/device.h"
#include "core/common_runtime/kernel_cache.h"
#include "core/framework/allocator.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor.h"
#include "core/graph/control_flow_info.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Used once, by one thread.
class GraphCompiler {
 public:
  // Fills *out, whose graph and device are set.
  GraphCompiler(CompiledGraph* out, KernelCache* kernels)
      : c_(*out),
        graph_(*out->graph_),
        kernels_(kernels),
        memory_is_host_(out->device_->memory_is_host()) {}

  Status Compile(bool may_be_dead);

 private:
  // The result for one node of the graph.
  struct Info {
    int compiled = -1;                  // Index in nodes_, or
    int slot = -1;                      // the slot of a feed, or
    const Tensor* constant = nullptr;   // a constant, in host memory,
    const Tensor* on_device = nullptr;  // and in the device's.
  };

  // ---- The course of it: compiled_graph.cc.

  // Sets order_, topological but for edges out of NextIteration.
  // InvalidArgument for a cycle.
  Status Order();
  void AddFrames();
  void AddShapeChecks();
  void ChooseMode(bool may_be_dead);

  // ---- Nodes: compiled_graph_nodes.cc.

  // Adds a feed, a constant, or a node with its slots and its kernel.
  Status AddNode(Node* node);
  Status AddConstant(const Node& node, Info* info);
  Status AddKernel(CompiledNode* n);
  // Sets the memory of a node's inputs and outputs; the node has its kernel.
  void AddMemory(const CompiledNode& n);
  int NewSlot(int frame);
  // Attributes of host memory, if the device has other memory too.
  AllocatorAttributes OnHost(bool on_host) const;
  // Is that input in host memory?
  bool IsOnHost(const CompiledNode& n, int input) const;
  // Do the first input and the first output live in one memory?
  bool SharesMemory(const CompiledNode& n) const;

  // ---- Edges: compiled_graph_edges.cc.

  // Connects the inputs of a node or a fetch with slots and constants, and
  // counts what the node waits for.  All nodes have been added.
  Status ConnectInputs(const Node& node);
  // Finds the constant in the memory that the input wants.
  Status ConstantFor(const CompiledNode& n, const Edge& e,
                     const Tensor** constant);
  // The slot from which the consumer of `e` reads.
  int SlotOf(const Edge& e) const;
  Status AddFetch(const Node& retval);
  // Adds the edges out of compiled node `index`.
  void AddEdges(size_t index);
  // Finds them for the static order of a frame.  Iterations that overlap count
  // uses at run time.
  void FindLastUses(int frame);

  // ---- Loops: compiled_graph_loops.cc.

  // Sets CompiledFrame::loop of the frames that can have one.
  void AddLoops();
  // Can iterations of the frame run one after the other?
  bool IsSequential(int frame) const;
  bool IsSequential(const CompiledNode& n) const;
  // Are these edges to Merges of loops alone?
  bool LeadsToMerges(const CompiledNode& n) const;
  // Does an Enter of the frame wait for an Exit of it?
  bool EntersWaitForExits(int frame) const;
  CompiledLoop::Kind LoopKind(const CompiledNode& n) const;
  // Comes the value of the Merge's input from an Enter or a NextIteration?
  bool IsLooped(const CompiledNode& merge, int input) const;

  static int IndexAttr(const Node& node) {
    return static_cast<int>(node.FindAttr("index")->i());
  }

  CompiledGraph& c_;
  const Graph& graph_;
  KernelCache* const kernels_;
  const bool memory_is_host_;
  std::vector<Node*> order_;
  ControlFlowInfo frames_;
  std::vector<Info> info_;  // By node id.
  // By slot, the index of the last fetch of it so far.
  absl::flat_hash_map<int, size_t> last_fetch_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_COMPILED_GRAPH_INTERNAL_H_
