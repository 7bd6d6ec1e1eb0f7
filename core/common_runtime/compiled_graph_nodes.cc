// SPDX-License-Identifier: Apache-2.0
// GraphCompiler: nodes with their kernels, slots and memory; constants.
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/common_runtime/compiled_graph_internal.h"
#include "core/common_runtime/memory_copies.h"
#include "core/common_runtime/optimize_graph.h"
#include "core/framework/decorators.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Ops whose resources are not variables, or which only read them.
bool OnlyReadsVariables(absl::string_view op) {
  for (absl::string_view prefix :
       {"TensorArray", "Stack", "Queue", "LookupTable", "ResourceGather"}) {
    if (absl::StartsWith(op, prefix)) return true;
  }
  return op == "ReadVariableOp" || op == "VarIsInitializedOp" ||
         op == "VariableShape";
}

// Must the node's kernel run where the executor could do without it?
bool CallsItsKernel(const Node& node) {
  return HasKernelDecorator(node.type_string()) || IsOverridden(node);
}

bool MayWriteVariables(const Node& node) {
  if (OnlyReadsVariables(node.type_string())) return false;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DataType type = node.input_type(i);
    // References to strings are the handles of queues and the like.
    if (type == DT_RESOURCE ||
        (IsRefType(type) && BaseType(type) != DT_STRING)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Status GraphCompiler::AddNode(Node* node) {
  Info& info = info_[node->id()];
  if (node->IsArg()) {
    info.slot = NewSlot(0);
    c_.feeds_.push_back({IndexAttr(*node), info.slot});
    return OkStatus();
  }
  if (node->IsRetval()) return OkStatus();  // Its input describes it fully.
  if (IsPlanConstant(*node) && !CallsItsKernel(*node)) {
    return AddConstant(*node, &info);
  }
  info.compiled = static_cast<int>(c_.nodes_.size());
  CompiledNode& n = c_.nodes_.emplace_back();
  n.node = node;
  n.node_class = node->node_class();
  n.frame = frames_.FrameOf(*node);
  n.num_inputs = node->num_inputs();
  n.num_outputs = node->num_outputs();
  CompiledFrame& frame = c_.frames_[n.frame];
  n.index_in_frame = static_cast<int>(frame.nodes.size());
  frame.nodes.push_back(info.compiled);
  frame.pending.push_back(0);
  n.first_input = static_cast<int>(frame.input_slots.size());
  frame.input_slots.resize(n.first_input + n.num_inputs, -1);
  n.first_output = static_cast<int>(frame.slot_uses.size());
  for (int i = 0; i < n.num_outputs; ++i) NewSlot(n.frame);
  if (node->IsEnter() || node->IsExit() || node->IsNextIteration()) {
    n.landing_slot = NewSlot(frames_.OutputFrame(*node));
  }
  if (node->IsEnter()) n.enters_frame = frames_.OutputFrame(*node);
  const AttrValue* constant = node->FindAttr("is_constant");
  n.is_constant_enter = node->IsEnter() && constant != nullptr && constant->b();
  for (DataType t : node->output_types()) n.has_ref_outputs |= IsRefType(t);
  return node->IsNoOp() || node->IsControlTrigger() ? OkStatus()
                                                    : AddKernel(&n);
}

Status GraphCompiler::AddConstant(const Node& node, Info* info) {
  const AttrValue* value = node.FindAttr("value");
  auto tensor = std::make_unique<Tensor>();
  Status status = value == nullptr
                      ? errors::InvalidArgument("Const: needs attr value")
                      : c_.device_->MakeTensorFromProto(
                            value->tensor(), OnHost(true), tensor.get());
  if (status.ok() && tensor->dtype() != node.output_type(0)) {
    status = errors::InvalidArgument("Const: value must have type ",
                                     DataTypeString(node.output_type(0)),
                                     ", got ", DataTypeString(tensor->dtype()));
  }
  if (!status.ok()) return errors::AttachNode(status, node.name());
  info->constant = tensor.get();
  c_.constants_.push_back(std::move(tensor));
  if (memory_is_host_) info->on_device = info->constant;
  return OkStatus();
}

Status GraphCompiler::AddKernel(CompiledNode* n) {
  std::shared_ptr<OpKernel> kernel;
  TF_RETURN_IF_ERROR(kernels_->GetOrCreate(*n->node, c_.device_, &kernel));
  n->kernel = kernel.get();
  n->async = kernel->AsAsync();
  n->is_expensive = kernel->IsExpensive();
  n->output_types = n->node->output_types().data();
  n->writes_variables = MayWriteVariables(*n->node);
  switch (n->node_class) {
    case NodeClass::kEnter:
    case NodeClass::kExit:
    case NodeClass::kNextIteration:
    case NodeClass::kLoopCond:
    case NodeClass::kIdentity:
      n->passes_through = !n->has_ref_outputs && SharesMemory(*n);
      break;
    case NodeClass::kMerge:
      n->routes = !n->has_ref_outputs && SharesMemory(*n);
      break;
    case NodeClass::kSwitch:
      // The executor reads the predicate.
      n->routes = !n->has_ref_outputs && SharesMemory(*n) && IsOnHost(*n, 1);
      break;
    default:
      break;
  }
  if (CallsItsKernel(*n->node)) {
    n->passes_through = n->routes = false;
  }
  c_.has_async_ |= n->async != nullptr;
  c_.has_transfers_ |= n->node->IsTransfer();
  c_.kernels_.push_back(std::move(kernel));
  if (!memory_is_host_) AddMemory(*n);
  return OkStatus();
}

void GraphCompiler::AddMemory(const CompiledNode& n) {
  c_.memory_.resize(c_.nodes_.size());
  NodeMemory& memory = c_.memory_.back();
  for (MemoryType type : n.kernel->input_memory_types()) {
    memory.inputs.push_back(OnHost(type == HOST_MEMORY));
  }
  for (MemoryType type : n.kernel->output_memory_types()) {
    memory.outputs.push_back(OnHost(type == HOST_MEMORY));
  }
  memory.context = c_.device_->ContextFor(n.node->def());
}

int GraphCompiler::NewSlot(int frame) {
  c_.frames_[frame].slot_uses.push_back(0);
  return static_cast<int>(c_.frames_[frame].slot_uses.size()) - 1;
}

AllocatorAttributes GraphCompiler::OnHost(bool on_host) const {
  AllocatorAttributes attributes;
  if (on_host && !memory_is_host_) attributes.set_on_host(true);
  return attributes;
}

bool GraphCompiler::IsOnHost(const CompiledNode& n, int input) const {
  return memory_is_host_ ||
         (n.kernel != nullptr &&
          n.kernel->input_memory_types()[input] == HOST_MEMORY);
}

bool GraphCompiler::SharesMemory(const CompiledNode& n) const {
  return memory_is_host_ || n.kernel->input_memory_types()[0] ==
                                n.kernel->output_memory_types()[0];
}

}  // namespace tensorwright
