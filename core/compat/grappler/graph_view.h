// SPDX-License-Identifier: Apache-2.0
// GraphView: who reads whom in a GraphDef.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPH_VIEW_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPH_VIEW_H_

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/compat/grappler/utils.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace grappler {

// The position in op.output_arg (op.input_arg) of the argument that output
// (input) `port_id` of the node belongs to; -1 if there is none.
int OpOutputPortIdToArgId(const NodeDef& node, const OpDef& op, int port_id);
int OpInputPortIdToArgId(const NodeDef& node, const OpDef& op, int port_id);

namespace internal {

// Points into the graph, which stays as it is.  Port -1 is that of control
// edges.  Nodes that are not in the graph are null.
template <typename GraphDefT, typename NodeDefT>
class GraphViewInternal {
 public:
  struct Port {
    Port() = default;
    Port(NodeDefT* n, int port) : node(n), port_id(port) {}
    bool operator==(const Port& other) const {
      return node == other.node && port_id == other.port_id;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Port& p) {
      return H::combine(std::move(h), p.node, p.port_id);
    }

    NodeDefT* node = nullptr;
    int port_id = 0;
  };
  struct InputPort : public Port {
    InputPort() = default;
    InputPort(NodeDefT* n, int port) : Port(n, port) {}
  };
  struct OutputPort : public Port {
    OutputPort() = default;
    OutputPort(NodeDefT* n, int port) : Port(n, port) {}
  };
  struct Edge {
    Edge(OutputPort s, InputPort d) : src(s), dst(d) {}
    bool operator==(const Edge& other) const {
      return src == other.src && dst == other.dst;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Edge& e) {
      return H::combine(std::move(h), e.src, e.dst);
    }

    OutputPort src;
    InputPort dst;
  };

  GraphDefT* graph() const { return graph_; }
  NodeDefT* GetNode(absl::string_view node_name) const {
    const auto it = nodes_.find(node_name);
    return it == nodes_.end() ? nullptr : it->second;
  }
  bool HasNode(absl::string_view node_name) const {
    return nodes_.contains(node_name);
  }
  InputPort GetInputPort(absl::string_view node_name, int port_id) const {
    return InputPort(GetNode(node_name), port_id);
  }
  OutputPort GetOutputPort(absl::string_view node_name, int port_id) const {
    return OutputPort(GetNode(node_name), port_id);
  }

  // The inputs that read an output.
  const absl::flat_hash_set<InputPort>& GetFanout(
      const OutputPort& port) const {
    const auto it = fanouts_.find(port);
    return it == fanouts_.end() ? nothing_ : it->second;
  }
  // The outputs that an input reads: one, or for port -1 all control inputs.
  absl::flat_hash_set<OutputPort> GetFanin(const InputPort& port) const {
    absl::flat_hash_set<OutputPort> fanin;
    if (port.node == nullptr) return fanin;
    if (port.port_id >= 0) {
      const OutputPort source = GetRegularFanin(port);
      if (source.node != nullptr) fanin.insert(source);
      return fanin;
    }
    for (int i = NumRegular(*port.node); i < port.node->input_size(); ++i) {
      AddSource(*port.node, i, &fanin);
    }
    return fanin;
  }
  // Node null if there is no such input.
  const OutputPort GetRegularFanin(const InputPort& port) const {
    if (port.node == nullptr || port.port_id < 0 ||
        port.port_id >= NumRegular(*port.node)) {
      return OutputPort();
    }
    const TensorId id = ParseTensorName(port.node->input(port.port_id));
    return GetOutputPort(id.node(), id.index());
  }
  bool HasFanin(const NodeDefT& node, const TensorId& fanin) const {
    for (const std::string& input : node.input()) {
      if (ParseTensorName(input) == fanin) return true;
    }
    return false;
  }

  absl::flat_hash_set<InputPort> GetFanouts(
      const NodeDefT& node, bool include_controlled_nodes) const {
    absl::flat_hash_set<InputPort> fanouts;
    for (const Edge& edge : GetFanoutEdges(node, include_controlled_nodes)) {
      fanouts.insert(edge.dst);
    }
    return fanouts;
  }
  absl::flat_hash_set<OutputPort> GetFanins(
      const NodeDefT& node, bool include_controlling_nodes) const {
    absl::flat_hash_set<OutputPort> fanins;
    const int n = NumFanins(node, include_controlling_nodes);
    for (int i = 0; i < n; ++i) AddSource(node, i, &fanins);
    return fanins;
  }
  int NumFanins(const NodeDefT& node, bool include_controlling_nodes) const {
    return include_controlling_nodes ? node.input_size() : NumRegular(node);
  }
  int NumFanouts(const NodeDefT& node, bool include_controlled_nodes) const {
    return static_cast<int>(
        GetFanoutEdges(node, include_controlled_nodes).size());
  }
  absl::flat_hash_set<Edge> GetFanoutEdges(
      const NodeDefT& node, bool include_controlled_edges) const {
    absl::flat_hash_set<Edge> edges;
    const auto it = num_ports_.find(&node);
    const int ports = it == num_ports_.end() ? 0 : it->second;
    for (int port = include_controlled_edges ? -1 : 0; port < ports; ++port) {
      const OutputPort source(const_cast<NodeDefT*>(&node), port);
      for (const InputPort& reader : GetFanout(source)) {
        edges.insert(Edge(source, reader));
      }
    }
    return edges;
  }
  absl::flat_hash_set<Edge> GetFaninEdges(
      const NodeDefT& node, bool include_controlling_edges) const {
    absl::flat_hash_set<Edge> edges;
    const int n = NumFanins(node, include_controlling_edges);
    for (int i = 0; i < n; ++i) {
      const TensorId id = ParseTensorName(node.input(i));
      if (NodeDefT* source = GetNode(id.node())) {
        edges.insert(Edge(OutputPort(source, id.index()),
                          InputPort(const_cast<NodeDefT*>(&node), i)));
      }
    }
    return edges;
  }

 protected:
  explicit GraphViewInternal(GraphDefT* graph) : graph_(graph) {}

  Status AddUniqueNode(NodeDefT* node) {
    if (nodes_.emplace(node->name(), node).second) return Status();
    return errors::InvalidArgument("GraphView: two nodes have the name ",
                                   node->name());
  }
  void AddUniqueNodeOrDie(NodeDefT* node) {
    const Status status = AddUniqueNode(node);
    CHECK(status.ok()) << status.message();
  }
  // Call it for each node when all of them are known.
  void AddFanouts(NodeDefT* node) {
    for (int i = 0; i < node->input_size(); ++i) {
      const TensorId id = ParseTensorName(node->input(i));
      NodeDefT* const source = GetNode(id.node());
      if (source == nullptr) continue;
      int& ports = num_ports_[source];
      ports = std::max(ports, id.index() + 1);
      fanouts_[OutputPort(source, id.index())].insert(
          InputPort(node, id.IsControl() ? -1 : i));
    }
  }

 private:
  static int NumRegular(const NodeDefT& node) {
    int n = node.input_size();
    while (n > 0 && IsControlInput(node.input(n - 1))) --n;
    return n;
  }
  void AddSource(const NodeDefT& node, int i,
                 absl::flat_hash_set<OutputPort>* fanins) const {
    const TensorId id = ParseTensorName(node.input(i));
    if (NodeDefT* source = GetNode(id.node())) {
      fanins->insert(OutputPort(source, id.index()));
    }
  }

  GraphDefT* graph_;
  absl::flat_hash_map<absl::string_view, NodeDefT*> nodes_;
  absl::flat_hash_map<OutputPort, absl::flat_hash_set<InputPort>> fanouts_;
  // One more than the largest output that something reads.
  absl::flat_hash_map<const NodeDefT*, int> num_ports_;
  const absl::flat_hash_set<InputPort> nothing_;
};

}  // namespace internal

// Ends the process if two nodes have one name.
class GraphView
    : public internal::GraphViewInternal<const GraphDef, const NodeDef> {
 public:
  explicit GraphView(const GraphDef* graph) : GraphViewInternal(graph) {
    for (const NodeDef& node : graph->node()) AddUniqueNodeOrDie(&node);
    for (const NodeDef& node : graph->node()) AddFanouts(&node);
  }
};

// Is output `port` read by one input?  By any?
bool HasSingleFanoutNode(const GraphView& graph_view, const NodeDef* node,
                         int port = 0);
bool HasFanouts(const GraphView& graph_view, const NodeDef* node, int port = 0);
bool HasControlFanin(const GraphView& graph_view, const NodeDef* node);
bool HasControlFanout(const GraphView& graph_view, const NodeDef* node);
bool HasControlFaninOrFanout(const GraphView& graph_view, const NodeDef* node);

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPH_VIEW_H_
