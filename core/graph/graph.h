// SPDX-License-Identifier: Apache-2.0
// Graph, Node and Edge: the one in-memory form of a graph, from the front end's
// live graph to the pieces that the executor compiles.
//
// A Graph owns its nodes and edges; a Node* or Edge* is good until it is
// removed or the graph is destroyed.  Ops are looked up in a registry that
// outlives the graph.  Adding a node fails with a Status and leaves the graph
// as it was; the caller sees to it that a slot is free and that nodes belong to
// this graph.  Not thread safe; const access from many threads is.
//
// Ids are dense (0 .. num_node_ids() - 1; removed nodes leave holes, which are
// not filled again) so that algorithms keep their state in vectors.  Ids 0 and
// 1 are the source and sink nodes, which exist for compatibility and are
// connected to nothing: a node without inputs is a root.  An input is an edge
// into slot dst_input(); a control dependency is an edge whose slots are
// Graph::kControlSlot.
//
// A Graph checks little: types of edges, cycles and frames are ValidateGraph's
// (validate.h).  Names need not be unique here; LiveGraph and the importer see
// to that.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_properties.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/types.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class Edge;
class Graph;
class FullTypeDef;
class GraphDef;
class Node;

// The classes that the executor, the partitioner and the validator treat
// specially.
enum class NodeClass : uint8_t {
  kOther,
  kSource,
  kSink,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kSend,
  kRecv,
  kHostSend,
  kHostRecv,
  kConstant,
  kVariable,
  kIdentity,
  kNoOp,
  kArg,
  kRetval,
};

// Decides by the op's name alone; the Ref... forms (RefSwitch, ...) are in the
// class of the plain ones. kOther for any other op.
NodeClass NodeClassOf(absl::string_view op);

// A read-only range of edges, data and control mixed, in no particular order;
// iterating yields `const Edge*`.  A view: any change to the node's edges
// invalidates iterators, so collect them first.
class EdgeSet {
 public:
  using const_iterator = std::vector<Edge*>::const_iterator;
  explicit EdgeSet(const std::vector<Edge*>* edges) : edges_(edges) {}
  const_iterator begin() const { return edges_->begin(); }
  const_iterator end() const { return edges_->end(); }
  size_t size() const { return edges_->size(); }
  bool empty() const { return edges_->empty(); }

 private:
  const std::vector<Edge*>* edges_;
};

// One operation.  Made, owned and removed by a Graph.  References that the
// getters return are good until the node's name, attrs or device change, or it
// is removed; properties() may be kept longer.  Positions of inputs and outputs
// are not checked.
class Node {
 public:
  int id() const { return id_; }
  const std::string& name() const { return def().name(); }
  const std::string& type_string() const { return def().op(); }

  // Name, op, requested device and attrs.  `input` is empty: the edges tell the
  // inputs.
  const NodeDef& def() const { return props_->node_def; }
  // Shared with copies of this node and with its kernels: changing a node's
  // attrs or device makes new properties, so those others keep theirs.
  const std::shared_ptr<const NodeProperties>& properties() const {
    return props_;
  }
  // Owned by the registry, and good as long as that.
  const OpDef& op_def() const { return op_->op_def; }
  const OpRegistrationData& op_registration() const { return *op_; }

  // Data inputs and outputs, lists flattened; types with reference dtypes.
  int num_inputs() const { return static_cast<int>(input_types().size()); }
  int num_outputs() const { return static_cast<int>(output_types().size()); }
  DataType input_type(int i) const { return input_types()[i]; }
  DataType output_type(int i) const { return output_types()[i]; }
  const DataTypeVector& input_types() const { return props_->input_types; }
  const DataTypeVector& output_types() const { return props_->output_types; }

  // The device the user asked for (may be partial or empty) and the full name
  // of the one the placer chose ("" before placement).
  const std::string& requested_device() const { return def().device(); }
  void set_requested_device(absl::string_view device);
  const std::string& assigned_device_name() const;
  void set_assigned_device_name(absl::string_view device);
  bool has_assigned_device_name() const { return assigned_device_ != 0; }
  // Index of the assigned device's name in the graph's table; 0 is "".
  int assigned_device_index() const { return assigned_device_; }

  EdgeSet in_edges() const { return EdgeSet(&in_edges_); }
  EdgeSet out_edges() const { return EdgeSet(&out_edges_); }
  // The edge into data slot `i`, or nullptr while it is not connected.  O(1).
  const Edge* input_edge(int i) const { return data_in_[i]; }
  // The node behind data slot `i`, or nullptr.  O(1).
  Node* input_node(int i) const;
  int num_control_inputs() const {
    return static_cast<int>(in_edges_.size()) - num_data_edges_;
  }

