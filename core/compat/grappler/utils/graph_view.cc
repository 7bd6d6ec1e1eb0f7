// SPDX-License-Identifier: Apache-2.0
// Building views, and mutations.
#include "core/compat/grappler/utils/graph_view.h"

#include "absl/strings/string_view.h"
#include "core/compat/grappler/utils.h"
#include "core/compat/grappler/utils/topological_sort.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace grappler {
namespace utils {
namespace internal {

template <typename HasNode>
Status CheckInputs(const NodeDef& node, const HasNode& has_node) {
  bool control = false;
  for (const std::string& input : node.input()) {
    const TensorId id = ParseTensorName(input);
    if (control && !id.IsControl()) {
      return errors::InvalidArgument("GraphView: node ", node.name(), " reads ",
                                     input, " after its control inputs");
    }
    control = id.IsControl();
    if (!has_node(id.node())) {
      return errors::InvalidArgument("GraphView: node ", node.name(), " reads ",
                                     input, ", which no node gives");
    }
  }
  return OkStatus();
}

template <typename NodeViewT, typename FaninViewT, typename FanoutViewT,
          typename GraphDefT, typename GraphViewT>
Status GraphViewBase<NodeViewT, FaninViewT, FanoutViewT, GraphDefT,
                     GraphViewT>::Build() {
  nodes_.clear();
  places_.clear();
  for (int i = 0; i < graph_->node_size(); ++i) {
    if (!places_.emplace(graph_->node(i).name(), i).second) {
      return errors::InvalidArgument("GraphView: two nodes have the name ",
                                     graph_->node(i).name());
    }
    nodes_.emplace_back(At(graph_, i), i);
  }
  auto* const self = static_cast<GraphViewT*>(this);
  for (NodeViewT& node : nodes_) {
    TF_RETURN_IF_ERROR(CheckInputs(
        *node.node(),
        [this](absl::string_view name) { return places_.contains(name); }));
    for (int i = 0; i < node.node()->input_size(); ++i) {
      const TensorId id = ParseTensorName(node.node()->input(i));
      const int source = places_.find(id.node())->second;
      const FanoutViewT fanin(self, source, id.index());
      if (id.IsControl()) {
        node.controls_.push_back(fanin);
        nodes_[source].controlled_.emplace_back(self, node.node_index(), -1);
        continue;
      }
      node.fanins_.push_back(fanin);
      auto& fanouts = nodes_[source].fanouts_;
      if (static_cast<int>(fanouts.size()) <= id.index()) {
        fanouts.resize(id.index() + 1);
      }
      fanouts[id.index()].emplace_back(self, node.node_index(), i);
    }
  }
  return OkStatus();
}

}  // namespace internal

// The changes of one node.
struct Mutation::Edit {
  std::unique_ptr<std::string> name;
  std::unique_ptr<std::string> op;
  std::unique_ptr<std::string> device;
  std::map<int, std::string> inputs;
  std::set<int> removed_inputs;
  std::set<std::string> controls;
  std::set<std::string> removed_controls;
  std::map<std::string, AttrValue> attrs;
  std::set<std::string> removed_attrs;
};

GraphView::GraphView(const GraphDef* graph, Status* status)
    : GraphViewBase(graph) {
  *status = Build();
}

MutableGraphView::MutableGraphView(GraphDef* graph, Status* status)
    : GraphViewBase(graph), mutation_(this) {
  *status = Build();
}

Status MutableGraphView::SortTopologically(
    bool ignore_cycles,
    absl::Span<const TopologicalDependency> extra_dependencies) {
  std::vector<grappler::TopologicalDependency> extra;
  for (const TopologicalDependency& d : extra_dependencies) {
    extra.emplace_back(&graph()->node(d.from_), &graph()->node(d.to_));
  }
  std::vector<const NodeDef*> order;
  const Status status = ComputeTopologicalOrder(*graph(), extra, &order);
  if (!status.ok()) return ignore_cycles ? OkStatus() : status;
  std::vector<int> sources;
  for (const NodeDef* node : order) {
    sources.push_back(GetNode(node->name())->node_index());
  }
  PermuteNodesInPlace(graph(), &sources, /*invert_permutation=*/true);
  return Build();
}

Mutation::Mutation(MutableGraphView* graph_view) : graph_view_(graph_view) {}
Mutation::~Mutation() = default;

Mutation::Edit* Mutation::Of(MutableNodeView* node) {
  std::unique_ptr<Edit>& edit = edits_[node->node_index()];
  if (edit == nullptr) edit.reset(new Edit);
  return edit.get();
}

Mutation::Edit* Mutation::Of(const MutationNewNode& node) {
  // The mutation is over: changes to this copy go nowhere.
  static Edit* const nowhere = new Edit;
  if (node.index_ < 0 || node.index_ >= static_cast<int>(added_.size())) {
    *nowhere = Edit();
    return nowhere;
  }
  return added_[node.index_].second.get();
}

MutationNewNode Mutation::AddNode(NodeDef&& node, Status* status) {
  *status = internal::CheckInputs(node, [](absl::string_view) { return true; });
  if (!status->ok()) return MutationNewNode();
  added_.emplace_back(std::move(node), std::unique_ptr<Edit>(new Edit));
  return MutationNewNode(static_cast<int>(added_.size()) - 1);
}

void Mutation::RemoveNode(MutableNodeView* node) {
  removed_.insert(node->node_index());
}

// Each change has two forms, for nodes that are there and for new ones; a macro
// writes both.
#define BOTH(Method, params, args, body)                            \
  void Mutation::Method(MutableNodeView* node, EACH params) {       \
    Edit* const edit = Of(node);                                    \
    body;                                                           \
  }                                                                 \
  void Mutation::Method(const MutationNewNode& node, EACH params) { \
    Edit* const edit = Of(node);                                    \
    body;                                                           \
  }
#define EACH(...) __VA_ARGS__

BOTH(UpdateNodeName, (absl::string_view name), (name),
     edit->name.reset(new std::string(name)))
BOTH(UpdateNodeOp, (absl::string_view op), (op),
     edit->op.reset(new std::string(op)))
BOTH(UpdateNodeDevice, (absl::string_view device), (device),
     edit->device.reset(new std::string(device)))
BOTH(AddOrUpdateRegularFanin, (int index, const TensorId& fanin),
     (index, fanin), {
       if (index < 0 || fanin.IsControl()) return;
       edit->inputs[index] = fanin.ToString();
       edit->removed_inputs.erase(index);
     })
BOTH(RemoveRegularFanin, (int index), (index), {
  if (index < 0) return;
  edit->inputs.erase(index);
  edit->removed_inputs.insert(index);
})
BOTH(AddControllingFanin, (absl::string_view fanin_node_name),
     (fanin_node_name), {
       edit->controls.insert(std::string(fanin_node_name));
       edit->removed_controls.erase(std::string(fanin_node_name));
     })
BOTH(RemoveControllingFanin, (absl::string_view fanin_node_name),
     (fanin_node_name), {
       edit->controls.erase(std::string(fanin_node_name));
       edit->removed_controls.insert(std::string(fanin_node_name));
     })
BOTH(AddOrUpdateNodeAttr,
     (absl::string_view attr_name, const AttrValue& attr_value),
     (attr_name, attr_value), {
       edit->attrs[std::string(attr_name)] = attr_value;
       edit->removed_attrs.erase(std::string(attr_name));
     })
BOTH(RemoveNodeAttr, (absl::string_view attr_name), (attr_name), {
  edit->attrs.erase(std::string(attr_name));
  edit->removed_attrs.insert(std::string(attr_name));
})

#undef EACH
#undef BOTH

void Mutation::Reset() {
  edits_.clear();
  added_.clear();
  removed_.clear();
}

NodeDef Mutation::Edited(const NodeDef& node, const Edit& edit) {
  NodeDef edited = node;
  if (edit.name != nullptr) edited.set_name(*edit.name);
  if (edit.op != nullptr) edited.set_op(*edit.op);
  if (edit.device != nullptr) edited.set_device(*edit.device);
  for (const auto& attr : edit.attrs) {
    (*edited.mutable_attr())[attr.first] = attr.second;
  }
  for (const std::string& attr : edit.removed_attrs) {
    edited.mutable_attr()->erase(attr);
  }
  std::map<int, std::string> inputs = edit.inputs;
  const int num_regular = NumNonControlInputs(node);
  for (int i = 0; i < num_regular; ++i) inputs.emplace(i, node.input(i));
  for (const int i : edit.removed_inputs) inputs.erase(i);
  edited.clear_input();
  for (auto& input : inputs) edited.add_input(std::move(input.second));
  std::set<std::string> controls = edit.controls;
  for (int i = num_regular; i < node.input_size(); ++i) {
    const std::string name = NodeName(node.input(i));
    if (edit.removed_controls.count(name) == 0) controls.insert(name);
  }
  for (const std::string& control : controls) {
    edited.add_input(AsControlDependency(control));
  }
  return edited;
}

Status Mutation::Apply() {
  GraphDef* const graph = graph_view_->graph();
  const int n = graph->node_size();
  // The nodes that differ, by index; new ones come after the others.
  std::map<int, NodeDef> changed;
  for (const auto& edit : edits_) {
    changed[edit.first] = Edited(graph->node(edit.first), *edit.second);
  }
  std::set<int> removed = removed_;
  int end = n;
  for (const auto& added : added_) {
    NodeDef node = Edited(added.first, *added.second);
    const MutableNodeView* const known = graph_view_->GetNode(node.name());
    const bool replaces =
        known != nullptr && changed.count(known->node_index()) == 0;
    if (replaces) removed.erase(known->node_index());
    changed[replaces ? known->node_index() : end++] = std::move(node);
  }
  Reset();
  const auto at = [&](int i) -> const NodeDef& {
    const auto it = changed.find(i);
    return it == changed.end() ? graph->node(i) : it->second;
  };
  absl::flat_hash_set<std::string> names;
  for (int i = 0; i < end; ++i) {
    if (removed.count(i) > 0 || names.insert(at(i).name()).second) continue;
    return errors::InvalidArgument("Mutation: two nodes would have the name ",
                                   at(i).name());
  }
  for (int i = 0; i < end; ++i) {
    if (removed.count(i) > 0) continue;
    TF_RETURN_IF_ERROR(internal::CheckInputs(
        at(i),
        [&names](absl::string_view name) { return names.contains(name); }));
  }
  for (auto& change : changed) {
    NodeDef* const place = change.first < n ? graph->mutable_node(change.first)
                                            : graph->add_node();
    place->Swap(&change.second);
  }
  EraseNodesFromGraph(removed, graph);
  return graph_view_->Build();
}

}  // namespace utils
}  // namespace grappler
}  // namespace tensorwright
