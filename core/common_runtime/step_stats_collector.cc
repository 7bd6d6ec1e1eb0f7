// SPDX-License-Identifier: Apache-2.0
// StepStatsCollector.
#include "core/common_runtime/step_stats_collector.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/common_runtime/device.h"
#include "core/framework/allocation_description.pb.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/step_stats.pb.h"
#include "core/framework/tensor_description.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/platform/env.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

// The text that timelines show: "name = Op(input, input)"; a fused node's op is
// "_FusedOp[name, name]", with the names of the user's nodes in it.
std::string TimelineLabel(const Node& node) {
  std::string op = node.type_string();
  const std::vector<std::string> fused = FusedNames(node.def());
  if (!fused.empty()) {
    absl::StrAppend(&op, "[", absl::StrJoin(fused, ", "), "]");
  }
  std::vector<std::string> inputs;
  for (int i = 0; i < node.num_inputs(); ++i) {
    inputs.push_back(node.input_node(i)->name());
  }
  return absl::StrCat(node.name(), " = ", op, "(", absl::StrJoin(inputs, ", "),
                      ")");
}

bool IsFused(const Node& node) {
  return absl::StartsWith(node.type_string(), "_Fused");
}

// Adds the nodes that run as part of a fused node, by name, from the time when
// that starts; the fused node has the time spent.
void AddFusedNodes(const Node& node, const NodeExecStats& whole,
                   DeviceStepStats* device) {
  FusedProgram program;
  if (!FusedProgram::Parse(AttrSlice(node.def()), node.num_inputs(), &program)
           .ok()) {
    return;
  }
  for (const FusedProgram::Step& step : program.steps()) {
    if (step.name == node.name()) continue;
    std::vector<absl::string_view> inputs;
    for (int operand : step.operands) {
      const int made = operand - program.num_inputs();
      inputs.push_back(made < 0 ? node.input_node(operand)->name()
                                : program.steps()[made].name);
    }
    NodeExecStats* n = device->add_node_stats();
    n->set_node_name(std::string(step.name));
    n->set_timeline_label(absl::StrCat(step.name, " = ", step.op->name(),
                                       "[in ", node.name(), "](",
                                       absl::StrJoin(inputs, ", "), ")"));
    n->set_thread_id(whole.thread_id());
    n->set_scheduled_nanos(whole.scheduled_nanos());
    n->set_scheduled_micros(whole.scheduled_micros());
    n->set_all_start_nanos(whole.all_start_nanos());
    n->set_all_start_micros(whole.all_start_micros());
  }
}

}  // namespace

int64_t StepStatsCollector::NowNanos() {
  return static_cast<int64_t>(Env::Default()->NowNanos());
}

void StepStatsCollector::Record(const Device& device, const Node& node,
                                int64_t scheduled, int64_t start, int64_t end,
                                absl::Span<const OutputSlot> outputs) {
  Entry entry{&device, &node, scheduled,
              start,   end,   Env::Default()->GetCurrentThreadId(),
              {}};
  for (const OutputSlot& slot : outputs) {
    if (slot.tensor == nullptr) {
      entry.outputs.push_back({DT_INVALID, TensorShape(), 0});
      continue;
    }
    // A value that nothing reads is gone already, but its shape is not.
    entry.outputs.push_back(
        {slot.tensor->dtype(), slot.tensor->shape(),
         slot.tensor->NumElements() *
             static_cast<int64_t>(DataTypeSize(slot.tensor->dtype()))});
  }
  absl::MutexLock lock(&mu_);
  entries_.push_back(std::move(entry));
}

void StepStatsCollector::Finish(StepStats* stats) {
  absl::MutexLock lock(&mu_);
  std::stable_sort(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.start < b.start; });
  std::map<std::string, DeviceStepStats*> by_device;
  for (const Entry& e : entries_) {
    DeviceStepStats*& device = by_device[e.device->name()];
    if (device == nullptr) {
      device = stats->add_dev_stats();
      device->set_device(e.device->name());
    }
    NodeExecStats* n = device->add_node_stats();
    n->set_node_name(e.node->name());
    n->set_timeline_label(TimelineLabel(*e.node));
    n->set_thread_id(e.thread);
    n->set_scheduled_nanos(e.scheduled);
    n->set_scheduled_micros(e.scheduled / 1000);
    n->set_all_start_nanos(e.start);
    n->set_all_start_micros(e.start / 1000);
    n->set_op_end_rel_nanos(e.end - e.start);
    n->set_op_end_rel_micros((e.end - e.start) / 1000);
    n->set_all_end_rel_nanos(e.end - e.start);
    n->set_all_end_rel_micros((e.end - e.start) / 1000);
    for (size_t i = 0; i < e.outputs.size(); ++i) {
      if (e.outputs[i].dtype == DT_INVALID) continue;
      NodeOutput* out = n->add_output();
      out->set_slot(static_cast<int>(i));
      TensorDescription* d = out->mutable_tensor_description();
      d->set_dtype(e.outputs[i].dtype);
      e.outputs[i].shape.AsProto(d->mutable_shape());
      d->mutable_allocation_description()->set_requested_bytes(
          e.outputs[i].bytes);
    }
    if (IsFused(*e.node)) {
      const NodeExecStats whole = *n;  // Adding may move it.
      AddFusedNodes(*e.node, whole, device);
    }
  }
}

}  // namespace tensorwright
