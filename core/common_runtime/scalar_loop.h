// SPDX-License-Identifier: Apache-2.0
// ScalarLoop: a loop all of whose values are scalars, as calls on registers.
//
// The kernels of such a loop take a few nanoseconds, their tensors ten times as
// much.  Every value has a register of eight bytes instead; kernels say which
// functions compute them (core/util/scalar_kernel.h).  That a loop is one is
// known when values enter it: where all of them are scalars, all values of the
// loop are.
//
// Made when the graph is compiled; immutable: any thread.  Who runs the loop
// owns the registers.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SCALAR_LOOP_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SCALAR_LOOP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/util/scalar_kernel.h"

namespace tensorwright {

struct CompiledFrame;
struct CompiledNode;

class ScalarLoop {
 public:
  struct alignas(8) Register {
    std::byte bytes[8] = {};
  };
  using Registers = std::vector<Register>;
  // A value that crosses the loop's border, by the node that brings it.
  struct Port {
    int node;  // An Enter or Exit, in the nodes of the graph.
    int reg;
    DataType dtype;
  };
  enum class End {
    kLoop,     // The condition was false.
    kBudget,   // All iterations that were asked for have run.
    kFailure,  // A function failed.  The variables are as before the iteration.
  };

  // For a frame that has a CompiledLoop, whose nodes are among `nodes`.  Null
  // if a kernel does not say its functions, a value is no number of at most
  // eight bytes, or the loop branches otherwise than to go on or to end.
  static std::unique_ptr<const ScalarLoop> Compile(
      const std::vector<CompiledNode>& nodes, const CompiledFrame& frame);

  // Registers with the constants of the loop.
  Registers MakeRegisters() const;
  // The values that enter; invariants come every time, variables once.
  const std::vector<Port>& invariants() const { return invariants_; }
  const std::vector<Port>& variables() const { return variables_; }
  const std::vector<Port>& results() const { return results_; }

  // Sets a register to the value of a tensor; false if that is no scalar.
  static bool Load(const Tensor& tensor, Register* reg);

  // Runs iterations and adds their number to *done.
  End Run(Registers* registers, int64_t iterations, int64_t* done) const;

 private:
  friend class ScalarLoopCompiler;
  struct Call {
    ScalarCall::Unary unary = nullptr;
    ScalarCall::Binary binary = nullptr;
    bool select = false;
    int operands[3] = {0, 0, 0};
    int result = 0;
  };
  ScalarLoop() = default;
  static bool RunCalls(const std::vector<Call>& calls, Register* registers);

  std::vector<Call> condition_;  // Up to the predicate, which decides then.
  std::vector<Call> body_;
  int predicate_ = 0;
  // From a register to that of a variable, at the end of an iteration.  The
  // first ones read other variables, so all of them are read before any is
  // written.
  std::vector<std::pair<int, int>> swaps_;
  std::vector<std::pair<int, int>> moves_;
  std::vector<std::pair<int, Tensor>> constants_;
  std::vector<Port> invariants_;
  std::vector<Port> variables_;
  std::vector<Port> results_;
  int num_registers_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SCALAR_LOOP_H_
