// SPDX-License-Identifier: Apache-2.0
// Executor::Make and NodeRunner.
#include "core/common_runtime/executor.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/common_runtime/dataflow_executor.h"
#include "core/common_runtime/device.h"
#include "core/common_runtime/static_executor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string InputName(const Node& node, int input) {
  const Edge* e = node.input_edge(input);
  return e->src_output() == 0
             ? e->src()->name()
             : absl::StrCat(e->src()->name(), ":", e->src_output());
}

Status Uninitialized(const Node& node, int input) {
  return errors::FailedPrecondition("Attempting to use uninitialized value ",
                                    InputName(node, input));
}

}  // namespace

std::unique_ptr<Executor> Executor::Make(const CompiledGraph& graph,
                                         CompiledGraph::Mode mode) {
  if (mode == CompiledGraph::Mode::kStatic) {
    return std::make_unique<StaticExecutor>(graph);
  }
  return std::make_unique<DataflowExecutor>(graph);
}

NodeRunner::NodeRunner(const CompiledGraph& graph) : graph_(graph) {}

OpKernelContext::Params NodeRunner::MakeParams(Step* step) const {
  OpKernelContext::Params params;
  params.step_id = step->id();
  params.device = graph_.device();
  params.frame_iter = FrameAndIter(0, 0);
  params.resource_manager = graph_.device()->resource_manager();
  params.step_container = step->container();
  params.rendezvous = step->rendezvous();
  params.cancellation_manager = step->cancellation();
  params.stats_collector = step->stats();
  params.function_library = graph_.functions();
  return params;
}

void NodeRunner::PointInputs(const CompiledFrame& frame,
                             absl::Span<OutputSlot> slots,
                             absl::Span<TensorValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (frame.input_slots[i] < 0) continue;
    inputs[i] = TensorValue(&slots[frame.input_slots[i]].value);
    if (!frame.input_is_last.empty()) {
      inputs[i].last_use = frame.input_is_last[i];
    }
  }
  for (const auto& [input, constant] : frame.constant_inputs) {
    // Kernels only read inputs that are not references.
    inputs[input] = TensorValue(const_cast<Tensor*>(constant));
  }
}

Status NodeRunner::PrepareRefs(const CompiledNode& node,
                               absl::Span<TensorValue> inputs,
                               Tensor* storage) {
  for (int i = 0; i < node.num_inputs; ++i) {
    TensorValue& in = inputs[i];
    if (!in.is_ref()) continue;
    if (IsRefType(node.node->input_type(i))) {
      if (node.node->op_def().allows_uninitialized_input()) continue;
      tf_shared_lock lock(*in.mutex_if_ref);
      if (!in.tensor->IsInitialized()) return Uninitialized(*node.node, i);
      continue;
    }
    tf_shared_lock lock(*in.mutex_if_ref);
    if (!in.tensor->IsInitialized() &&
        !node.node->op_def().allows_uninitialized_input()) {
      return Uninitialized(*node.node, i);
    }
    storage[i] = *in.tensor;
    in = TensorValue(&storage[i]);
  }
  return OkStatus();
}

Status NodeRunner::NodeError(const CompiledNode& node, const Status& status) {
  return errors::AttachNode(status, node.node->name());
}

Status NodeRunner::CheckOutputsSlow(const CompiledNode& node,
                                    absl::Span<const OutputSlot> outputs) {
  for (int i = 0; i < node.num_outputs; ++i) {
    if (outputs[i].tensor == nullptr) {
      if (node.node_class == NodeClass::kSwitch ||
          node.node_class == NodeClass::kRecv ||
          node.node_class == NodeClass::kHostRecv) {
        continue;
      }
      return errors::Internal("Kernel of ", node.node->DebugString(),
                              " did not set output ", i);
    }
    const DataType type = node.node->output_type(i);
    if (outputs[i].tensor->dtype() != BaseType(type) &&
        outputs[i].tensor->IsInitialized()) {
      return errors::Internal("Kernel of ", node.node->DebugString(),
                              " set output ", i, " to ",
                              DataTypeString(outputs[i].tensor->dtype()),
                              " instead of ", DataTypeString(BaseType(type)));
    }
  }
  return OkStatus();
}

Status NodeRunner::Sync(const CompiledGraph& graph, const Step& step) {
  if (graph.memory().empty() || step.stopped()) return OkStatus();
  return graph.device()->Sync();
}

Status NodeRunner::Fetch(const CompiledGraph::FetchSlot& f,
                         absl::Span<OutputSlot> slots, Tensor* value) {
  if (f.slot < 0) {
    *value = *f.constant;
    return OkStatus();
  }
  OutputSlot& slot = slots[f.slot];
  if (slot.tensor == nullptr) {
    return errors::AttachNode(
        errors::InvalidArgument("The fetched tensor of node ", f.node->name(),
                                " has no value: it is on a branch that was not"
                                " taken"),
        f.node->name());
  }
  if (slot.mutex_if_ref != nullptr) {
    tf_shared_lock lock(*slot.mutex_if_ref);
    if (!slot.tensor->IsInitialized()) {
      return errors::AttachNode(
          errors::FailedPrecondition("Attempting to use uninitialized value ",
                                     f.node->name()),
          f.node->name());
    }
    *value = slot.tensor->DeepCopy();
    return OkStatus();
  }
  if (f.is_last) {
    *value = std::move(slot.value);
  } else {
    *value = slot.value;
  }
  return OkStatus();
}

}  // namespace tensorwright
