// SPDX-License-Identifier: Apache-2.0
// FusedSchedule: plans how a fused elementwise program runs on inputs of given
// shapes.
//
// The steps of a program may have results of different shapes: a scalar
// learning rate is squared before it scales a matrix.  Steps of one shape form
// a phase. A phase walks over its elements once, in tiles: each instruction
// makes a whole tile, and the values between instructions stay in registers,
// which are buffers of a tile's size in the first-level cache.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_SCHEDULE_H_
#define TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/tensor_shape.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/util/fused_program.h"

namespace tensorwright {

// y[i] = condition[i * step] ? t[i] : e[i]; y may be t or e.
using SelectLoopFn = void (*)(const void* condition, const void* t,
                              const void* e, void* y, int64_t n, int step);

// *y = op(x[0], ..., x[n - 1]), n > 0.
using ReduceLoopFn = void (*)(const void* x, int64_t n, void* y);

// The loop for elements of 1, 2, 4 or 8 bytes; null for others.
SelectLoopFn SelectLoopFor(int element_size);

// The effect of one link of a chain on `a`, the value that passes through the
// chain, with operands `b` and `c`.  It is one of the first few below, or op(a)
// or op(a, b) for a functor whose row in cwise_table.h has a link flag
// (cwise_row.h).
enum class ChainOp : uint8_t {
  kNone,
  kSubFrom,     // b - a
  kDivInto,     // b / a
  kMulAdd,      // a * b + c
  kMulSub,      // a * b - c
  kMulSubFrom,  // c - a * b
#define TW_UNARY(op, cost, types, gpu, flags, ...) k##op,
#define TW_UNARY_PLAIN(op, cost, types, gpu, flags) k##op,
#define TW_BINARY(op, cost, types, gpu, flags, ...) k##op,
#define TW_BINARY_PLAIN(op, cost, types, gpu, flags) k##op,
#include "core/kernels/lib/cwise_table.h"
};

// The link for `op` on floats (element_size 4) or doubles (8) if the chain
// passes through its operand number `operand`; kNone if there is no such link.
ChainOp ChainOpOf(absl::string_view op, int operand, int element_size);

// The single link that multiplies and then does `op`; kNone if there is none.
ChainOp ProductAnd(ChainOp op);

// The most links that a chain may have.
inline constexpr int kMaxFusedLinks = 32;

struct FusedLink {
  ChainOp op = ChainOp::kNone;
  const void* operands[2] = {nullptr, nullptr};  // b and c; null: it has none.
  int steps[2] = {0, 0};                         // 0: a scalar; or 1.
};

// y[i] = all links applied to x[i], for floats (element_size 4) or doubles (8).
// y may be x or any of the operands.
void RunFusedChain(int element_size, const void* x,
                   absl::Span<const FusedLink> links, void* y, int64_t n);

// The effect of one step on a tile.  At most one of the function pointers is
// set; if none is, the step copies its operand.
struct FusedLoop {
  UnaryLoopFn unary = nullptr;
  BinaryLoopFn binary = nullptr;
  SelectLoopFn select = nullptr;
  ReduceLoopFn reduce = nullptr;
  bool is_mean = false;      // For `reduce`.
  double of_nothing = 0;     // The result of `reduce` for no elements.
  const char* failure = "";  // The error if `binary` returns false.
  int cost = 1;              // The cost of an element, as in UnaryOpBase.
  int result_size = 0;       // Bytes of a result's element.
  bool is_float = false;     // The elements are float or double.
};

class FusedSchedule {
 public:
  // How a phase reads the elements of a value that it does not compute itself.
  struct Source {
    int value = 0;
    enum class Access : uint8_t {
      kDirect,  // At the same position.
      kScalar,  // There is only one element.
      kRuns,    // In runs of `run` elements, below.
    };
    Access access = Access::kDirect;
    int element_size = 0;
    // For kRuns.  Positions r * run to r * run + run - 1 read consecutive
    // elements (run_step 1) or one and the same element (run_step 0).  To find
    // the start of run r, take r as a flat index into an array of shape `dims`
    // whose strides, in elements, are `strides`.
    int64_t run = 1;
    int run_step = 0;
    std::vector<int64_t> dims, strides;
    bool periodic = false;  // All runs are the same.

