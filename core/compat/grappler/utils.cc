// SPDX-License-Identifier: Apache-2.0
// The functions of utils.h.
#include "core/compat/grappler/utils.h"

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace grappler {
namespace {

bool IsOn(const NodeDef& node, absl::string_view type) {
  DeviceNameUtils::ParsedName parsed;
  return DeviceNameUtils::ParseFullName(node.device(), &parsed) &&
         parsed.has_type && parsed.type == type;
}

// The number of inputs of other nodes that name `node`: as control inputs, or
// as values.
int CountReaders(const NodeDef& node, const NodeMap& map, bool control) {
  int n = 0;
  for (const NodeDef* reader : map.GetOutputs(node.name())) {
    for (const std::string& input : reader->input()) {
      n += IsControlInput(input) == control &&
           NodeNameAsStringPiece(input) == node.name();
    }
  }
  return n;
}

template <typename T>
Status SetScalar(int value, Tensor* tensor) {
  tensor->scalar<T>()() = T(value);
  return OkStatus();
}

}  // namespace

bool IsControlInput(absl::string_view name) {
  return !name.empty() && name.front() == '^';
}

absl::string_view NodeNameAsStringPiece(absl::string_view name) {
  return ParseTensorName(name).node();
}

std::string NodeName(const std::string& name) {
  return std::string(NodeNameAsStringPiece(name));
}

int NodePosition(const std::string& name) {
  return ParseTensorName(name).index();
}

absl::string_view ParseNodeNameAsStringPiece(absl::string_view name,
                                             int* position) {
  const TensorId id = ParseTensorName(name);
  if (position != nullptr) *position = id.index();
  return id.node();
}

std::string ParseNodeName(const std::string& name, int* position) {
  return std::string(ParseNodeNameAsStringPiece(name, position));
}

int NodePositionIfSameNode(absl::string_view input_name,
                           absl::string_view node_name) {
  const TensorId id = ParseTensorName(input_name);
  return !node_name.empty() && id.node() == node_name ? id.index() : -2;
}

bool IsSameInput(const std::string& name1, const std::string& name2) {
  return ParseTensorName(name1) == ParseTensorName(name2);
}

std::string TensorIdToString(const TensorId& tensor_id) {
  return tensor_id.ToString();
}

std::string SafeTensorIdToString(const SafeTensorId& tensor_id) {
  return tensor_id.ToString();
}

std::string AsControlDependency(const NodeDef& node) {
  return absl::StrCat("^", node.name());
}

std::string AsControlDependency(const std::string& node) {
  return IsControlInput(node) ? node : absl::StrCat("^", node);
}

std::string AddPrefixToNodeName(const std::string& name,
                                const std::string& prefix,
                                const std::string& delimiter) {
  if (!IsControlInput(name)) return absl::StrCat(prefix, delimiter, name);
  return absl::StrCat("^", prefix, delimiter, name.substr(1));
}

std::string AddPrefixToNodeName(const std::string& name,
                                const std::string& prefix) {
  return AddPrefixToNodeName(name, prefix, "/");
}

bool NodeIsOnCpu(const NodeDef* node) { return IsOn(*node, DEVICE_CPU); }

bool NodeIsOnGpu(const NodeDef* node) { return IsOn(*node, DEVICE_GPU); }

NodeMap::NodeMap(GraphDef* graph) {
  for (NodeDef& node : *graph->mutable_node()) {
    NodeDef* const first = nodes_.try_emplace(node.name(), &node).first->second;
    for (const std::string& input : node.input()) {
      outputs_[NodeName(input)].insert(first);
    }
  }
}

NodeDef* NodeMap::GetNode(const std::string& name) const {
  const auto it = nodes_.find(NodeNameAsStringPiece(name));
  return it == nodes_.end() ? nullptr : it->second;
}

const absl::flat_hash_set<NodeDef*>& NodeMap::GetOutputs(
    absl::string_view node_name) const {
  const auto it = outputs_.find(node_name);
  return it == outputs_.end() ? nobody_ : it->second;
}

std::vector<NodeDef*> NodeMap::GetOutputsOrderedByNodeName(
    const std::string& node_name) const {
  const auto& readers = GetOutputs(node_name);
  std::vector<NodeDef*> ordered(readers.begin(), readers.end());
  std::sort(
      ordered.begin(), ordered.end(),
      [](const NodeDef* a, const NodeDef* b) { return a->name() < b->name(); });
  return ordered;
}

void NodeMap::AddNode(const std::string& node_name, NodeDef* node) {
  nodes_.try_emplace(node_name, node);
}

void NodeMap::RemoveNode(const std::string& name) {
  nodes_.erase(NodeName(name));
  outputs_.erase(NodeName(name));
}

void NodeMap::AddOutput(const std::string& node_name,
                        const std::string& output_name) {
  if (NodeDef* reader = GetNode(output_name)) {
    outputs_[node_name].insert(reader);
  }
}

void NodeMap::RemoveOutput(const std::string& node_name,
                           const std::string& output_name) {
  outputs_[node_name].erase(GetNode(output_name));
}

void NodeMap::UpdateInput(const std::string& node_name,
                          const std::string& old_input_name,
                          const std::string& new_input_name) {
  RemoveOutput(NodeName(old_input_name), node_name);
  AddOutput(NodeName(new_input_name), node_name);
}

void NodeMap::UpdateOutput(const std::string& node_name,
                           const std::string& old_output_name,
                           const std::string& new_output_name) {
  RemoveOutput(node_name, old_output_name);
  AddOutput(node_name, new_output_name);
}

void NodeMap::RemoveInputs(const std::string& node_name) {
  const NodeDef* node = GetNode(node_name);
  if (node == nullptr) return;
  for (const std::string& input : node->input()) {
    RemoveOutput(NodeName(input), node->name());
  }
}

void NodeMap::RemoveOutputs(const std::string& node_name) {
  outputs_.erase(node_name);
}

bool HasControlInputs(const NodeDef& node) {
  return NumControlInputs(node) > 0;
}

bool HasRegularInputs(const NodeDef& node) {
  return NumNonControlInputs(node) > 0;
}

bool HasRegularOutputs(const NodeDef& node, const NodeMap& node_map) {
  return NumNonControlOutputs(node, node_map) > 0;
}

bool HasControlOutputs(const NodeDef& node, const NodeMap& node_map) {
  return NumControlOutputs(node, node_map) > 0;
}

int NumControlInputs(const NodeDef& node) {
  return static_cast<int>(
      std::count_if(node.input().begin(), node.input().end(),
                    [](const std::string& s) { return IsControlInput(s); }));
}

int NumNonControlInputs(const NodeDef& node) {
  return node.input_size() - NumControlInputs(node);
}

int NumControlOutputs(const NodeDef& node, const NodeMap& node_map) {
  return CountReaders(node, node_map, true);
}

int NumNonControlOutputs(const NodeDef& node, const NodeMap& node_map) {
  return CountReaders(node, node_map, false);
}

int NumOutputs(const NodeDef& node, GraphDef* graph) {
  int n = 0;
  for (const NodeDef& reader : graph->node()) {
    for (const std::string& input : reader.input()) {
      n = std::max(n, NodePositionIfSameNode(input, node.name()) + 1);
    }
  }
  return n;
}

void DedupControlInputs(NodeDef* node) {
  std::set<std::string> known;
  std::vector<std::string> kept;
  for (const std::string& input : node->input()) {
    const bool is_new = known.insert(NodeName(input)).second;
    if (is_new || !IsControlInput(input)) kept.push_back(input);
  }
  node->clear_input();
  for (std::string& input : kept) node->add_input(std::move(input));
}

Status CheckAttrExists(const NodeDef& node, const std::string& key) {
  if (HasNodeAttr(node, key)) return OkStatus();
  return errors::InvalidArgument("Node ", node.name(), " lacks the attr ", key,
                                 ": ", SummarizeNodeDef(node));
}

Status CheckAttrsExist(const NodeDef& node,
                       absl::Span<const std::string> keys) {
  for (const std::string& key : keys) {
    TF_RETURN_IF_ERROR(CheckAttrExists(node, key));
  }
  return OkStatus();
}

DataType GetDataTypeFromAttr(const NodeDef& node,
                             const std::string& type_attr) {
  const auto it = node.attr().find(type_attr);
  return it == node.attr().end() ? DT_INVALID : it->second.type();
}

NodeDef* GetTailOfChain(const NodeDef& source, const NodeMap& node_map,
                        bool follow_control_input,
                        const std::function<bool(const NodeDef&)>& pred_fn) {
  const NodeDef* tail = &source;
  const NodeDef* next = &source;
  while (next == &source || pred_fn(*next)) {
    tail = next;
    if (tail->input_size() == 0 ||
        (!follow_control_input && IsControlInput(tail->input(0)))) {
      break;
    }
    next = node_map.GetNode(tail->input(0));
    if (next == nullptr || next == &source) break;
  }
  return const_cast<NodeDef*>(tail);
}

void PermuteNodesInPlace(GraphDef* graph, std::vector<int>* permutation,
                         bool invert_permutation) {
  const int n = static_cast<int>(permutation->size());
  std::vector<int> source(n);
  for (int i = 0; i < n; ++i) {
    if (invert_permutation) {
      source[i] = (*permutation)[i];
    } else {
      source[(*permutation)[i]] = i;
    }
  }
  std::vector<NodeDef> nodes(n);
  for (int i = 0; i < n; ++i) nodes[i].Swap(graph->mutable_node(i));
  for (int i = 0; i < n; ++i) nodes[source[i]].Swap(graph->mutable_node(i));
}

Status SetTensorValue(DataType dtype, int value, Tensor* tensor) {
  *tensor = Tensor(dtype, TensorShape({}));
  switch (dtype) {
    case DT_BOOL:
      return SetScalar<bool>(value, tensor);
    case DT_HALF:
      return SetScalar<Eigen::half>(value, tensor);
    case DT_BFLOAT16:
      return SetScalar<bfloat16>(value, tensor);
    case DT_FLOAT:
      return SetScalar<float>(value, tensor);
    case DT_DOUBLE:
      return SetScalar<double>(value, tensor);
    case DT_INT8:
      return SetScalar<int8>(value, tensor);
    case DT_INT16:
      return SetScalar<int16>(value, tensor);
    case DT_INT32:
      return SetScalar<int32>(value, tensor);
    case DT_INT64:
      return SetScalar<int64>(value, tensor);
    case DT_UINT8:
      return SetScalar<uint8>(value, tensor);
    case DT_UINT16:
      return SetScalar<uint16>(value, tensor);
    case DT_COMPLEX64:
      return SetScalar<complex64>(value, tensor);
    case DT_COMPLEX128:
      return SetScalar<complex128>(value, tensor);
    default:
      return errors::InvalidArgument(
          "SetTensorValue: dtype must have numbers,"
          " got ",
          DataTypeString(dtype));
  }
}

Status IsKernelRegisteredForNode(const NodeDef& node) {
  DeviceNameUtils::ParsedName parsed;
  if (!DeviceNameUtils::ParseFullName(node.device(), &parsed) ||
      !parsed.has_type) {
    return errors::InvalidArgument("Node ", node.name(), ": device '",
                                   node.device(), "' names no kind of device");
  }
  return FindKernelDef(DeviceType(parsed.type), node, nullptr, nullptr);
}

void EraseNodesFromGraph(const std::set<int>& nodes_to_delete,
                         GraphDef* graph) {
  int kept = 0;
  for (int i = 0; i < graph->node_size(); ++i) {
    if (nodes_to_delete.count(i) > 0) continue;
    if (i != kept) graph->mutable_node()->SwapElements(i, kept);
    ++kept;
  }
  graph->mutable_node()->DeleteSubrange(kept, graph->node_size() - kept);
}

void EraseNodesFromGraph(std::vector<int>&& nodes_to_delete, GraphDef* graph) {
  EraseNodesFromGraph(
      std::set<int>(nodes_to_delete.begin(), nodes_to_delete.end()), graph);
}

void EraseNodesFromGraph(const std::set<std::string>& nodes_to_delete,
                         GraphDef* graph) {
  std::set<int> places;
  for (int i = 0; i < graph->node_size(); ++i) {
    if (nodes_to_delete.count(graph->node(i).name()) > 0) places.insert(i);
  }
  EraseNodesFromGraph(places, graph);
}

}  // namespace grappler
}  // namespace tensorwright
