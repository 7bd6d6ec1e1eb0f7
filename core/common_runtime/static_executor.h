// SPDX-License-Identifier: Apache-2.0
// StaticExecutor: kernels in a fixed order, in the calling thread.
//
// Per node it fills five words of a prepared parameter block, compares shapes,
// calls the kernel and drops the values that are not needed any more: no
// hashing, no locks, no allocation of its own.  The place of every value was
// decided when the executor was made.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_STATIC_EXECUTOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_STATIC_EXECUTOR_H_

#include <vector>

#include "core/common_runtime/executor.h"

namespace tensorwright {

class StaticExecutor final : public Executor {
 public:
  // `graph` outlives it.  Only for graphs without control flow
  // (CompiledGraph::Mode::kStatic); waits for asynchronous kernels.
  explicit StaticExecutor(const CompiledGraph& graph);

  void Start(const RunArgs& args) override;
  // The same for a run that has this partition only and no queue: returns when
  // it is over.  An error, if any, goes to the step.
  void Run(Step* step, absl::Span<const Tensor> feeds,
           std::vector<Tensor>* fetches);

 private:
  Status RunNodes(Step* step);
  Status RunNode(const CompiledNode& node, int index,
                 OpKernelContext::Params* params);
  // RunNode with the clock, for traces.
  Status RunTimed(const CompiledNode& node, int index,
                  OpKernelContext::Params* params);
  // Frees the values that no node after `node` reads.
  void Release(const CompiledNode& node);

  const CompiledGraph& graph_;
  const NodeRunner runner_;
  std::vector<int> schedule_;  // Nodes that have a kernel.
  std::vector<OutputSlot> slots_;
  std::vector<TensorValue> inputs_;
  // By input; sized if any input may be a reference.
  std::vector<Tensor> deref_;
  std::vector<LastShapes> last_shapes_;  // By node.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_STATIC_EXECUTOR_H_
