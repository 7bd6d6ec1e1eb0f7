// SPDX-License-Identifier: Apache-2.0
// Views of a GraphDef in which nodes have indices, and that may be changed by
// mutations, all of which happens or nothing.
//
// A node's index is its place in the GraphDef.  Fanins are what a node reads
// (FanoutViews: outputs of other nodes), fanouts who reads it (FaninViews).
// Port -1 is that of control edges.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_GRAPH_VIEW_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_GRAPH_VIEW_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace grappler {
namespace utils {
namespace internal {

constexpr int kMissingSlot = -2;
constexpr int kMissingIndex = -1;

// One port of a node of a view.
template <typename NodeViewT, typename GraphViewT>
class PortView {
 public:
  PortView() = default;
  PortView(GraphViewT* graph_view, int node_index, int port_index)
      : graph_view_(graph_view),
        node_index_(node_index),
        port_index_(port_index) {}

  bool operator==(const PortView& other) const {
    return graph_view_ == other.graph_view_ &&
           node_index_ == other.node_index_ && port_index_ == other.port_index_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const PortView& p) {
    return H::combine(std::move(h), p.node_index_, p.port_index_);
  }

  // Null for a port that is missing.  Good until the graph is changed.
  NodeViewT* node_view() const {
    return graph_view_ == nullptr ? nullptr : graph_view_->GetNode(node_index_);
  }
  int node_index() const { return node_index_; }
  int index() const { return port_index_; }

 private:
  GraphViewT* graph_view_ = nullptr;
  int node_index_ = kMissingIndex;
  int port_index_ = kMissingSlot;
};

// The part that the two kinds of NodeView share.
template <typename FaninViewT, typename FanoutViewT, typename GraphViewT,
          typename NodeDefT>
class NodeViewBase {
 public:
  NodeViewBase() = default;
  NodeViewBase(NodeDefT* node, int node_index)
      : node_(node), node_index_(node_index) {}

  NodeDefT* node() const { return node_; }
  int node_index() const { return node_index_; }
  const std::string& GetName() const { return node_->name(); }
  const std::string& GetOp() const { return node_->op(); }
  const std::string& GetDevice() const { return node_->device(); }

  const std::vector<FanoutViewT>& GetRegularFanins() const { return fanins_; }
  // A missing port if there is no such input.
  const FanoutViewT& GetRegularFanin(int i) const {
    static const FanoutViewT* const missing = new FanoutViewT;
    return i < 0 || i >= NumRegularFanins() ? *missing : fanins_[i];
  }
  const std::vector<FanoutViewT>& GetControllingFanins() const {
    return controls_;
  }
  const std::vector<std::vector<FaninViewT>>& GetRegularFanouts() const {
    return fanouts_;
  }
  const std::vector<FaninViewT>& GetRegularFanout(int i) const {
    static const auto* const nobody = new std::vector<FaninViewT>;
    return i < 0 || i >= static_cast<int>(fanouts_.size()) ? *nobody
                                                           : fanouts_[i];
  }
  const std::vector<FaninViewT>& GetControlledFanouts() const {
    return controlled_;
  }
  int NumRegularFanins() const { return static_cast<int>(fanins_.size()); }
  int NumControllingFanins() const {
    return static_cast<int>(controls_.size());
  }
  int NumRegularFanouts() const {
    int n = 0;
    for (const auto& readers : fanouts_) n += static_cast<int>(readers.size());
    return n;
  }
  int NumControlledFanouts() const {
    return static_cast<int>(controlled_.size());
  }
  bool HasFanin(const FanoutViewT& fanin) const {
    return Contains(fanin.index() < 0 ? controls_ : fanins_, fanin);
  }
  bool HasFanout(const FaninViewT& fanout) const {
    if (Contains(controlled_, fanout)) return true;
    for (const auto& readers : fanouts_) {
      if (Contains(readers, fanout)) return true;
    }
    return false;
  }

  // Null if the node has no such attr.
  const AttrValue* GetAttr(absl::string_view attr_name) const {
    return GetAttrs().Find(attr_name);
  }
  AttrSlice GetAttrs() const { return AttrSlice(*node_); }
  int NumAttrs() const { return GetAttrs().size(); }
  bool HasAttr(absl::string_view attr_name) const {
    return GetAttr(attr_name) != nullptr;
  }

 private:
  template <typename N, typename In, typename Out, typename Def, typename G>
  friend class GraphViewBase;

