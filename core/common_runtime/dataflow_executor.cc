// SPDX-License-Identifier: Apache-2.0
// DataflowExecutor.
#include "core/common_runtime/dataflow_executor.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/common_runtime/device.h"
#include "core/common_runtime/running_kernel.h"
#include "core/common_runtime/step_stats_collector.h"
#include "core/framework/executed_ops.h"
#include "core/framework/variable_writes.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {
namespace {

// Locks if there is anybody to lock out.
class ABSL_SCOPED_LOCKABLE OptionalLock {
 public:
  OptionalLock(absl::Mutex* mu, bool needed) ABSL_NO_THREAD_SAFETY_ANALYSIS
      : mu_(needed ? mu : nullptr) {
    if (mu_ != nullptr) mu_->Lock();
  }
  ~OptionalLock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (mu_ != nullptr) mu_->Unlock();
  }

 private:
  absl::Mutex* const mu_;
};

}  // namespace

// Everything an asynchronous kernel may touch until it is done.
struct DataflowExecutor::AsyncCall {
  AsyncCall(const OpKernelContext::Params& p, const ReadyNode& n,
            bool writes_variables)
      : params(p), node(n), context(&params), writing(writes_variables) {}

  OpKernelContext::Params params;
  const ReadyNode node;
  OpKernelContext context;
  const VariableWriteScope writing;
  int64_t start = 0;
  // The call to done and the return of ComputeAsync may come in either order;
  // the second of them goes on with the work.
  std::atomic<bool> first_came{false};
};

DataflowExecutor::DataflowExecutor(const CompiledGraph& graph)
    : graph_(graph),
      runner_(graph),
      frames_(graph),
      last_shapes_(graph.nodes().size()),
      has_loops_(graph.frames().size() > 1) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].is_expensive) {
      expensive_.push_back(static_cast<int>(i));
    }
  }
}

void DataflowExecutor::Start(const RunArgs& args) {
  args_ = args;
  const bool worth_threads =
      args.queue->has_pool() &&
      std::any_of(expensive_.begin(), expensive_.end(),
                  [this](int n) { return graph_.IsWorthAThread(n); });
  concurrent_ = worth_threads || graph_.has_async();
  if (has_loops_) ChooseLoops();
  ReadyList ready;
  Iteration* root = frames_.BeginRoot(&ready);
  for (const CompiledGraph::FeedSlot& feed : graph_.feeds()) {
    root->slots[feed.slot].value = args.feeds[feed.feed];
    root->slots[feed.slot].tensor = &root->slots[feed.slot].value;
  }
  outstanding_ = static_cast<int64_t>(ready.size());
  wide_.reset();
  if (ready.empty()) return Finish();
  Process(std::move(ready));
}

void DataflowExecutor::Process(ReadyList ready) {
  OpKernelContext::Params params = runner_.MakeParams(args_.step);
  const RunningKernelScope running(params);
  Step* const step = args_.step;
  const bool polls = Step::ThreadPolls();
  Backlog backlog;
  Sort(&ready, &backlog);
  int until_turn = kNodesPerTurn;
  while (backlog.size() > 0) {
    if (--until_turn == 0 || (polls && backlog.cheap.empty())) {
      until_turn = kNodesPerTurn;
      Step::Poll();
      // Counts the nodes since this thread began, which is no fixed order.
      if (!args_.in_order) TakeTurns(&backlog);
    }
    if (step->stopped()) [[unlikely]] {
      return Abandon(static_cast<int64_t>(backlog.size()));
    }
    const ReadyNode n = Next(&backlog);
    if (n.loop != nullptr) {
      if (!RunLoop(n, &params, &backlog)) {
        until_turn = 1;
        continue;
      }
    } else if (!args_.in_order) {
      if (!RunNode(n, &params)) continue;
    } else if (!RunAlone(n, &params, &backlog)) {
      return;
    }
    if (step->stopped()) [[unlikely]] {
      return Abandon(static_cast<int64_t>(backlog.size()) + 1);
    }
    if (!concurrent_) {
      if (!NodeDone(n, &backlog.cheap)) return Finish();
      continue;
    }
    if (!NodeDone(n, &ready)) return Finish();
    Sort(&ready, &backlog);
  }
}

void DataflowExecutor::Abandon(int64_t n) {
  {
    OptionalLock lock(&mu_, concurrent_);
    outstanding_ -= n + static_cast<int64_t>(wide_waiting_.size());
    wide_waiting_.clear();
    if (outstanding_ > 0) return;
  }
  Finish();
}

