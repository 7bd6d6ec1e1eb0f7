// SPDX-License-Identifier: Apache-2.0
// ScalarLoop.
#include "core/common_runtime/scalar_loop.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/common_runtime/compiled_graph.h"

namespace tensorwright {

// Used once.
class ScalarLoopCompiler {
 public:
  ScalarLoopCompiler(const std::vector<CompiledNode>& nodes,
                     const CompiledFrame& frame)
      : nodes_(nodes), frame_(frame), loop_(new ScalarLoop) {}

  std::unique_ptr<const ScalarLoop> Compile();

 private:
  // When a value is there.
  enum class Time : uint8_t {
    kAlways,  // In every iteration, also the last.
    kInside,  // In those that go on.
    kLeft,    // In the last.
  };
  struct Value {
    int reg = -1;
    Time time = Time::kAlways;
  };

  // Each returns false for a loop that is none of scalars.
  bool AddEnters();
  bool AddConstants();
  bool AddStep(const CompiledLoop::Step& step);
  bool AddMerge(const CompiledNode& node);
  bool AddSwitch(const CompiledNode& node);
  bool AddKernel(const CompiledNode& node, Time time);
  bool AddNext(const CompiledNode& node, Time time);
  // Sets *time to when all inputs of a node are there; false if they never are
  // in one iteration.
  bool TimeOf(const CompiledLoop::Step& step, const CompiledNode& node,
              Time* time) const;

  const Value& Input(const CompiledNode& node, int i) const {
    const int slot = frame_.input_slots[node.first_input + i];
    return slot >= 0 ? values_[slot] : brought_[node.first_input + i];
  }
  int NewRegister() { return loop_->num_registers_++; }
  static bool IsNumber(DataType dtype) {
    return DataTypeCanUseMemcpy(dtype) && DataTypeSize(dtype) <= 8;
  }