    // The first element of run `r`.
    int64_t RunStart(int64_t r) const;
  };

  // A value that the phase writes: an output of the node, or an input of later
  // phases.
  struct Sink {
    int value = 0;
    int element_size = 0;
    int output = -1;  // The output of the node; -1: only later phases use it.
    // Inputs of the node whose buffer this output may reuse.
    std::vector<int> in_place;
  };

  // Operands and results are slots: first the sources, then the sinks, then the
  // registers.
  struct Link {
    ChainOp op = ChainOp::kNone;
    int operands[2] = {-1, -1};  // -1: none.
  };
  struct Instruction {
    const FusedLoop* loop = nullptr;
    int step = 0;  // A step of the program; for a chain, its last one.
    int operands[3] = {0, 0, 0};
    int result = 0;
    // If this is not empty, the instruction is a chain: it applies these links
    // to operands[0] and does nothing else.
    std::vector<Link> links;
  };

  // A reduction at the end of a phase: every row of `cols` elements of one of
  // its values becomes one element.
  struct Reduction {
    const FusedLoop* loop = nullptr;
    int slot = 0;
    int value = 0;   // The result,
    int output = 0;  // which is this output of the node.
    int64_t rows = 0;
    int64_t cols = 0;
  };

  struct Phase {
    TensorShape shape;
    int64_t elements = 0;
    std::vector<Source> sources;
    std::vector<Sink> sinks;
    std::vector<int> register_sizes;  // The bytes of an element in each.
    std::vector<Instruction> code;
    std::vector<Reduction> reductions;  // They all have the same rows.
    // Tiles do not cross a multiple of `row`, unless they consist of whole
    // rows.
    int64_t tile = 0;
    int64_t row = 0;
    int64_t tiles_per_row = 0;  // 0: a tile is made of rows.
    int64_t cost = 0;           // The cost of an element.

    int64_t num_tiles() const;
    // The elements of a tile: the first one, and the one after the last.
    std::pair<int64_t, int64_t> Tile(int64_t index) const;
  };

  // `loops`: one for each step.  `input_sizes`: bytes of an element of each
  // input. `shapes`: those of all values, as FusedProgram::InferShapes gives
  // them.
  FusedSchedule(const FusedProgram& program, absl::Span<const FusedLoop> loops,
                absl::Span<const int> input_sizes,
                std::vector<TensorShape> shapes);

  const std::vector<Phase>& phases() const { return phases_; }
  const TensorShape& shape(int value) const { return shapes_[value]; }
  absl::Span<const TensorShape> input_shapes() const {
    return absl::MakeConstSpan(shapes_).subspan(0, num_inputs_);
  }

 private:
  class PhaseBuilder;

  // Phases by shape, in the order in which they can run.
  struct Order {
    std::vector<const TensorShape*> shapes;  // By phase.
    std::vector<std::vector<int>> steps;     // By phase.
    std::vector<int> phase_of_step;          // -1: the step does not run.
  };

  Order OrderSteps(const FusedProgram& program) const;
  // Sets *leaves, by value: does it leave its phase?  Sets *shared, by input:
  // do several phases read it?
  void FindCrossings(const FusedProgram& program,
                     const std::vector<int>& phase_of_step,
                     std::vector<bool>* leaves,
                     std::vector<bool>* shared) const;
  // Finds the steps that only pass a value on.  They do not run if their
  // readers can read the value itself.
  void FindAliases(const FusedProgram& program);
  // The value whose shape decides in which phase the step runs.
  int PhaseValue(const FusedProgram& program, int step) const;
  int SizeOf(int value) const;

  const int num_inputs_;
  absl::Span<const FusedLoop> loops_;
  std::vector<int> input_sizes_;
  std::vector<TensorShape> shapes_;
  std::vector<int> alias_;  // By value: itself, or the value that it passes on.
  std::vector<int> output_;  // By value: its output, or -1.
  std::vector<Phase> phases_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_SCHEDULE_H_
