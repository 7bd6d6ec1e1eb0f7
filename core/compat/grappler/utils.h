// SPDX-License-Identifier: Apache-2.0
// Names of inputs, and questions about nodes of GraphDefs.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace grappler {

// "^a" is an input that a node waits for; "a" and "a:1" are values.
bool IsControlInput(absl::string_view name);
inline bool IsControlInput(const TensorId& id) { return id.IsControl(); }
// "a", "a:1" and "^a" -> "a".  The view points into `name`.
absl::string_view NodeNameAsStringPiece(absl::string_view name);
std::string NodeName(const std::string& name);
// -1 for a control input.
int NodePosition(const std::string& name);
absl::string_view ParseNodeNameAsStringPiece(absl::string_view name,
                                             int* position);
std::string ParseNodeName(const std::string& name, int* position);
// The position of an input if it is of that node, else -2.
int NodePositionIfSameNode(absl::string_view input_name,
                           absl::string_view node_name);
// "a" and "a:0" are the same.
bool IsSameInput(const std::string& name1, const std::string& name2);
std::string TensorIdToString(const TensorId& tensor_id);
std::string SafeTensorIdToString(const SafeTensorId& tensor_id);
// "^a" of node a.
std::string AsControlDependency(const NodeDef& node);
std::string AsControlDependency(const std::string& node);
// "prefix/a", and "^prefix/a" of "^a".
std::string AddPrefixToNodeName(const std::string& name,
                                const std::string& prefix,
                                const std::string& delimiter);
std::string AddPrefixToNodeName(const std::string& name,
                                const std::string& prefix);

// By the device that the node asks for.
bool NodeIsOnCpu(const NodeDef* node);
bool NodeIsOnGpu(const NodeDef* node);

// The nodes of a graph by name, and who reads each.  Points into the graph;
// who changes it says so by the methods below.
class NodeMap {
 public:
  explicit NodeMap(GraphDef* graph);

  // Null if there is none.  The name may be an input's.
  NodeDef* GetNode(const std::string& name) const;
  bool NodeExists(const std::string& name) const {
    return GetNode(name) != nullptr;
  }
  const absl::flat_hash_set<NodeDef*>& GetOutputs(
      absl::string_view node_name) const;
  std::vector<NodeDef*> GetOutputsOrderedByNodeName(
      const std::string& node_name) const;
  void AddNode(const std::string& node_name, NodeDef* node);
  void RemoveNode(const std::string& name);
  void AddOutput(const std::string& node_name, const std::string& output_name);
  void RemoveOutput(const std::string& node_name,
                    const std::string& output_name);
  void UpdateInput(const std::string& node_name,
                   const std::string& old_input_name,
                   const std::string& new_input_name);
  void UpdateOutput(const std::string& node_name,
                    const std::string& old_output_name,
                    const std::string& new_output_name);
  void RemoveInputs(const std::string& node_name);
  void RemoveOutputs(const std::string& node_name);

 private:
  absl::flat_hash_map<std::string, NodeDef*> nodes_;
  absl::flat_hash_map<std::string, absl::flat_hash_set<NodeDef*>> outputs_;
  const absl::flat_hash_set<NodeDef*> nobody_;
};

// A stack that holds each value once.
template <class T, class Hash = std::hash<T>>
class SetVector {
 public:
  // False if the value is there already.
  bool PushBack(const T& value) {
    if (!set_.insert(value).second) return false;
    vector_.push_back(value);
    return true;
  }
  T PopBack() {
    T back = vector_.back();
    vector_.pop_back();
    set_.erase(back);
    return back;
  }
  bool Exists(const T& value) const { return set_.count(value) > 0; }
  bool Empty() const { return vector_.empty(); }
  void Reserve(int64_t size) { vector_.reserve(size); }

 private:
  std::unordered_set<T, Hash> set_;
  std::vector<T> vector_;
};

bool HasControlInputs(const NodeDef& node);
bool HasRegularInputs(const NodeDef& node);
bool HasRegularOutputs(const NodeDef& node, const NodeMap& node_map);
bool HasControlOutputs(const NodeDef& node, const NodeMap& node_map);
int NumControlInputs(const NodeDef& node);
int NumNonControlInputs(const NodeDef& node);
// Count inputs of other nodes.
int NumControlOutputs(const NodeDef& node, const NodeMap& node_map);
int NumNonControlOutputs(const NodeDef& node, const NodeMap& node_map);
// One more than the largest output that a node of the graph reads; 0 if none.
int NumOutputs(const NodeDef& node, GraphDef* graph);
// Drops control inputs that are there twice, or of which the node reads a
// value.
void DedupControlInputs(NodeDef* node);

// InvalidArgument, naming the node, if an attr is missing.
Status CheckAttrExists(const NodeDef& node, const std::string& key);
Status CheckAttrsExist(const NodeDef& node, absl::Span<const std::string> keys);
// DT_INVALID if the node has no such attr.
DataType GetDataTypeFromAttr(const NodeDef& node, const std::string& type_attr);

// Follows first inputs from `source` on, as long as the nodes satisfy
// `pred_fn`, and gives the last of them.
NodeDef* GetTailOfChain(const NodeDef& source, const NodeMap& node_map,
                        bool follow_control_input,
                        const std::function<bool(const NodeDef&)>& pred_fn);
// Node i moves to (*permutation)[i], or, inverted, (*permutation)[i] to i.
void PermuteNodesInPlace(GraphDef* graph, std::vector<int>* permutation,
                         bool invert_permutation);
// Makes a scalar of that value.  InvalidArgument for dtypes without numbers.
Status SetTensorValue(DataType dtype, int value, Tensor* tensor);
// Is there a kernel for the node, on the kind of device that it asks for?
Status IsKernelRegisteredForNode(const NodeDef& node);

void EraseNodesFromGraph(const std::set<int>& nodes_to_delete, GraphDef* graph);
void EraseNodesFromGraph(std::vector<int>&& nodes_to_delete, GraphDef* graph);
void EraseNodesFromGraph(const std::set<std::string>& nodes_to_delete,
                         GraphDef* graph);

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_H_