  // Set from the op when the node is made.  IsOp: it is neither source nor
  // sink.
  NodeClass node_class() const { return class_; }
  bool IsSource() const { return class_ == NodeClass::kSource; }
  bool IsSink() const { return class_ == NodeClass::kSink; }
  bool IsOp() const { return id_ > 1; }
  bool IsSwitch() const { return class_ == NodeClass::kSwitch; }
  bool IsMerge() const { return class_ == NodeClass::kMerge; }
  bool IsEnter() const { return class_ == NodeClass::kEnter; }
  bool IsExit() const { return class_ == NodeClass::kExit; }
  bool IsNextIteration() const { return class_ == NodeClass::kNextIteration; }
  bool IsLoopCond() const { return class_ == NodeClass::kLoopCond; }
  bool IsControlTrigger() const { return class_ == NodeClass::kControlTrigger; }
  bool IsSend() const {
    return class_ == NodeClass::kSend || class_ == NodeClass::kHostSend;
  }
  bool IsRecv() const {
    return class_ == NodeClass::kRecv || class_ == NodeClass::kHostRecv;
  }
  bool IsConstant() const { return class_ == NodeClass::kConstant; }
  bool IsVariable() const { return class_ == NodeClass::kVariable; }
  bool IsIdentity() const { return class_ == NodeClass::kIdentity; }
  bool IsNoOp() const { return class_ == NodeClass::kNoOp; }
  bool IsArg() const { return class_ == NodeClass::kArg; }
  bool IsRetval() const { return class_ == NodeClass::kRetval; }
  bool IsTransfer() const { return IsSend() || IsRecv(); }
  // Switch, Merge, Enter, Exit or NextIteration: needs frames or dead tensors.
  bool IsControlFlow() const {
    return class_ >= NodeClass::kSwitch && class_ <= NodeClass::kNextIteration;
  }

  // nullptr when the node has no such attr.
  const AttrValue* FindAttr(absl::string_view name) const;
  // Neither call is checked, and input_types() and output_types() stay as they
  // are: attrs that decide types must not be changed.  Each call copies the
  // NodeDef.  Clearing an attr that is not there is no error.
  void SetAttr(const std::string& name, const AttrValue& value);
  void ClearAttr(const std::string& name);
  // Sets NodeDef.experimental_type, which nothing here reads.  set_name: the
  // name must not be taken; that is not checked.
  void set_experimental_type(const FullTypeDef& type);
  void set_name(absl::string_view name);

  // "name (Op)" for messages.
  std::string DebugString() const;

 private:
  friend class Graph;
  Node() = default;

  int id_ = -1;
  int assigned_device_ = 0;
  int num_data_edges_ = 0;
  NodeClass class_ = NodeClass::kOther;
  Graph* graph_ = nullptr;
  const OpRegistrationData* op_ = nullptr;
  std::shared_ptr<const NodeProperties> props_;
  std::vector<Edge*> in_edges_;
  std::vector<Edge*> out_edges_;
  std::vector<Edge*> data_in_;
};

// One output of a node into one input of another, or a control dependency.
// Immutable; the graph may use the object and its id again after the edge was
// removed.
class Edge {
 public:
  Node* src() const { return src_; }
  Node* dst() const { return dst_; }
  int id() const { return id_; }
  int src_output() const { return src_output_; }
  int dst_input() const { return dst_input_; }
  bool IsControlEdge() const { return dst_input_ < 0; }

 private:
  friend class Graph;
  Node* src_ = nullptr;
  Node* dst_ = nullptr;
  int id_ = -1;
  int src_output_ = 0;
  int dst_input_ = 0;
  int out_pos_ = 0;  // The edge's position in src_->out_edges_
  int in_pos_ = 0;   // and in dst_->in_edges_, so removal is O(1).
};

// Adding, connecting and disconnecting take constant time; removing a node
// takes time linear in the number of its edges.
class Graph {
 public:
  static constexpr int kControlSlot = -1;

  // `ops` is not null and not owned.  The graph has source and sink from the
  // start.
  explicit Graph(const OpRegistryInterface* ops);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // Adds a node; `def.input` is ignored (connect with AddEdge).  Its attrs must
  // be complete; only those that give its types are read.  NotFound for an
  // unknown op, NotFound or InvalidArgument, with the node, for attrs that do
  // not give the types; then returns nullptr and leaves the graph unchanged.
  Node* AddNode(NodeDef def, Status* status);

