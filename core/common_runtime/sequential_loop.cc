// SPDX-License-Identifier: Apache-2.0
// SequentialLoop.
#include "core/common_runtime/sequential_loop.h"

#include <cstring>
#include <utility>

#include "core/common_runtime/device.h"
#include "core/common_runtime/executor.h"
#include "core/common_runtime/step_stats_collector.h"
#include "core/framework/executed_ops.h"
#include "core/framework/variable_writes.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {
namespace {

// The number of a scalar's nodes that take the time of one tensor's.
constexpr int64_t kScalarsPerNode = 8;

}  // namespace

SequentialLoop::SequentialLoop(const CompiledGraph& graph, int frame)
    : graph_(graph),
      frame_(graph.frames()[frame]),
      loop_(*frame_.loop),
      slots_(frame_.slot_uses.size()),
      inputs_(frame_.input_slots.size()),
      dead_(frame_.nodes.size()),
      last_shapes_(frame_.nodes.size()),
      invariants_(loop_.invariants.size()) {
  NodeRunner::PointInputs(frame_, absl::MakeSpan(slots_),
                          absl::MakeSpan(inputs_));
  for (const int exit : loop_.exits) results_.push_back({exit, OutputSlot()});
  if (loop_.scalars != nullptr) registers_ = loop_.scalars->MakeRegisters();
}

void SequentialLoop::Begin(uint64_t frame_id) {
  frame_id_ = frame_id;
  number_ = 0;
  starts_ = true;
  in_registers_ = false;
  exited_twice_ = nullptr;
  for (OutputSlot& slot : slots_) {
    slot.value.ReleaseBuffer();
    slot.Clear();
  }
  for (Result& result : results_) result.value.Clear();
}

void SequentialLoop::End() {
  for (Tensor& value : invariants_) value.ReleaseBuffer();
}

void SequentialLoop::Enter(int index, OutputSlot* value) {
  const CompiledNode& node = graph_.nodes()[index];
  if (!node.is_constant_enter) {
    OutputSlot& slot = slots_[node.landing_slot];
    if (value == nullptr) return slot.Clear();
    slot.value = std::move(value->value);
    slot.tensor = &slot.value;
    return;
  }
  size_t position = 0;
  while (loop_.invariants[position].enter != index) ++position;
  TensorValue invariant;
  if (value != nullptr && value->mutex_if_ref != nullptr) {
    invariant = TensorValue(value->mutex_if_ref, value->tensor);
  } else if (value != nullptr) {
    invariants_[position] = std::move(value->value);
    invariant = TensorValue(&invariants_[position]);
  }
  for (const int input : loop_.invariants[position].inputs) {
    inputs_[input] = invariant;
  }
}

Status SequentialLoop::Run(OpKernelContext::Params* params, const Step& step,
                           int min_nodes, bool* ended) {
  *ended = false;
  if (starts_) {
    starts_ = false;
    in_registers_ = LoadScalars();
  }
  if (in_registers_) {
    Status status = RunScalars(min_nodes, ended);
    if (in_registers_ || !status.ok()) return status;
  }
  params->is_input_dead = false;
  while (min_nodes > 0 && !*ended) {
    params->frame_iter = FrameAndIter(frame_id_, number_++);
    continues_ = false;
    for (const CompiledLoop::Step& s : loop_.steps) {
      const CompiledNode& node = graph_.nodes()[s.node];
      Status status = RunNode(s, node, params);
      if (!status.ok()) [[unlikely]]
        return NodeRunner::NodeError(node, status);
      if (step.stopped()) [[unlikely]]
        return OkStatus();
    }
    // A loop that is left twice is wrong, and might go on for ever.
    *ended = !continues_ || exited_twice_ != nullptr;
    min_nodes -= static_cast<int>(loop_.steps.size());
  }
  return OkStatus();
}

bool SequentialLoop::LoadScalars() {
  const ScalarLoop* const scalars = loop_.scalars.get();
  if (scalars == nullptr) return false;
  for (size_t i = 0; i < invariants_.size(); ++i) {
    ScalarLoop::Register* const reg = &registers_[scalars->invariants()[i].reg];
    if (!ScalarLoop::Load(invariants_[i], reg)) return false;
  }
  for (const ScalarLoop::Port& port : scalars->variables()) {
    const OutputSlot& slot = slots_[graph_.nodes()[port.node].landing_slot];
    if (slot.tensor == nullptr ||
        !ScalarLoop::Load(slot.value, &registers_[port.reg])) {
      return false;
    }
  }
  for (const ScalarLoop::Port& port : scalars->variables()) {
    OutputSlot& slot = slots_[graph_.nodes()[port.node].landing_slot];
    slot.value.ReleaseBuffer();
    slot.Clear();
  }
  return true;
}

