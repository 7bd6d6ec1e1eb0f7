// SPDX-License-Identifier: Apache-2.0
// Graph, Node and Edge.
#include "core/graph/graph.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Source and sink look like any other node; their op is registered nowhere.
const OpRegistrationData* EndpointOp() {
  static const OpRegistrationData* op = [] {
    auto* data = new OpRegistrationData;
    data->op_def.set_name("NoOp");
    return data;
  }();
  return op;
}

std::shared_ptr<const NodeProperties> EndpointProperties(const char* name) {
  NodeDef def;
  def.set_name(name);
  def.set_op("NoOp");
  return std::make_shared<NodeProperties>(&EndpointOp()->op_def, std::move(def),
                                          DataTypeVector(), DataTypeVector());
}

// Copies the properties for the caller to change.
std::shared_ptr<NodeProperties> Clone(const NodeProperties& props) {
  return std::make_shared<NodeProperties>(props);
}

}  // namespace

NodeClass NodeClassOf(absl::string_view op) {
  using enum NodeClass;
  static const auto* classes =
      new absl::flat_hash_map<absl::string_view, NodeClass>({
          {"Switch", kSwitch},
          {"RefSwitch", kSwitch},
          {"Merge", kMerge},
          {"RefMerge", kMerge},
          {"Enter", kEnter},
          {"RefEnter", kEnter},
          {"Exit", kExit},
          {"RefExit", kExit},
          {"NextIteration", kNextIteration},
          {"RefNextIteration", kNextIteration},
          {"LoopCond", kLoopCond},
          {"ControlTrigger", kControlTrigger},
          {"_Send", kSend},
          {"_Recv", kRecv},
          {"_HostSend", kHostSend},
          {"_HostRecv", kHostRecv},
          {"Const", kConstant},
          {"HostConst", kConstant},
          {"Variable", kVariable},
          {"VariableV2", kVariable},
          {"Identity", kIdentity},
          {"RefIdentity", kIdentity},
          {"NoOp", kNoOp},
          {"_Arg", kArg},
          {"_Retval", kRetval},
      });
  auto it = classes->find(op);
  return it == classes->end() ? kOther : it->second;
}

const std::string& Node::assigned_device_name() const {
  return graph_->DeviceNameAt(assigned_device_);
}

void Node::set_assigned_device_name(absl::string_view device) {
  assigned_device_ = graph_->InternDeviceName(device);
}

void Node::set_requested_device(absl::string_view device) {
  if (requested_device() == device) return;
  auto props = Clone(*props_);
  props->node_def.set_device(std::string(device));
  props_ = std::move(props);
}

void Node::set_name(absl::string_view name) {
  auto props = Clone(*props_);
  props->node_def.set_name(std::string(name));
  props_ = std::move(props);
}

const AttrValue* Node::FindAttr(absl::string_view name) const {
  return AttrSlice(def()).Find(name);
}

void Node::SetAttr(const std::string& name, const AttrValue& value) {
  auto props = Clone(*props_);
  (*props->node_def.mutable_attr())[name] = value;
  props_ = std::move(props);
}

void Node::ClearAttr(const std::string& name) {
  auto props = Clone(*props_);
  props->node_def.mutable_attr()->erase(name);
  props_ = std::move(props);
}

void Node::set_experimental_type(const FullTypeDef& type) {
  auto props = Clone(*props_);
  *props->node_def.mutable_experimental_type() = type;
  props_ = std::move(props);
}

std::string Node::DebugString() const {
  return absl::StrCat(name(), " (", type_string(), ")");
}

Graph::Graph(const OpRegistryInterface* ops) : ops_(ops), device_names_(1) {
  AddNode(EndpointProperties("_SOURCE"), EndpointOp())->class_ =
      NodeClass::kSource;
  AddNode(EndpointProperties("_SINK"), EndpointOp())->class_ = NodeClass::kSink;
}

Graph::~Graph() = default;

Node* Graph::AddNode(NodeDef def, Status* status) {
  const OpRegistrationData* op = nullptr;
  *status = ops_->LookUp(def.op(), &op);
  if (!status->ok()) return nullptr;
  DataTypeVector inputs;
  DataTypeVector outputs;
  *status = InOutTypesForNode(def, op->op_def, &inputs, &outputs);
  if (!status->ok()) {
    *status = AttachDef(*status, def);
    return nullptr;
  }
  def.clear_input();
  return AddNode(
      std::make_shared<NodeProperties>(&op->op_def, std::move(def),
                                       std::move(inputs), std::move(outputs)),
      op);
}

Node* Graph::AddNode(std::shared_ptr<const NodeProperties> props,
                     const OpRegistrationData* op) {
  nodes_.push_back(std::unique_ptr<Node>(new Node));
  Node* node = nodes_.back().get();
  node->id_ = static_cast<int>(nodes_.size()) - 1;
  node->graph_ = this;
  node->op_ = op;
  node->props_ = std::move(props);
  node->class_ = NodeClassOf(node->type_string());
  node->data_in_.resize(node->num_inputs());
  node->in_edges_.reserve(node->num_inputs());
  ++num_nodes_;
  return node;
}