  const std::vector<CompiledNode>& nodes_;
  const CompiledFrame& frame_;
  std::unique_ptr<ScalarLoop> loop_;
  std::vector<Value> values_;   // By slot.
  std::vector<Value> brought_;  // By input: constants and invariants.
  std::vector<Time> times_;     // By index in the frame.
  // Slot in which a variable lands -> its register.
  absl::flat_hash_map<int, int> landings_;
  std::vector<std::pair<int, int>> next_;  // Register, landing slot.
  int loop_cond_ = -1;                     // The slot of its result.
};

bool ScalarLoopCompiler::AddConstants() {
  brought_.resize(frame_.input_slots.size());
  for (const auto& [input, constant] : frame_.constant_inputs) {
    if (constant->dims() != 0 || !IsNumber(constant->dtype())) return false;
    brought_[input].reg = NewRegister();
    loop_->constants_.emplace_back(brought_[input].reg, *constant);
  }
  return true;
}

bool ScalarLoopCompiler::AddEnters() {
  for (const CompiledLoop::Invariant& invariant : frame_.loop->invariants) {
    const DataType dtype = nodes_[invariant.enter].output_types[0];
    if (!IsNumber(dtype)) return false;
    const int reg = NewRegister();
    loop_->invariants_.push_back({invariant.enter, reg, dtype});
    for (const int input : invariant.inputs) brought_[input].reg = reg;
  }
  return true;
}

bool ScalarLoopCompiler::AddMerge(const CompiledNode& node) {
  const DataType dtype = node.output_types[0];
  if (!IsNumber(dtype) || node.num_inputs != 2) return false;
  const int reg = NewRegister();
  values_[node.first_output].reg = reg;
  for (int i = 0; i < 2; ++i) {
    landings_[frame_.input_slots[node.first_input + i]] = reg;
  }
  for (const int enter : frame_.loop->enters) {
    const CompiledNode& e = nodes_[enter];
    if (e.is_constant_enter) continue;
    for (int i = 0; i < 2; ++i) {
      if (e.landing_slot != frame_.input_slots[node.first_input + i]) continue;
      loop_->variables_.push_back({enter, reg, dtype});
      return true;
    }
  }
  return false;
}

bool ScalarLoopCompiler::AddSwitch(const CompiledNode& node) {
  const Value& data = Input(node, 0);
  if (frame_.input_slots[node.first_input + 1] != loop_cond_ ||
      data.time != Time::kAlways) {
    return false;
  }
  values_[node.first_output] = {data.reg, Time::kLeft};
  values_[node.first_output + 1] = {data.reg, Time::kInside};
  return true;
}

bool ScalarLoopCompiler::AddKernel(const CompiledNode& node, Time time) {
  const auto* kernel = dynamic_cast<const ScalarKernel*>(node.kernel);
  std::vector<ScalarCall> calls;
  std::vector<int> outputs;
  if (kernel == nullptr || time == Time::kLeft ||
      !kernel->ScalarCalls(&calls, &outputs)) {
    return false;
  }
  for (int i = 0; i < node.num_outputs; ++i) {
    if (!IsNumber(node.output_types[i])) return false;
  }
  std::vector<int> registers;
  for (int i = 0; i < node.num_inputs; ++i) {
    registers.push_back(Input(node, i).reg);
  }
  for (const ScalarCall& call : calls) {
    ScalarLoop::Call& made =
        (time == Time::kAlways ? loop_->condition_ : loop_->body_)
            .emplace_back();
    made.unary = call.unary;
    made.binary = call.binary;
    made.select = call.select;
    for (int i = 0; i < 3; ++i) made.operands[i] = registers[call.operands[i]];
    made.result = NewRegister();
    registers.push_back(made.result);
  }
  for (int i = 0; i < node.num_outputs; ++i) {
    values_[node.first_output + i] = {registers[outputs[i]], time};
  }
  return true;
}

bool ScalarLoopCompiler::AddNext(const CompiledNode& node, Time time) {
  // A loop that goes on after its last iteration is for tensors to end.
  if (time != Time::kInside) return false;
  next_.emplace_back(Input(node, 0).reg, node.landing_slot);
  return true;
}

bool ScalarLoopCompiler::TimeOf(const CompiledLoop::Step& step,
                                const CompiledNode& node, Time* time) const {
  *time = Time::kAlways;
  const auto add = [time](Time other) {
    if (other == Time::kAlways || other == *time) return true;
    if (*time != Time::kAlways) return false;
    *time = other;
    return true;
  };
  for (int i = 0; i < node.num_inputs; ++i) {
    const Value& value = Input(node, i);
    if (value.reg < 0 || !add(value.time)) return false;
  }
  for (int i = 0; i < step.num_controls; ++i) {
    if (!add(times_[frame_.loop->controls[step.first_control + i]])) {
      return false;
    }
  }
  return true;
}

bool ScalarLoopCompiler::AddStep(const CompiledLoop::Step& step) {
  using Kind = CompiledLoop::Kind;
  const CompiledNode& node = nodes_[step.node];
  if (step.kind == Kind::kLoopMerge) return AddMerge(node);
  Time time;
  if (!TimeOf(step, node, &time)) return false;
  times_[node.index_in_frame] = time;
  switch (step.kind) {
    case Kind::kSwitch:
      times_[node.index_in_frame] = Time::kAlways;
      return time == Time::kAlways && AddSwitch(node);
    case Kind::kPassThrough:
      values_[node.first_output] = {Input(node, 0).reg, time};
      if (node.node_class != NodeClass::kLoopCond) return true;
      if (loop_cond_ >= 0 || time != Time::kAlways) return false;
      loop_cond_ = node.first_output;
      loop_->predicate_ = Input(node, 0).reg;
      return true;
    case Kind::kNextIteration:
      return AddNext(node, time);
    case Kind::kExit:
      loop_->results_.push_back(
          {step.node, Input(node, 0).reg, node.output_types[0]});
      return time == Time::kLeft;
    case Kind::kOrder:
      return node.node_class == NodeClass::kNoOp;
    case Kind::kKernel:
      return AddKernel(node, time);
    default:
      return false;
  }
}

std::unique_ptr<const ScalarLoop> ScalarLoopCompiler::Compile() {
  values_.resize(frame_.slot_uses.size());
  times_.resize(frame_.nodes.size(), Time::kAlways);
  if (!AddConstants() || !AddEnters()) return nullptr;
  for (const CompiledLoop::Step& step : frame_.loop->steps) {
    if (!AddStep(step)) return nullptr;
  }
  // Every variable has one next value.
  if (loop_cond_ < 0 || next_.size() != loop_->variables_.size()) {
    return nullptr;
  }
  for (const auto& [from, slot] : next_) {
    const auto to = landings_.find(slot);
    if (to == landings_.end()) return nullptr;
    const bool is_variable =
        std::any_of(loop_->variables_.begin(), loop_->variables_.end(),
                    [from = from](const auto& v) { return v.reg == from; });
    auto& list = is_variable ? loop_->swaps_ : loop_->moves_;
    if (from != to->second) list.emplace_back(from, to->second);
  }
  return std::move(loop_);
}

std::unique_ptr<const ScalarLoop> ScalarLoop::Compile(
    const std::vector<CompiledNode>& nodes, const CompiledFrame& frame) {
  return ScalarLoopCompiler(nodes, frame).Compile();
}

ScalarLoop::Registers ScalarLoop::MakeRegisters() const {
  Registers registers(num_registers_);
  for (const auto& [reg, value] : constants_) Load(value, &registers[reg]);
  return registers;
}

bool ScalarLoop::Load(const Tensor& tensor, Register* reg) {
  if (tensor.dims() != 0 || !tensor.IsInitialized()) return false;
  std::memcpy(reg->bytes, tensor.data(), DataTypeSize(tensor.dtype()));
  return true;
}

inline bool ScalarLoop::RunCalls(const std::vector<Call>& calls,
                                 Register* registers) {
  for (const Call& call : calls) {
    const std::byte* const x = registers[call.operands[0]].bytes;
    std::byte* const result = registers[call.result].bytes;
    if (call.binary != nullptr) {
      const std::byte* const y = registers[call.operands[1]].bytes;
      if (!call.binary(x, y, result, 1, 1, 1)) [[unlikely]]
        return false;
    } else if (call.unary != nullptr) {
      call.unary(x, result, 1);
    } else {
      const int from =
          call.select && x[0] == std::byte{0} ? 2 : (call.select ? 1 : 0);
      registers[call.result] = registers[call.operands[from]];
    }
  }
  return true;
}

ScalarLoop::End ScalarLoop::Run(Registers* registers, int64_t iterations,
                                int64_t* done) const {
  Register* const r = registers->data();
  absl::InlinedVector<Register, 8> held(swaps_.size());
  for (; iterations > 0; --iterations) {
    if (!RunCalls(condition_, r)) return End::kFailure;
    if (r[predicate_].bytes[0] == std::byte{0}) {
      ++*done;
      return End::kLoop;
    }
    if (!RunCalls(body_, r)) return End::kFailure;
    ++*done;
    for (size_t i = 0; i < swaps_.size(); ++i) held[i] = r[swaps_[i].first];
    for (const auto& [from, to] : moves_) r[to] = r[from];
    for (size_t i = 0; i < swaps_.size(); ++i) r[swaps_[i].second] = held[i];
  }
  return End::kBudget;
}

}  // namespace tensorwright