void DataflowExecutor::Finish() {
  Status status = NodeRunner::Sync(graph_, *args_.step);
  absl::Span<OutputSlot> slots = absl::MakeSpan(frames_.root()->slots);
  for (const CompiledGraph::FetchSlot& f : graph_.fetches()) {
    if (!status.ok() || args_.step->stopped()) break;
    status = NodeRunner::Fetch(f, slots, &(*args_.fetches)[f.fetch]);
  }
  if (!status.ok()) args_.step->Fail(status);
  for (OutputSlot& slot : slots) {
    slot.value.ReleaseBuffer();
    slot.Clear();
  }
  // After PartitionDone this object may be gone.
  const std::shared_ptr<WorkQueue> queue = std::move(args_.queue);
  queue->PartitionDone();
}

bool DataflowExecutor::RunNode(const ReadyNode& n,
                               OpKernelContext::Params* params) {
  const CompiledNode& node = graph_.nodes()[n.node];
  if (node.kernel == nullptr) return true;
  if (n.dead && !node.node->IsTransfer()) {
    ReleaseInputs(n, node);
    return true;
  }
  ShapeCheck::Promised promised;
  Status status = Prepare(n, node, params, &promised);
  if (!status.ok()) [[unlikely]] {
    args_.step->Fail(NodeRunner::NodeError(node, status));
    return true;
  }
  if (node.passes_through && params->stats_collector == nullptr) {
    NodeRunner::PassThrough(params->inputs[0], &params->outputs[0]);
    if (kNotesExecutedOps) [[unlikely]]
      NoteExecutedOp(*node.kernel);
    ReleaseInputs(n, node);
    return true;
  }
  if (node.routes && params->stats_collector == nullptr &&
      Route(n, node, *params)) {
    if (kNotesExecutedOps) [[unlikely]]
      NoteExecutedOp(*node.kernel);
    ReleaseInputs(n, node);
    return true;
  }
  if (node.async != nullptr) return ComputeAsync(n, node, *params);
  const bool timed = node.is_expensive || params->stats_collector != nullptr;
  const int64_t start = timed ? StepStatsCollector::NowNanos() : 0;
  const uint32_t wide_calls = timed ? thread::ThreadPool::WideCalls() : 0;
  OpKernelContext context(params);
  {
    const VariableWriteScope writing(node.writes_variables);
    graph_.device()->Compute(node.kernel, &context);
  }
  if (timed) {
    graph_.RecordWidth(n.node, thread::ThreadPool::WideCalls() != wide_calls);
  }
  if (promised != nullptr && context.status().ok()) [[unlikely]] {
    ShapeCheck::WarnOfOutputs(*node.node, *promised, params->outputs);
  }
  Complete(n, node, &context, start);
  return true;
}

bool DataflowExecutor::RunAlone(const ReadyNode& n,
                                OpKernelContext::Params* params,
                                Backlog* backlog) {
  if (graph_.nodes()[n.node].async == nullptr) return RunNode(n, params);
  held_ = std::move(backlog->cheap);
  backlog->cheap.clear();
  // After false this object may be gone.
  if (!RunNode(n, params)) return false;
  backlog->cheap = std::move(held_);
  held_.clear();
  return true;
}

Status DataflowExecutor::Prepare(const ReadyNode& n, const CompiledNode& node,
                                 OpKernelContext::Params* params,
                                 ShapeCheck::Promised* promised) {
  Iteration* it = n.iteration;
  const absl::Span<TensorValue> inputs(it->inputs.data() + node.first_input,
                                       node.num_inputs);
  params->op_kernel = node.kernel;
  params->inputs = inputs;
  params->outputs = absl::Span<OutputSlot>(it->slots.data() + node.first_output,
                                           node.num_outputs);
  if (!graph_.memory().empty()) [[unlikely]]
    graph_.memory()[n.node].SetIn(params);
  params->is_input_dead = n.dead;
  if (has_loops_) params->frame_iter = FrameAndIter(it->frame->id, it->number);
  if (n.dead) return OkStatus();
  const int* slots =
      graph_.frames()[node.frame].input_slots.data() + node.first_input;
  for (int i = 0; i < node.num_inputs; ++i) {
    // The other readers have ended, so the value is ours.
    inputs[i].last_use =
        slots[i] >= 0 && inputs[i].mutex_if_ref == nullptr &&
        it->uses[slots[i]].load(std::memory_order_acquire) == 1;
  }
  if (node.has_ref_inputs) {
    TF_RETURN_IF_ERROR(NodeRunner::PrepareRefs(
        node, inputs, it->deref.data() + node.first_input));
  }
  if (node.shape_check == nullptr) return OkStatus();
  // In a loop, several iterations may check one node at the same time.
  OptionalLock lock(&mu_, concurrent_ && node.frame != 0);
  return node.shape_check->Check(inputs, &last_shapes_[n.node], promised);
}