Status SequentialLoop::RunScalars(int min_nodes, bool* ended) {
  const ScalarLoop& scalars = *loop_.scalars;
  const int64_t iterations = 1 + kScalarsPerNode * min_nodes /
                                     static_cast<int64_t>(loop_.steps.size());
  const ScalarLoop::End end = scalars.Run(&registers_, iterations, &number_);
  if (end == ScalarLoop::End::kBudget) return OkStatus();
  if (kNotesExecutedOps && number_ > 1) [[unlikely]] {
    for (const CompiledLoop::Step& s : loop_.steps) {
      const OpKernel* const kernel = graph_.nodes()[s.node].kernel;
      if (kernel != nullptr) NoteExecutedOp(*kernel);
    }
  }
  if (end == ScalarLoop::End::kFailure) {
    in_registers_ = false;
    for (const ScalarLoop::Port& port : scalars.variables()) {
      TF_RETURN_IF_ERROR(
          MakeScalar(port, &slots_[graph_.nodes()[port.node].landing_slot]));
    }
    return OkStatus();
  }
  *ended = true;
  for (size_t i = 0; i < results_.size(); ++i) {
    // Both have the order of the Exits in the frame.
    TF_RETURN_IF_ERROR(MakeScalar(scalars.results()[i], &results_[i].value));
  }
  return OkStatus();
}

Status SequentialLoop::MakeScalar(const ScalarLoop::Port& port,
                                  OutputSlot* slot) const {
  TF_RETURN_IF_ERROR(
      Tensor::Allocate(graph_.device()->GetAllocator(AllocatorAttributes()),
                       port.dtype, TensorShape(), &slot->value));
  std::memcpy(slot->value.data(), registers_[port.reg].bytes,
              DataTypeSize(port.dtype));
  slot->tensor = &slot->value;
  return OkStatus();
}

inline bool SequentialLoop::IsDead(const CompiledLoop::Step& step,
                                   const CompiledNode& node) const {
  for (int i = node.first_input; i < node.first_input + node.num_inputs; ++i) {
    const int slot = frame_.input_slots[i];
    if ((slot >= 0 ? slots_[slot].tensor : inputs_[i].tensor) == nullptr) {
      return true;
    }
  }
  for (int i = 0; i < step.num_controls; ++i) {
    if (dead_[loop_.controls[step.first_control + i]]) return true;
  }
  return false;
}

inline Status SequentialLoop::RunNode(const CompiledLoop::Step& step,
                                      const CompiledNode& node,
                                      OpKernelContext::Params* params) {
  using Kind = CompiledLoop::Kind;
  OutputSlot* outputs = slots_.data() + node.first_output;
  if (step.kind == Kind::kMerge || step.kind == Kind::kLoopMerge) {
    Merge(node);
    dead_[node.index_in_frame] = outputs[0].tensor == nullptr;
    if (step.kind == Kind::kLoopMerge) {
      // The next value is that of the next iteration.
      for (int i = 0; i < node.num_inputs; ++i) {
        slots_[frame_.input_slots[node.first_input + i]].Clear();
      }
    }
    return OkStatus();
  }
  const bool dead =
      node.node_class != NodeClass::kControlTrigger && IsDead(step, node);
  dead_[node.index_in_frame] = dead;
  if (dead) {
    for (int i = 0; i < node.num_outputs; ++i) outputs[i].Clear();
    if (step.kind == Kind::kNextIteration) slots_[node.landing_slot].Clear();
    Release(node);
    return OkStatus();
  }
  switch (step.kind) {
    case Kind::kOrder:
      return OkStatus();
    case Kind::kPassThrough:
      NodeRunner::PassThrough(inputs_[node.first_input], &outputs[0]);
      break;
    case Kind::kNextIteration:
      NodeRunner::PassThrough(inputs_[node.first_input],
                              &slots_[node.landing_slot]);
      continues_ = true;
      break;
    case Kind::kExit:
      Exit(node, step.node);
      break;
    case Kind::kSwitch:
      if (!Switch(node)) return RunKernel(step, node, params);
      break;
    default:
      return RunKernel(step, node, params);
  }
  if (kNotesExecutedOps) [[unlikely]]
    NoteExecutedOp(*node.kernel);
  Release(node);
  return OkStatus();
}

