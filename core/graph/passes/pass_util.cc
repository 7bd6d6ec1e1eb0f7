// SPDX-License-Identifier: Apache-2.0
// Questions and rewrites that graph passes share.
#include "core/graph/passes/pass_util.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/types.h"
#include "core/util/device_name_utils.h"
#include "core/util/elementwise.h"

namespace tensorwright {
namespace {

// Ops that their definition calls stateless, but that are not functions of
// their inputs.
bool TouchesTheWorld(const std::string& op) {
  const OpRegistrationData* registered = OpRegistry::Global()->LookUp(op);
  return (registered != nullptr && !registered->touches.empty()) ||
         // They read what the session keeps between runs.
         absl::StartsWith(op, "GetSession") || op == "DeleteSessionTensor" ||
         // They draw random positions for their pools.
         op == "FractionalAvgPool" || op == "FractionalMaxPool";
}

bool IsUnusedValue(const Node& node) {
  return node.IsConstant() || node.type_string() == "Placeholder" ||
         node.type_string() == "PlaceholderV2";
}

bool FeedsMerge(const Node& node) {
  for (const Edge* e : node.out_edges()) {
    if (e->dst()->IsMerge()) return true;
  }
  return false;
}

// The object behind a handle changes, even if the op claims to be stateless.
bool TakesResource(const Node& node) {
  for (DataType type : node.input_types()) {
    if (type == DT_RESOURCE) return true;
  }
  return false;
}

// Ops of TensorFlow 1.0 name a TensorArray by a string, and do not declare that
// they change it.
bool TakesHandleAsString(const Node& node) {
  for (const OpDef::ArgDef& arg : node.op_def().input_arg()) {
    if (arg.type() == DT_STRING && arg.name() == "handle") return true;
  }
  return false;
}

bool IsAnyRef(const DataTypeVector& types) {
  for (DataType type : types) {
    if (IsRefType(type)) return true;
  }
  return false;
}

}  // namespace

bool HasRefTypes(const Node& node) {
  if (IsAnyRef(node.input_types()) || IsAnyRef(node.output_types())) {
    return true;
  }
  // A value read from a variable depends on when the node runs.
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Edge* e = node.input_edge(i);
    if (e != nullptr && IsRefType(e->src()->output_type(e->src_output()))) {
      return true;
    }
  }
  return false;
}

bool IsPure(const Node& node) {
  return !node.op_def().is_stateful() && !node.IsControlFlow() &&
         node.node_class() != NodeClass::kLoopCond && !node.IsTransfer() &&
         !node.IsControlTrigger() && !node.IsNoOp() && !node.IsArg() &&
         !node.IsRetval() && !node.IsVariable() && !HasRefTypes(node) &&
         !TakesResource(node) && !TakesHandleAsString(node) &&
         // A node without outputs runs only for its effect.
         node.num_outputs() > 0 &&
         !absl::StartsWith(node.type_string(), "Placeholder") &&
         !TouchesTheWorld(node.type_string());
}

bool IsOnCpu(const Node& node) {
  DeviceNameUtils::ParsedName parsed;
  return DeviceNameUtils::ParseFullName(node.assigned_device_name(), &parsed) &&
         parsed.type == "CPU";
}

int NumDataUses(const Node& node, int output) {
  int uses = 0;
  for (const Edge* e : node.out_edges()) {
    uses += !e->IsControlEdge() && (output < 0 || e->src_output() == output);
  }
  return uses;
}

std::vector<int> DataUsesByOutput(const Node& node) {
  std::vector<int> uses(node.num_outputs());
  for (const Edge* e : node.out_edges()) {
    if (!e->IsControlEdge()) ++uses[e->src_output()];
  }
  return uses;
}

bool HasControlUses(const Node& node) {
  for (const Edge* e : node.out_edges()) {
    if (e->IsControlEdge()) return true;
  }
  return false;
}