bool DataflowExecutor::Route(const ReadyNode& n, const CompiledNode& node,
                             const OpKernelContext::Params& params) {
  OutputSlot* outputs = params.outputs.data();
  if (node.node_class == NodeClass::kSwitch) {
    const Tensor& taken = *params.inputs[1].tensor;
    if (taken.dims() != 0) return false;
    const int way = *taken.base<bool>() ? 1 : 0;
    outputs[1 - way].Clear();
    NodeRunner::PassThrough(params.inputs[0], &outputs[way]);
    return true;
  }
  const std::atomic<int>* uses = &n.iteration->uses[node.first_output];
  if (uses[1].load(std::memory_order_relaxed) > 0) return false;
  for (const TensorValue& input : params.inputs) {
    if (input.tensor == nullptr) continue;
    NodeRunner::PassThrough(input, &outputs[0]);
    return true;
  }
  return false;
}

bool DataflowExecutor::ComputeAsync(const ReadyNode& n,
                                    const CompiledNode& node,
                                    const OpKernelContext::Params& params) {
  auto* call = new AsyncCall(params, n, node.writes_variables);
  call->start = StepStatsCollector::NowNanos();
  // Runs on the thread where the kernel ended; `this` lives as long as the node
  // counts as outstanding.
  graph_.device()->ComputeAsync(
      node.async, &call->context, [this, call, &node] {
        if (!call->first_came.exchange(true, std::memory_order_acq_rel)) return;
        std::unique_ptr<AsyncCall> owned(call);
        Complete(call->node, node, &call->context, call->start);
        // Empty unless nodes run in order.
        ReadyList ready = std::exchange(held_, {});
        if (args_.step->stopped()) {
          return Abandon(1 + static_cast<int64_t>(ready.size()));
        }
        if (!NodeDone(call->node, &ready)) return Finish();
        if (!ready.empty()) HandOn(std::move(ready));
      });
  if (!call->first_came.exchange(true, std::memory_order_acq_rel)) return false;
  std::unique_ptr<AsyncCall> owned(call);
  Complete(n, node, &call->context, call->start);
  return true;
}

void DataflowExecutor::Complete(const ReadyNode& n, const CompiledNode& node,
                                OpKernelContext* context, int64_t start) {
  OpKernelContext::Params* params = context->params();
  if (start != 0) {
    const int64_t end = StepStatsCollector::NowNanos();
    if (node.async == nullptr) graph_.RecordCost(n.node, end - start);
    if (params->stats_collector != nullptr) {
      params->stats_collector->Record(*graph_.device(), *node.node, start,
                                      start, end, params->outputs);
    }
  }
  Status status = context->status();
  if (status.ok() && *context->is_output_dead()) {
    for (OutputSlot& slot : params->outputs) slot.Clear();
  } else if (status.ok() && !n.dead) {
    status = NodeRunner::CheckOutputs(node, params->outputs);
  }
  if (!status.ok()) [[unlikely]] {
    args_.step->Fail(NodeRunner::NodeError(node, status));
    return;
  }
  if (kNotesExecutedOps && !n.dead) [[unlikely]]
    NoteExecutedOp(*node.kernel);
  ReleaseInputs(n, node);
}

void DataflowExecutor::ReleaseInputs(const ReadyNode& n,
                                     const CompiledNode& node) {
  Iteration* it = n.iteration;
  const int* slots =
      graph_.frames()[node.frame].input_slots.data() + node.first_input;
  for (int i = 0; i < node.num_inputs; ++i) {
    if (slots[i] < 0) continue;
    std::atomic<int>& uses = it->uses[slots[i]];
    // If this is the only use left, no locked instruction is needed.
    if (uses.load(std::memory_order_acquire) == 1 ||
        uses.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      it->slots[slots[i]].value.ReleaseBuffer();
    }
  }
  if (node.has_ref_inputs) {
    for (int i = 0; i < node.num_inputs; ++i) {
      it->deref[node.first_input + i].ReleaseBuffer();
    }
  }
}

bool DataflowExecutor::NodeDone(const ReadyNode& n, ReadyList* ready) {
  bool goes_on;
  const Node* wrong;
  {
    OptionalLock lock(&mu_, concurrent_);
    const size_t before = ready->size();
    frames_.NodeDone(n, ready);
    wrong = frames_.exited_twice();
    outstanding_ += static_cast<int64_t>(ready->size() - before) - 1;
    if (wide_.has_value() && wide_->node == n.node &&
        wide_->iteration == n.iteration) {
      wide_.reset();
      if (!wide_waiting_.empty()) {
        ready->push_back(wide_waiting_.back());
        wide_waiting_.pop_back();
      }
    }
    goes_on = outstanding_ > 0;
  }
  if (wrong != nullptr) [[unlikely]] {
    args_.step->Fail(errors::AttachNode(
        errors::InvalidArgument(
            wrong->type_string(), ": node ", wrong->name(),
            " has a value in more than one iteration of its loop"),
        wrong->name()));
  }
  return goes_on;
}

}  // namespace tensorwright