  // The same for a caller that has looked up the op and inferred the types, or
  // copies a node of another graph (no copy of its NodeDef is made).  Never
  // fails.  `op` outlives the graph.
  Node* AddNode(std::shared_ptr<const NodeProperties> props,
                const OpRegistrationData* op);
  // Copies `other` (of any graph) without its edges, with its assigned device.
  Node* CopyNode(const Node& other);

  // Removes the node and its edges, also those to nodes that wait for it.  The
  // node must not be source or sink.
  void RemoveNode(Node* node);

  // The slot must be free (use UpdateEdge for one that is not); neither that
  // nor the types are checked.  `src_output` == `dst_input` == kControlSlot
  // makes a control edge.
  const Edge* AddEdge(Node* src, int src_output, Node* dst, int dst_input);
  // nullptr when that control edge exists already.  Looks through the edges of
  // one of the two.
  const Edge* AddControlEdge(Node* src, Node* dst);
  void RemoveEdge(const Edge* edge);
  // Connects slot `dst_input` to another producer, in place of the one it had,
  // if any.
  const Edge* UpdateEdge(Node* src, int src_output, Node* dst, int dst_input);

  int num_nodes() const { return num_nodes_; }  // Source and sink count.
  int num_op_nodes() const { return num_nodes_ - 2; }
  int num_node_ids() const { return static_cast<int>(nodes_.size()); }
  int num_edges() const { return num_edges_; }
  int num_edge_ids() const { return static_cast<int>(edges_.size()); }
  // nullptr for the id of a removed node; `id` must be in [0, num_node_ids()).
  Node* FindNodeId(int id) const { return nodes_[id].get(); }
  Node* source_node() const { return nodes_[0].get(); }
  Node* sink_node() const { return nodes_[1].get(); }

  // Ranges over the living nodes in id order; op_nodes() leaves out source and
  // sink.  Nodes may be added while iterating (they are not visited).
  class NodeRange;
  NodeRange nodes() const;
  NodeRange op_nodes() const;

  const OpRegistryInterface* op_registry() const { return ops_; }
  const VersionDef& versions() const { return versions_; }
  void set_versions(const VersionDef& v) { versions_ = v; }

  // The device name table: InternDeviceName("") == 0.  Equal names have equal
  // indices; names are never dropped.
  int InternDeviceName(absl::string_view name);
  const std::string& DeviceNameAt(int index) const {
    return device_names_[index];
  }

  // Writes the op nodes in the order of their ids, with their inputs as "name",
  // "name:k", "^name", data inputs first ("" for one that is not connected),
  // and the assigned device in place of the requested one.  Replaces what `def`
  // held.
  void ToGraphDef(GraphDef* def) const;
  // One node as ToGraphDef writes it.
  void ToNodeDef(const Node& node, NodeDef* def) const;

  // "prefix/_<n>", a name that this has not given before for the graph; does
  // not look at the names of nodes.
  std::string NewName(absl::string_view prefix);

 private:
  friend class Node;

  const OpRegistryInterface* ops_;
  VersionDef versions_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Edge> edges_;
  std::vector<Edge*> free_edges_;
  std::vector<std::string> device_names_;
  int num_nodes_ = 0;
  int num_edges_ = 0;
  int64_t next_name_ = 0;
};

// Its end is the end of the graph at the time when the range was made.  Holds
// no copy: the graph outlives it.
class Graph::NodeRange {
 public:
  class iterator {
   public:
    using value_type = Node*;
    iterator(const Graph* graph, int id, int end)
        : graph_(graph), id_(id), end_(end) {
      SkipHoles();
    }
    Node* operator*() const { return graph_->FindNodeId(id_); }
    iterator& operator++() {
      ++id_;
      SkipHoles();
      return *this;
    }
    bool operator==(const iterator& o) const { return id_ == o.id_; }
    bool operator!=(const iterator& o) const { return id_ != o.id_; }

   private:
    void SkipHoles() {
      while (id_ < end_ && graph_->FindNodeId(id_) == nullptr) ++id_;
    }
    const Graph* graph_;
    int id_;
    int end_;
  };

  NodeRange(const Graph* graph, int begin)
      : graph_(graph), begin_(begin), end_(graph->num_node_ids()) {}
  iterator begin() const { return iterator(graph_, begin_, end_); }
  iterator end() const { return iterator(graph_, end_, end_); }

 private:
  const Graph* graph_;
  int begin_;
  int end_;
};

inline Graph::NodeRange Graph::nodes() const { return NodeRange(this, 0); }
inline Graph::NodeRange Graph::op_nodes() const { return NodeRange(this, 2); }

inline Node* Node::input_node(int i) const {
  return data_in_[i] == nullptr ? nullptr : data_in_[i]->src();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_H_