Node* Graph::CopyNode(const Node& other) {
  Node* node = AddNode(other.properties(), other.op_);
  if (other.has_assigned_device_name()) {
    node->set_assigned_device_name(other.assigned_device_name());
  }
  return node;
}

void Graph::RemoveNode(Node* node) {
  while (!node->in_edges_.empty()) RemoveEdge(node->in_edges_.back());
  while (!node->out_edges_.empty()) RemoveEdge(node->out_edges_.back());
  --num_nodes_;
  nodes_[node->id_].reset();
}

const Edge* Graph::AddEdge(Node* src, int src_output, Node* dst,
                           int dst_input) {
  Edge* edge;
  if (free_edges_.empty()) {
    edges_.emplace_back();
    edge = &edges_.back();
    edge->id_ = static_cast<int>(edges_.size()) - 1;
  } else {
    edge = free_edges_.back();
    free_edges_.pop_back();
  }
  edge->src_ = src;
  edge->dst_ = dst;
  edge->src_output_ = src_output;
  edge->dst_input_ = dst_input;
  edge->out_pos_ = static_cast<int>(src->out_edges_.size());
  edge->in_pos_ = static_cast<int>(dst->in_edges_.size());
  src->out_edges_.push_back(edge);
  dst->in_edges_.push_back(edge);
  if (dst_input >= 0) {
    dst->data_in_[dst_input] = edge;
    ++dst->num_data_edges_;
  }
  ++num_edges_;
  return edge;
}

const Edge* Graph::AddControlEdge(Node* src, Node* dst) {
  // Look through the shorter list: sources of many control edges are common.
  const auto& edges = src->out_edges_.size() < dst->in_edges_.size()
                          ? src->out_edges_
                          : dst->in_edges_;
  for (const Edge* e : edges) {
    if (e->IsControlEdge() && e->src() == src && e->dst() == dst) {
      return nullptr;
    }
  }
  return AddEdge(src, kControlSlot, dst, kControlSlot);
}

void Graph::RemoveEdge(const Edge* const_edge) {
  Edge* edge = &edges_[const_edge->id()];
  Node* src = edge->src_;
  Node* dst = edge->dst_;
  // The last edge of each list takes the removed one's place.
  Edge* last_out = src->out_edges_.back();
  src->out_edges_[edge->out_pos_] = last_out;
  last_out->out_pos_ = edge->out_pos_;
  src->out_edges_.pop_back();
  Edge* last_in = dst->in_edges_.back();
  dst->in_edges_[edge->in_pos_] = last_in;
  last_in->in_pos_ = edge->in_pos_;
  dst->in_edges_.pop_back();
  if (edge->dst_input_ >= 0) {
    dst->data_in_[edge->dst_input_] = nullptr;
    --dst->num_data_edges_;
  }
  edge->src_ = nullptr;
  edge->dst_ = nullptr;
  free_edges_.push_back(edge);
  --num_edges_;
}

const Edge* Graph::UpdateEdge(Node* src, int src_output, Node* dst,
                              int dst_input) {
  if (const Edge* old = dst->input_edge(dst_input)) RemoveEdge(old);
  return AddEdge(src, src_output, dst, dst_input);
}

int Graph::InternDeviceName(absl::string_view name) {
  // A process has few devices; the table stays short.
  for (size_t i = 0; i < device_names_.size(); ++i) {
    if (device_names_[i] == name) return static_cast<int>(i);
  }
  device_names_.emplace_back(name);
  return static_cast<int>(device_names_.size()) - 1;
}

void Graph::ToNodeDef(const Node& node, NodeDef* def) const {
  *def = node.def();
  def->clear_input();
  if (node.has_assigned_device_name()) {
    def->set_device(node.assigned_device_name());
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Edge* edge = node.input_edge(i);
    if (edge == nullptr) {
      def->add_input("");
    } else if (edge->src_output() == 0) {
      def->add_input(edge->src()->name());
    } else {
      def->add_input(
          absl::StrCat(edge->src()->name(), ":", edge->src_output()));
    }
  }
  for (const Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge() && edge->src()->IsOp()) {
      def->add_input(absl::StrCat("^", edge->src()->name()));
    }
  }
}

void Graph::ToGraphDef(GraphDef* def) const {
  def->Clear();
  *def->mutable_versions() = versions_;
  def->mutable_node()->Reserve(num_op_nodes());
  for (const Node* node : op_nodes()) ToNodeDef(*node, def->add_node());
}

std::string Graph::NewName(absl::string_view prefix) {
  return absl::StrCat(prefix, "/_", next_name_++);
}

}  // namespace tensorwright