  template <typename Port>
  static bool Contains(const std::vector<Port>& ports, const Port& port) {
    for (const Port& p : ports) {
      if (p == port) return true;
    }
    return false;
  }

  NodeDefT* node_ = nullptr;
  int node_index_ = kMissingIndex;
  std::vector<FanoutViewT> fanins_;
  std::vector<FanoutViewT> controls_;
  std::vector<std::vector<FaninViewT>> fanouts_;
  std::vector<FaninViewT> controlled_;
};

// Checks inputs, which GraphViews are built of: control inputs come last, and
// `has_node` knows each.  InvalidArgument, naming the node.
template <typename HasNode>
Status CheckInputs(const NodeDef& node, const HasNode& has_node);

// The part that the two kinds of GraphView share.
template <typename NodeViewT, typename FaninViewT, typename FanoutViewT,
          typename GraphDefT, typename GraphViewT>
class GraphViewBase {
 public:
  explicit GraphViewBase(GraphDefT* graph) : graph_(graph) {}

  GraphDefT* graph() const { return graph_; }
  int NumNodes() const { return static_cast<int>(nodes_.size()); }
  const std::vector<NodeViewT>& GetNodes() const { return nodes_; }
  bool HasNode(absl::string_view node_name) const {
    return GetNode(node_name) != nullptr;
  }
  // Null if there is none.
  const NodeViewT* GetNode(int node_index) const {
    return node_index < 0 || node_index >= NumNodes() ? nullptr
                                                      : &nodes_[node_index];
  }
  NodeViewT* GetNode(int node_index) {
    return const_cast<NodeViewT*>(
        static_cast<const GraphViewBase*>(this)->GetNode(node_index));
  }
  const NodeViewT* GetNode(absl::string_view node_name) const {
    const auto it = places_.find(node_name);
    return it == places_.end() ? nullptr : &nodes_[it->second];
  }
  NodeViewT* GetNode(absl::string_view node_name) {
    return const_cast<NodeViewT*>(
        static_cast<const GraphViewBase*>(this)->GetNode(node_name));
  }

 protected:
  // Reads the graph.  InvalidArgument for two nodes of one name, an input that
  // no node gives, a value after a control input.
  Status Build();

 private:
  static const NodeDef* At(const GraphDef* graph, int i) {
    return &graph->node(i);
  }
  static NodeDef* At(GraphDef* graph, int i) { return graph->mutable_node(i); }

  GraphDefT* graph_;
  std::vector<NodeViewT> nodes_;
  absl::flat_hash_map<std::string, int> places_;
};

}  // namespace internal

class GraphView;
class MutableGraphView;
class NodeView;
class MutableNodeView;

// An input of a node, which reads something.
class FaninView : public internal::PortView<NodeView, GraphView> {
 public:
  using PortView::PortView;
  FaninView() = default;
};
// An output of a node.
class FanoutView : public internal::PortView<NodeView, GraphView> {
 public:
  using PortView::PortView;
  FanoutView() = default;
};
class NodeView : public internal::NodeViewBase<FaninView, FanoutView, GraphView,
                                               const NodeDef> {
 public:
  using NodeViewBase::NodeViewBase;
  NodeView() = default;
};

// The graph outlives the view and stays as it is.
class GraphView
    : public internal::GraphViewBase<NodeView, FaninView, FanoutView,
                                     const GraphDef, GraphView> {
 public:
  // After an error the view is of no use.
  explicit GraphView(const GraphDef* graph, Status* status);
};

class MutableFaninView
    : public internal::PortView<MutableNodeView, MutableGraphView> {
 public:
  using PortView::PortView;
  MutableFaninView() = default;
};
class MutableFanoutView
    : public internal::PortView<MutableNodeView, MutableGraphView> {
 public:
  using PortView::PortView;
  MutableFanoutView() = default;
};
class MutableNodeView
    : public internal::NodeViewBase<MutableFaninView, MutableFanoutView,
                                    MutableGraphView, NodeDef> {
 public:
  using NodeViewBase::NodeViewBase;
  MutableNodeView() = default;
};

// A node that a mutation adds; good until the mutation is applied or reset.
class MutationNewNode {
 public:
  MutationNewNode() = default;

 private:
  friend class Mutation;
  explicit MutationNewNode(int index) : index_(index) {}
  int index_ = internal::kMissingIndex;
};

// Collects changes; the graph keeps what it has until Apply.  Changes of nodes
// that are not there, and of inputs at negative places, are passed over.
class Mutation {
 public:
  ~Mutation();

