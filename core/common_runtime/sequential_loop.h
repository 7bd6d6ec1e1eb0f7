// SPDX-License-Identifier: Apache-2.0
// SequentialLoop: runs the iterations of a loop frame one after the other.
//
// Frames count what each node waits for in each iteration, so that iterations
// may overlap and kernels of one may run in several threads.  A loop of cheap
// kernels gains nothing by that.  Here its nodes run in the static order, with
// one set of slots for all iterations; a node is dead if an input is, as in a
// frame.  The frames that can be run like this have a CompiledLoop.  If only
// scalars enter, and it has nothing else either, it is run as a ScalarLoop.
//
// Holds one run of the loop at a time, from Begin until the results were taken.
// Owned by its FrameState; not thread safe.  After an error it must not be used
// again.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SEQUENTIAL_LOOP_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SEQUENTIAL_LOOP_H_

#include <cstdint>
#include <vector>

#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/step.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class SequentialLoop {
 public:
  // The value that an Exit brings out of the loop.
  struct Result {
    int node;          // The Exit, a compiled node.
    OutputSlot value;  // Without a tensor: the Exit was dead every time.
  };

  // `graph` outlives the loop; graph.frames()[frame].loop is set.
  SequentialLoop(const CompiledGraph& graph, int frame);

  // Forgets the last run.  `frame_id` tells kernels which loop they are in.
  void Begin(uint64_t frame_id);
  // Moves the value of an Enter in; null for a dead one.  Every Enter brings
  // one between Begin and the first Run.
  void Enter(int node, OutputSlot* value);
  // Runs iterations, until none follows or exited_twice() (sets *ended), `step`
  // has been stopped, or `min_nodes` nodes or a few more have run.  `params`
  // are those of the run.  Errors have their node noted.
  Status Run(OpKernelContext::Params* params, const Step& step, int min_nodes,
             bool* ended);
  // Gives back the values that the loop has held while it ran.
  void End();
  // One for each Exit; values may be moved out.
  std::vector<Result>& results() { return results_; }
  // An Exit that had a value in two iterations, because the graph is wrong, the
  // second of which was dropped; null if there is none.
  const Node* exited_twice() const { return exited_twice_; }

 private:
  Status RunNode(const CompiledLoop::Step& step, const CompiledNode& node,
                 OpKernelContext::Params* params);
  Status RunKernel(const CompiledLoop::Step& step, const CompiledNode& node,
                   OpKernelContext::Params* params);
  Status Compute(const CompiledNode& node, OpKernelContext::Params* params);
  bool IsDead(const CompiledLoop::Step& step, const CompiledNode& node) const;
  void Merge(const CompiledNode& node);
  // False if the predicate is no scalar, which is for the kernel to tell.
  bool Switch(const CompiledNode& node);
  void Exit(const CompiledNode& node, int index);
  void Release(const CompiledNode& node);
  // Takes the values that have entered into registers; false if not all of
  // them are scalars, or values of the loop need not be.
  bool LoadScalars();
  // Run, by registers.  If a function fails, tensors take over: the kernel says
  // what is wrong.
  Status RunScalars(int min_nodes, bool* ended);
  Status MakeScalar(const ScalarLoop::Port& port, OutputSlot* slot) const;

  const CompiledGraph& graph_;
  const CompiledFrame& frame_;
  const CompiledLoop& loop_;
  std::vector<OutputSlot> slots_;
  std::vector<TensorValue> inputs_;
  std::vector<bool> dead_;               // By index in the frame.
  std::vector<LastShapes> last_shapes_;  // Likewise.
  std::vector<Tensor> invariants_;       // As CompiledLoop::invariants.
  std::vector<Result> results_;
  uint64_t frame_id_ = 0;
  int64_t number_ = 0;  // Of the next iteration.
  bool continues_ = false;
  bool starts_ = false;  // No iteration has run.
  bool in_registers_ = false;
  ScalarLoop::Registers registers_;
  const Node* exited_twice_ = nullptr;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SEQUENTIAL_LOOP_H_