void SequentialLoop::Merge(const CompiledNode& node) {
  OutputSlot& output = slots_[node.first_output];
  output.Clear();
  slots_[node.first_output + 1].Clear();
  for (int i = node.first_input; i < node.first_input + node.num_inputs; ++i) {
    if (slots_[frame_.input_slots[i]].tensor == nullptr) continue;
    NodeRunner::PassThrough(inputs_[i], &output);
    if (kNotesExecutedOps) [[unlikely]]
      NoteExecutedOp(*node.kernel);
    break;
  }
  Release(node);
}

bool SequentialLoop::Switch(const CompiledNode& node) {
  const Tensor& taken = *inputs_[node.first_input + 1].tensor;
  if (taken.dims() != 0) return false;
  OutputSlot* outputs = slots_.data() + node.first_output;
  const int way = *taken.base<bool>() ? 1 : 0;
  outputs[1 - way].Clear();
  NodeRunner::PassThrough(inputs_[node.first_input], &outputs[way]);
  return true;
}

void SequentialLoop::Exit(const CompiledNode& node, int index) {
  for (Result& result : results_) {
    if (result.node != index) continue;
    if (result.value.tensor != nullptr) {
      exited_twice_ = node.node;
    } else {
      NodeRunner::PassThrough(inputs_[node.first_input], &result.value);
    }
  }
}

Status SequentialLoop::RunKernel(const CompiledLoop::Step& step,
                                 const CompiledNode& node,
                                 OpKernelContext::Params* params) {
  if (!node.is_expensive) return Compute(node, params);
  Step::Poll();
  const int64_t start = StepStatsCollector::NowNanos();
  const uint32_t wide_calls = thread::ThreadPool::WideCalls();
  Status status = Compute(node, params);
  graph_.RecordWidth(step.node, thread::ThreadPool::WideCalls() != wide_calls);
  graph_.RecordCost(step.node, StepStatsCollector::NowNanos() - start);
  return status;
}

inline Status SequentialLoop::Compute(const CompiledNode& node,
                                      OpKernelContext::Params* params) {
  const absl::Span<TensorValue> inputs(inputs_.data() + node.first_input,
                                       node.num_inputs);
  const absl::Span<OutputSlot> outputs(slots_.data() + node.first_output,
                                       node.num_outputs);
  if (node.has_ref_inputs) {
    // The op takes references, so no value needs a place.
    TF_RETURN_IF_ERROR(NodeRunner::PrepareRefs(node, inputs, nullptr));
  }
  params->op_kernel = node.kernel;
  params->inputs = inputs;
  params->outputs = outputs;
  ShapeCheck::Promised promised;
  if (node.shape_check != nullptr) {
    TF_RETURN_IF_ERROR(node.shape_check->Check(
        inputs, &last_shapes_[node.index_in_frame], &promised));
  }
  for (OutputSlot& slot : outputs) slot.Clear();
  OpKernelContext context(params);
  {
    const VariableWriteScope writing(node.writes_variables);
    graph_.device()->Compute(node.kernel, &context);
  }
  if (!context.status().ok()) [[unlikely]]
    return context.status();
  if (*context.is_output_dead()) [[unlikely]] {
    for (OutputSlot& slot : outputs) slot.Clear();
    Release(node);
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(NodeRunner::CheckOutputs(node, outputs));
  if (promised != nullptr) [[unlikely]] {
    ShapeCheck::WarnOfOutputs(*node.node, *promised, outputs);
  }
  if (kNotesExecutedOps) [[unlikely]]
    NoteExecutedOp(*node.kernel);
  Release(node);
  return OkStatus();
}

inline void SequentialLoop::Release(const CompiledNode& node) {
  const int* release = graph_.releases().data() + node.first_release;
  for (int i = 0; i < node.num_releases; ++i) {
    slots_[release[i]].value.ReleaseBuffer();
  }
}

}  // namespace tensorwright