  // A node that has the name of one in the graph takes its place.
  // InvalidArgument, in *status, for a value after a control input.
  MutationNewNode AddNode(NodeDef&& node, Status* status);
  void RemoveNode(MutableNodeView* node);
  void UpdateNodeName(MutableNodeView* node, absl::string_view name);
  void UpdateNodeName(const MutationNewNode& node, absl::string_view name);
  void UpdateNodeOp(MutableNodeView* node, absl::string_view op);
  void UpdateNodeOp(const MutationNewNode& node, absl::string_view op);
  void UpdateNodeDevice(MutableNodeView* node, absl::string_view device);
  void UpdateNodeDevice(const MutationNewNode& node, absl::string_view device);
  // Sets the input at a place, or adds it behind the others.
  void AddOrUpdateRegularFanin(MutableNodeView* node, int index,
                               const TensorId& fanin);
  void AddOrUpdateRegularFanin(const MutationNewNode& node, int index,
                               const TensorId& fanin);
  // Places are those before the mutation.
  void RemoveRegularFanin(MutableNodeView* node, int index);
  void RemoveRegularFanin(const MutationNewNode& node, int index);
  void AddControllingFanin(MutableNodeView* node,
                           absl::string_view fanin_node_name);
  void AddControllingFanin(const MutationNewNode& node,
                           absl::string_view fanin_node_name);
  void RemoveControllingFanin(MutableNodeView* node,
                              absl::string_view fanin_node_name);
  void RemoveControllingFanin(const MutationNewNode& node,
                              absl::string_view fanin_node_name);
  void AddOrUpdateNodeAttr(MutableNodeView* node, absl::string_view attr_name,
                           const AttrValue& attr_value);
  void AddOrUpdateNodeAttr(const MutationNewNode& node,
                           absl::string_view attr_name,
                           const AttrValue& attr_value);
  void RemoveNodeAttr(MutableNodeView* node, absl::string_view attr_name);
  void RemoveNodeAttr(const MutationNewNode& node, absl::string_view attr_name);

  // Forgets the changes.
  void Reset();
  // Makes the changes.  Nodes that stay keep their index unless nodes were
  // removed; pointers to NodeViews are of no use afterwards.  InvalidArgument,
  // and a graph as it was, if two nodes had one name or an input that no node
  // gives; the changes are forgotten either way.
  Status Apply();

 private:
  friend class MutableGraphView;
  struct Edit;
  explicit Mutation(MutableGraphView* graph_view);
  Edit* Of(MutableNodeView* node);
  Edit* Of(const MutationNewNode& node);
  static NodeDef Edited(const NodeDef& node, const Edit& edit);

  MutableGraphView* const graph_view_;
  // By index in the graph, and of new nodes.
  std::map<int, std::unique_ptr<Edit>> edits_;
  std::vector<std::pair<NodeDef, std::unique_ptr<Edit>>> added_;
  std::set<int> removed_;
};

// The graph outlives the view; nobody else changes its nodes meanwhile, but for
// attrs.
class MutableGraphView
    : public internal::GraphViewBase<MutableNodeView, MutableFaninView,
                                     MutableFanoutView, GraphDef,
                                     MutableGraphView> {
 public:
  // After an error the view is of no use.
  explicit MutableGraphView(GraphDef* graph, Status* status);
  MutableGraphView(const MutableGraphView&) = delete;
  MutableGraphView& operator=(const MutableGraphView&) = delete;

  Mutation* GetMutationBuilder() { return &mutation_; }

  // `to_node` comes after `from_node`.
  class TopologicalDependency {
   public:
    TopologicalDependency(const MutableNodeView* from_node,
                          const MutableNodeView* to_node)
        : from_(from_node->node_index()), to_(to_node->node_index()) {}

   private:
    friend class MutableGraphView;
    int from_;
    int to_;
  };
  // Gives nodes new indices: each comes after those that it reads.  With a
  // cycle, other than those of loops, the order stays, which is an error unless
  // `ignore_cycles`.
  Status SortTopologically(
      bool ignore_cycles,
      absl::Span<const TopologicalDependency> extra_dependencies);

 private:
  friend class Mutation;
  Mutation mutation_;
};

}  // namespace utils
}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_GRAPH_VIEW_H_
