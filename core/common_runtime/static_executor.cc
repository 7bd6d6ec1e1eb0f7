// SPDX-License-Identifier: Apache-2.0
// StaticExecutor.
#include "core/common_runtime/static_executor.h"

#include "core/common_runtime/device.h"
#include "core/common_runtime/running_kernel.h"
#include "core/common_runtime/step_stats_collector.h"
#include "core/framework/executed_ops.h"
#include "core/framework/variable_writes.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The number of cheap nodes between two looks at the clock: well below a
// millisecond.
constexpr int kNodesPerPoll = 64;

// A large graph's kernels do not fit in the first caches: each is asked for so
// many nodes ahead (8 % of a run of 1,000 cheap kernels).
constexpr size_t kNodesAhead = 3;

void Prefetch(const CompiledNode& node) {
  constexpr int kCacheLine = 64;
  const char* kernel = reinterpret_cast<const char*>(node.kernel);
  __builtin_prefetch(kernel);
  __builtin_prefetch(kernel + kCacheLine);
  __builtin_prefetch(node.output_types);
}

}  // namespace

StaticExecutor::StaticExecutor(const CompiledGraph& graph)
    : graph_(graph), runner_(graph) {
  const CompiledFrame& root = graph.frames()[0];
  slots_.resize(root.slot_uses.size());
  inputs_.resize(root.input_slots.size());
  NodeRunner::PointInputs(root, absl::MakeSpan(slots_),
                          absl::MakeSpan(inputs_));
  bool any_refs = false;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].kernel != nullptr) {
      schedule_.push_back(static_cast<int>(i));
    }
    any_refs |= graph.nodes()[i].has_ref_inputs;
  }
  if (any_refs) deref_.resize(inputs_.size());
  last_shapes_.resize(graph.nodes().size());
}

void StaticExecutor::Start(const RunArgs& args) {
  Run(args.step, args.feeds, args.fetches);
  args.queue->PartitionDone();
}

void StaticExecutor::Run(Step* step, absl::Span<const Tensor> feeds,
                         std::vector<Tensor>* fetches) {
  for (const CompiledGraph::FeedSlot& feed : graph_.feeds()) {
    slots_[feed.slot].value = feeds[feed.feed];
    slots_[feed.slot].tensor = &slots_[feed.slot].value;
  }
  Status status = RunNodes(step);
  if (status.ok()) status = NodeRunner::Sync(graph_, *step);
  for (const CompiledGraph::FetchSlot& f : graph_.fetches()) {
    if (!status.ok() || step->stopped()) break;
    status = NodeRunner::Fetch(f, absl::MakeSpan(slots_), &(*fetches)[f.fetch]);
  }
  if (!status.ok()) step->Fail(status);
  // No value of this run stays in the slots.
  for (const CompiledGraph::FeedSlot& feed : graph_.feeds()) {
    slots_[feed.slot].value = Tensor();
  }
  for (const CompiledGraph::FetchSlot& f : graph_.fetches()) {
    if (f.slot >= 0) slots_[f.slot].value = Tensor();
  }
}

Status StaticExecutor::RunNodes(Step* step) {
  OpKernelContext::Params params = runner_.MakeParams(step);
  const RunningKernelScope running(params);
  const bool traced = step->stats() != nullptr;
  int until_poll = kNodesPerPoll;
  for (size_t i = 0; i < schedule_.size(); ++i) {
    const int index = schedule_[i];
    const CompiledNode& node = graph_.nodes()[index];
    if (i + kNodesAhead < schedule_.size()) {
      Prefetch(graph_.nodes()[schedule_[i + kNodesAhead]]);
    }
    if (--until_poll == 0 || node.is_expensive) {
      until_poll = kNodesPerPoll;
      Step::Poll();
    }
    if (step->stopped()) [[unlikely]]
      return OkStatus();
    Status status =
        traced ? RunTimed(node, index, &params) : RunNode(node, index, &params);
    if (!status.ok()) [[unlikely]]
      return NodeRunner::NodeError(node, status);
    if (kNotesExecutedOps) [[unlikely]]
      NoteExecutedOp(*node.kernel);
  }
  return OkStatus();
}

inline void StaticExecutor::Release(const CompiledNode& node) {
  if (node.has_ref_inputs) {
    for (int i = 0; i < node.num_inputs; ++i) {
      deref_[node.first_input + i].ReleaseBuffer();
    }
  }
  const int* release = graph_.releases().data() + node.first_release;
  for (int i = 0; i < node.num_releases; ++i) {
    slots_[release[i]].value.ReleaseBuffer();
  }
}

inline Status StaticExecutor::RunNode(const CompiledNode& node, int index,
                                      OpKernelContext::Params* params) {
  const absl::Span<TensorValue> inputs(inputs_.data() + node.first_input,
                                       node.num_inputs);
  const absl::Span<OutputSlot> outputs(slots_.data() + node.first_output,
                                       node.num_outputs);
  if (node.has_ref_inputs) {
    TF_RETURN_IF_ERROR(NodeRunner::PrepareRefs(
        node, inputs, deref_.data() + node.first_input));
  }
  params->op_kernel = node.kernel;
  params->inputs = inputs;
  ShapeCheck::Promised promised;
  if (node.shape_check != nullptr) {
    TF_RETURN_IF_ERROR(
        node.shape_check->Check(inputs, &last_shapes_[index], &promised));
  }
  params->outputs = outputs;
  if (node.passes_through) {
    NodeRunner::PassThrough(inputs[0], &outputs[0]);
    Release(node);
    return OkStatus();
  }
  for (OutputSlot& slot : outputs) slot.Clear();
  if (!graph_.memory().empty()) [[unlikely]]
    graph_.memory()[index].SetIn(params);
  OpKernelContext context(params);
  const VariableWriteScope writing(node.writes_variables);
  if (node.async == nullptr) {
    graph_.device()->Compute(node.kernel, &context);
  } else {
    node.kernel->Compute(&context);
  }
  if (!context.status().ok()) [[unlikely]]
    return context.status();
  TF_RETURN_IF_ERROR(NodeRunner::CheckOutputs(node, outputs));
  if (promised != nullptr) [[unlikely]] {
    ShapeCheck::WarnOfOutputs(*node.node, *promised, outputs);
  }
  if (node.has_ref_outputs) {
    const CompiledEdge* edges = graph_.edges().data() + node.first_edge;
    for (int i = 0; i < node.num_edges; ++i) {
      if (edges[i].output < 0) continue;
      const OutputSlot& slot = outputs[edges[i].output];
      if (slot.mutex_if_ref == nullptr) continue;
      inputs_[edges[i].input] = TensorValue(slot.mutex_if_ref, slot.tensor);
    }
  }
  Release(node);
  return OkStatus();
}

Status StaticExecutor::RunTimed(const CompiledNode& node, int index,
                                OpKernelContext::Params* params) {
  StepStatsCollector* stats = params->stats_collector;
  const int64_t start = StepStatsCollector::NowNanos();
  Status status = RunNode(node, index, params);
  stats->Record(*graph_.device(), *node.node, start, start,
                StepStatsCollector::NowNanos(), params->outputs);
  return status;
}

}  // namespace tensorwright