void ReplaceDataUses(Graph* graph, Node* from, int output, Node* to,
                     int to_output) {
  std::vector<const Edge*> uses;
  for (const Edge* e : from->out_edges()) {
    if (!e->IsControlEdge() && e->src_output() == output) uses.push_back(e);
  }
  for (const Edge* e : uses) {
    graph->UpdateEdge(to, to_output, e->dst(), e->dst_input());
  }
}

void ReplaceDataUses(Graph* graph, Node* from, absl::Span<const OutputRef> by) {
  std::vector<const Edge*> uses;
  for (const Edge* e : from->out_edges()) {
    if (!e->IsControlEdge() && by[e->src_output()].node != nullptr) {
      uses.push_back(e);
    }
  }
  for (const Edge* e : uses) {
    const OutputRef& to = by[e->src_output()];
    graph->UpdateEdge(to.node, to.index, e->dst(), e->dst_input());
  }
}

void ReplaceControlUses(Graph* graph, Node* from,
                        const std::vector<Node*>& sources) {
  std::vector<const Edge*> uses;
  for (const Edge* e : from->out_edges()) {
    if (e->IsControlEdge()) uses.push_back(e);
  }
  for (const Edge* e : uses) {
    Node* waiting = e->dst();
    graph->RemoveEdge(e);
    for (Node* source : sources) {
      if (source != waiting) graph->AddControlEdge(source, waiting);
    }
  }
}

std::vector<Node*> ControlInputs(const Node& node) {
  std::vector<Node*> sources;
  for (const Edge* e : node.in_edges()) {
    if (e->IsControlEdge()) sources.push_back(e->src());
  }
  return sources;
}

void RemoveUnused(GraphPassContext* context, Node* node) {
  Graph* graph = context->graph();
  std::vector<int> candidates{node->id()};
  while (!candidates.empty()) {
    Node* candidate = graph->FindNodeId(candidates.back());
    candidates.pop_back();
    if (candidate == nullptr || !candidate->out_edges().empty() ||
        context->IsTarget(*candidate) ||
        !(IsPure(*candidate) || IsUnusedValue(*candidate))) {
      continue;
    }
    for (const Edge* e : candidate->in_edges()) {
      if (e->src()->IsOp()) candidates.push_back(e->src()->id());
    }
    graph->RemoveNode(candidate);
  }
}

bool PassesInputThrough(const Node& node) {
  return ElementwiseKindOf(node.type_string()) == ElementwiseKind::kPass;
}

bool SharesBuffer(const Node& node) {
  const std::string& op = node.type_string();
  return PassesInputThrough(node) || op == "Reshape" || op == "ExpandDims" ||
         op == "Squeeze" || op == "Bitcast";
}

bool MayBeVariable(const Node& node) {
  absl::InlinedVector<const Node*, 8> ways{&node};
  absl::flat_hash_set<const Node*> seen;
  while (!ways.empty()) {
    const Node* at = ways.back();
    ways.pop_back();
    if (!seen.insert(at).second) continue;
    if (at->IsVariable() || HasRefTypes(*at)) return true;
    const std::string& op = at->type_string();
    // Nodes that return parts of a buffer share it, too.
    const bool shares = SharesBuffer(*at) || at->IsControlFlow() ||
                        op == "IdentityN" || op == "Cast" || op == "Slice" ||
                        op == "StridedSlice" || absl::StartsWith(op, "Split") ||
                        op == "Unpack" || op == "Snapshot";
    if (!shares) continue;
    for (const Edge* e : at->in_edges()) {
      if (!e->IsControlEdge()) ways.push_back(e->src());
    }
  }
  return false;
}

