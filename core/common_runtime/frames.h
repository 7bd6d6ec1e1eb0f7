// SPDX-License-Identifier: Apache-2.0
// Frames and iterations hold the values of a dataflow run.
//
// A run has one root frame with one iteration.  Every Enter that is reached
// opens (or joins) a child frame of the iteration it runs in; NextIteration
// carries a value into the next iteration of its frame, Exit into the parent's.
//
//   Iteration   the slots, inputs and wait counts of the frame's nodes, once
//   FrameState  the iterations alive, and the values that wait for the next one
//
// A frame may instead be run as a SequentialLoop, one iteration after the
// other: then it is one node that becomes ready when the last Enter was
// reached.
//
// Both are recycled: their memory, and the pointers from inputs to slots in it,
// stay as they are.  FrameManager holds the rules of loops (when iterations and
// frames begin and end); the executor holds those of nodes.  None of this is
// thread safe: the executor's lock guards it.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_FRAMES_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_FRAMES_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/sequential_loop.h"
#include "core/framework/op_kernel.h"

namespace tensorwright {

struct FrameState;

// One node's progress in one iteration.
struct NodeState {
  // Edges that have not arrived.  For a Merge: twice the control edges, plus
  // one until a live input has come.
  int pending = 0;
  int dead = 0;  // Dead edges that have arrived.
};

struct Iteration {
  FrameState* frame = nullptr;
  int64_t number = 0;
  // Nodes that are ready or running, and child frames that are alive.
  int outstanding_nodes = 0;
  int outstanding_frames = 0;
  // All get their size once, from the frame's numbers of nodes, slots and
  // inputs.
  std::vector<NodeState> nodes;
  std::vector<OutputSlot> slots;
  // By slot: readers to come.  Read by executing threads without the lock.
  std::vector<std::atomic<int>> uses;
  std::vector<TensorValue> inputs;
  std::vector<Tensor> deref;  // Sized if the graph has references.
  std::vector<std::pair<int, FrameState*>> children;  // By compiled frame.
};

// A node to run; a `dead` one only passes its deadness on.
struct ReadyNode {
  int node = 0;
  Iteration* iteration = nullptr;
  bool dead = false;
  // A whole loop, in the place of its last Enter, to run one iteration after
  // the other; else null.
  FrameState* loop = nullptr;
};
using ReadyList = std::vector<ReadyNode>;

struct FrameState {
  int frame = 0;    // In CompiledGraph::frames().
  uint64_t id = 0;  // Equal in all partitions of the step.
  Iteration* parent = nullptr;
  int enters_to_come = 0;
  int64_t next_number = 0;  // Number of the next iteration.
  // The iterations alive, oldest first.
  std::deque<Iteration*> iterations;
  // Values for an iteration that may not begin yet.
  std::vector<std::pair<int, OutputSlot>> waiting;
  // The values of constant Enters: (node, value); every iteration gets them.
  struct Invariant {
    int node;
    bool dead;
    std::unique_ptr<OutputSlot> value;
  };
  std::vector<Invariant> invariants;
  // Exits that have been dead, or live, in some iteration.
  std::vector<int> dead_exits;
  std::vector<int> live_exits;
  // Runs the iterations one after the other, if `is_sequential`.  Kept from run
  // to run.
  std::unique_ptr<SequentialLoop> sequential;
  bool is_sequential = false;
};

// Owns all iterations and frames of one executor.  `graph` outlives it.  Faults
// of the graph, such as frames that do not nest, were found when it was
// compiled, except for the one that exited_twice() tells of.
class FrameManager {
 public:
  explicit FrameManager(const CompiledGraph& graph);
  ~FrameManager();

  // Begins a run, after the last one is over: resets the root iteration and
  // appends the nodes that are ready at once.  The result is owned by this and
  // is the same for all runs.
  Iteration* BeginRoot(ReadyList* ready);
  // Are the frames of that compiled frame, which has a CompiledLoop, from now
  // on to be run as SequentialLoops?  Not while one is alive.
  void SetSequential(int frame, bool sequential) {
    sequential_[frame] = sequential;
  }

  // The node has run, or is dead, or is a loop that has ended.  Passes
  // results on, counts the node as done, ends iterations and frames that are
  // over, and appends the nodes that have become ready.
  void NodeDone(const ReadyNode& node, ReadyList* ready);

  Iteration* root() { return root_; }

  // An Exit of this run that had a value in a second iteration of its loop,
  // which was dropped, because the graph is wrong; null if there is none.
  const Node* exited_twice() const { return exited_twice_; }

 private:
  // Tells the consumers of `node` in `to` of the value in `slots` (one per
  // output; dead if its tensor is nullptr).
  void Deliver(int node, bool dead, OutputSlot* slots, Iteration* to,
               ReadyList* ready);
  void DeliverEdge(const CompiledNode& source, const CompiledEdge& edge,
                   bool dead, OutputSlot* slots, Iteration* to,
                   ReadyList* ready);
  // Puts the single output of an Enter, Exit or NextIteration into the other
  // iteration and tells the consumers there.
  void Land(int node, bool dead, OutputSlot* slot, Iteration* to,
            ReadyList* ready);
  void Enter(const ReadyNode& n, OutputSlot* slot, ReadyList* ready);
  void Exit(const ReadyNode& n, OutputSlot* slot, ReadyList* ready);
  void NextIteration(const ReadyNode& n, OutputSlot* slot, ReadyList* ready);

  FrameState* FindOrMakeFrame(int frame, Iteration* parent, ReadyList* ready);
  Iteration* BeginIteration(FrameState* frame, ReadyList* ready);
  // Ends iterations, then perhaps the frame, then perhaps the parent's, and so
  // on.
  void CleanUp(FrameState* frame, ReadyList* ready);
  void EndFrame(FrameState* frame, ReadyList* ready);
  void EndLoop(FrameState* frame, ReadyList* ready);
  // Takes the frame, whose Exits have been delivered, from its parent.
  void CloseFrame(FrameState* frame, ReadyList* ready);

  std::unique_ptr<Iteration> MakeIteration(int frame) const;
  void ResetIteration(int frame, Iteration* iteration) const;

  const CompiledGraph& graph_;
  Iteration* root_ = nullptr;
  std::vector<std::unique_ptr<Iteration>> all_iterations_;
  std::vector<std::unique_ptr<FrameState>> all_frames_;
  std::vector<std::vector<Iteration*>> free_iterations_;  // By compiled frame.
  std::vector<std::vector<FrameState*>> free_frames_;
  std::vector<bool> sequential_;  // By compiled frame.
  const Node* exited_twice_ = nullptr;
  bool has_refs_ = false;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_FRAMES_H_