bool BypassNode(GraphPassContext* context, Node* node, int i) {
  const Edge* in = node->input_edge(i);
  Node* source = in->src();
  const int output = in->src_output();
  if (context->IsTarget(*node) || node->num_control_inputs() > 0 ||
      IsRefType(source->output_type(output)) ||
      source->assigned_device_index() != node->assigned_device_index()) {
    return false;
  }
  if (!SharesBuffer(*node) && MayBeVariable(*source)) return false;
  const bool has_control_uses = HasControlUses(*node);
  // A Merge waits for an arrival; a feed is there from the start.
  if (source->IsArg() && FeedsMerge(*node)) return false;
  // Nodes wait for a branch of a Switch through an Identity of it.
  if (has_control_uses && source->IsControlFlow()) return false;
  // The consumer's deadness must depend on as much as before.
  if (context->has_control_flow() && node->num_inputs() > 1) return false;
  ReplaceDataUses(context->graph(), node, 0, source, output);
  if (has_control_uses) {
    ReplaceControlUses(context->graph(), node, {source});
  }
  RemoveUnused(context, node);
  return true;
}

NewNode::NewNode(GraphPassContext* context, absl::string_view op,
                 absl::string_view name, const Node& like)
    : context_(context), assigned_device_(like.assigned_device_name()) {
  def_.set_op(std::string(op));
  def_.set_name(std::string(name));
  def_.set_device(like.requested_device());
}

NewNode& NewNode::TakeAttrs(const Node& from,
                            absl::Span<const std::string> names) {
  for (const std::string& name : names) {
    if (const AttrValue* value = from.FindAttr(name.c_str())) {
      (*def_.mutable_attr())[name] = *value;
    }
  }
  return *this;
}

NewNode& NewNode::TakeAttrs(const Node& from) {
  for (const auto& [name, value] : from.def().attr()) {
    (*def_.mutable_attr())[name] = value;
  }
  return *this;
}

NewNode& NewNode::Input(Node* node, int output) {
  inputs_.emplace_back(node, output);
  return *this;
}

NewNode& NewNode::TakeControls(const Node& node) {
  const std::vector<Node*> sources = ControlInputs(node);
  controls_.insert(controls_.end(), sources.begin(), sources.end());
  return *this;
}

StatusOr<Node*> NewNode::Add() {
  Graph* graph = context_->graph();
  Status status;
  Node* node = graph->AddNode(std::move(def_), &status);
  if (node == nullptr) return status;
  node->set_assigned_device_name(assigned_device_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    graph->AddEdge(inputs_[i].first, inputs_[i].second, node,
                   static_cast<int>(i));
  }
  for (Node* source : controls_) graph->AddControlEdge(source, node);
  return node;
}

StatusOr<Node*> AddConstant(GraphPassContext* context, const std::string& name,
                            const Tensor& value, const Node& like) {
  NewNode made(context, "Const", name, like);
  made.Attr("dtype", value.dtype());
  TensorProto* proto = (*made.def()->mutable_attr())["value"].mutable_tensor();
  if (value.dtype() == DT_STRING) {
    value.AsProtoField(proto);
  } else {
    value.AsProtoTensorContent(proto);
  }
  TF_ASSIGN_OR_RETURN(Node * node, made.Add());
  context->SetShape(*node, 0, PartialTensorShape(value.shape().dim_sizes()));
  return node;
}

StatusOr<Node*> ReplaceWithOp(GraphPassContext* context, Node* node,
                              const std::string& op,
                              const std::vector<std::pair<Node*, int>>& inputs,
                              const std::vector<std::string>& attrs) {
  NewNode replacement(context, op, node->name(), *node);
  replacement.TakeAttrs(*node, attrs).TakeControls(*node);
  for (const auto& [input, output] : inputs) replacement.Input(input, output);
  TF_ASSIGN_OR_RETURN(Node * made, replacement.Add());
  Graph* graph = context->graph();
  context->SetShape(*made, 0, context->Shape(*node, 0));
  if (context->IsTarget(*node)) context->SetTarget(*made);
  ReplaceDataUses(graph, node, 0, made, 0);
  ReplaceControlUses(graph, node, {made});
  std::vector<int> old_inputs;
  for (int i = 0; i < node->num_inputs(); ++i) {
    old_inputs.push_back(node->input_node(i)->id());
  }
  graph->RemoveNode(node);
  for (int id : old_inputs) {
    if (Node* input = graph->FindNodeId(id)) RemoveUnused(context, input);
  }
  return made;
}

}  // namespace tensorwright
