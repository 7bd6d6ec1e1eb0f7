// SPDX-License-Identifier: Apache-2.0
// Puts clusters of elementwise nodes into one _FusedElementwise node each.
//
// A cluster is convex: no path leaves it and comes back, so it can run as one.
// If values may be dead, it also has one result into which all of its nodes
// lead, so that the cluster is dead exactly when the result would be.
//
// Shapes play no part here; the kernel handles them when it knows them.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_def_util.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"
#include "core/util/elementwise.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

// Longer clusters are cut.
constexpr size_t kMaxSteps = 2048;

bool IsFusedType(DataType type) {
  switch (type) {
    case DT_FLOAT:
    case DT_DOUBLE:
    case DT_HALF:
    case DT_BFLOAT16:
    case DT_INT32:
    case DT_INT64:
    case DT_BOOL:
      return true;
    default:
      return false;
  }
}

// Has the op only attrs under which it does what loops over elements do?
bool HasPlainAttrs(const Node& node) {
  const AttrValue* attr = node.FindAttr("incompatible_shape_error");
  if (attr != nullptr && !attr->b()) return false;
  attr = node.FindAttr("Truncate");
  if (attr != nullptr && attr->b()) return false;
  attr = node.FindAttr("data_format");
  return attr == nullptr || attr->s() == "NHWC";
}

bool IsFusable(const Node& node) {
  const ElementwiseKind kind = ElementwiseKindOf(node.type_string());
  if (kind == ElementwiseKind::kNone || kind == ElementwiseKind::kReduce ||
      !IsPure(node) || node.num_outputs() != 1 || node.num_inputs() == 0 ||
      !IsOnCpu(node) || !HasPlainAttrs(node)) {
    return false;
  }
  for (DataType type : node.input_types()) {
    if (!IsFusedType(type)) return false;
  }
  if (!IsFusedType(node.output_type(0))) return false;
  // An op without a kernel fails, and reports that itself.
  return FindKernelDef(DeviceType(DEVICE_CPU), node.def(), nullptr, nullptr)
      .ok();
}

// Does `node` reduce the last dimensions of a value that only it reads?
bool ReducesTrailing(GraphPassContext* context, const Node& node) {
  if (ElementwiseKindOf(node.type_string()) != ElementwiseKind::kReduce ||
      !IsPure(node) || !IsOnCpu(node) || node.num_control_inputs() > 0 ||
      (node.output_type(0) != DT_FLOAT && node.output_type(0) != DT_DOUBLE)) {
    return false;
  }
  const Edge* data = node.input_edge(0);
  const Tensor* axes = context->ConstantValue(*node.input_node(1));
  const PartialTensorShape shape =
      context->Shape(*data->src(), data->src_output());
  if (axes == nullptr || shape.unknown_rank() || axes->NumElements() == 0 ||
      node.input_node(1)->num_control_inputs() > 0) {
    return false;
  }
  std::vector<bool> reduced(shape.dims(), false);
  for (int64_t i = 0; i < axes->NumElements(); ++i) {
    int64_t axis = axes->dtype() == DT_INT32 ? axes->base<int32_t>()[i]
                                             : axes->base<int64_t>()[i];
    if (axis < 0) axis += shape.dims();
    if (axis < 0 || axis >= shape.dims()) return false;
    reduced[axis] = true;
  }
  return std::is_sorted(reduced.begin(), reduced.end());
}

// Groups nodes; merging keeps each group convex.
class Clusters {
 public:
  Clusters(const Graph& graph, bool one_result)
      : order_(TopologicalOrder(graph)),
        one_result_(one_result),
        parent_(graph.num_node_ids(), -1),
        level_(graph.num_node_ids(), 0) {
    for (const Node* node : order_) {
      if (IsFusable(*node)) parent_[node->id()] = node->id();
    }
    if (!one_result_) MergeLevels();
    MergeIntoOnlyUser();
  }

  // Each in topological order.
  std::vector<std::vector<Node*>> Collect() {
    std::vector<std::vector<Node*>> groups;
    absl::flat_hash_map<int, int> group_of;
    for (Node* node : order_) {
      if (!IsMember(*node)) continue;
      const int root = Find(node->id());
      const auto [it, is_new] =
          group_of.try_emplace(root, static_cast<int>(groups.size()));
      if (is_new) {
        groups.emplace_back();
      } else if (!one_result_ && groups[it->second].size() == kMaxSteps) {
        // A cut in topological order leaves both halves convex.
        it->second = static_cast<int>(groups.size());
        groups.emplace_back();
      }
      groups[it->second].push_back(node);
    }
    return groups;
  }

 private:
  bool IsMember(const Node& node) const { return parent_[node.id()] >= 0; }

  int Find(int id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void Merge(int a, int b) { parent_[Find(a)] = Find(b); }

  bool MayShare(const Edge& e) const {
    return !e.IsControlEdge() && IsMember(*e.src()) && IsMember(*e.dst()) &&
           e.src()->assigned_device_index() == e.dst()->assigned_device_index();
  }

  // A node's level is the number of edges that no cluster may contain on the
  // way to it.  Nodes of one level that are connected form a convex cluster: a
  // path that leaves it gains a level.
  void MergeLevels() {
    for (const Node* node : order_) {
      int& level = level_[node->id()];
      for (const Edge* e : node->in_edges()) {
        if (!e->src()->IsOp() || e->src()->IsNextIteration()) continue;
        level = std::max(level, level_[e->src()->id()] + !MayShare(*e));
      }
    }
    for (const Node* node : order_) {
      for (const Edge* e : node->in_edges()) {
        if (MayShare(*e) && level_[e->src()->id()] == level_[node->id()]) {
          Merge(e->src()->id(), node->id());
        }
      }
    }
  }

  // A cluster whose results all go into one other cluster joins that: no edge
  // leaves the two together that did not leave the other.
  void MergeIntoOnlyUser() {
    absl::flat_hash_map<int, std::vector<const Node*>> members;
    std::vector<int> last_first;  // Clusters, by their last node.
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      if (!IsMember(**it)) continue;
      auto& list = members[Find((*it)->id())];
      if (list.empty()) last_first.push_back(Find((*it)->id()));
      list.push_back(*it);
    }
    for (int cluster : last_first) {
      const int user = OnlyUser(cluster, members[cluster]);
      if (user >= 0) Merge(cluster, user);
    }
  }

  // The cluster that all edges out of `members` go into; -1 if there is none.
  int OnlyUser(int cluster, const std::vector<const Node*>& members) {
    int user = -1;
    for (const Node* node : members) {
      if (node->out_edges().empty()) return -1;  // The node is a result itself.
      for (const Edge* e : node->out_edges()) {
        if (!MayShare(*e)) return -1;
        const int to = Find(e->dst()->id());
        if (to == Find(cluster)) continue;
        if (user >= 0 && to != user) return -1;
        user = to;
      }
    }
    return user;
  }

  const std::vector<Node*> order_;
  const bool one_result_;
  std::vector<int> parent_;  // By node id; -1: belongs to no cluster.
  std::vector<int> level_;
};

class Fuser {
 public:
  Fuser(GraphPassContext* context, const std::vector<Node*>& members)
      : graph_(context->graph()),
        context_(context),
        members_(members),
        inside_(members.begin(), members.end()) {}

  Status Fuse() {
    if (!IsWorthwhile()) return OkStatus();
    for (Node* node : members_) CollectInputs(*node);
    FusedProgramBuilder program(static_cast<int>(inputs_.size()));
    for (Node* node : members_) AddStep(node, &program);
    const Node& named = *(results_.empty() ? members_.back() : results_.back());
    NewNode made(context_, "_FusedElementwise", named.name(), named);
    std::vector<DataType> in, out;
    for (const auto& [node, output] : inputs_) {
      made.Input(node, output);
      in.push_back(node->output_type(output));
    }
    for (Node* result : results_) {
      out.push_back(result->output_type(0));
      program.AddResult(value_of_.at(result));
    }
    made.Attr("Tin", in).Attr("Tout", out);
    for (Node* node : members_) made.TakeControls(*node);
    program.WriteAttrs(made.def());
    TF_ASSIGN_OR_RETURN(Node * fused, made.Add());
    Connect(fused);
    for (Node* node : members_) graph_->RemoveNode(node);
    return OkStatus();
  }

 private:
  // Nodes that only pass values on are no work that could be saved.
  bool IsWorthwhile() const {
    int work = 0;
    for (const Node* node : members_) work += !PassesInputThrough(*node);
    return work >= 2;
  }

  void CollectInputs(const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Edge* e = node.input_edge(i);
      if (inside_.contains(e->src())) continue;
      const std::pair<Node*, int> input(e->src(), e->src_output());
      if (input_index_.try_emplace(input, inputs_.size()).second) {
        inputs_.push_back(input);
      }
    }
  }

  void AddStep(Node* node, FusedProgramBuilder* program) {
    std::vector<int> operands;
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Edge* e = node->input_edge(i);
      const auto made = value_of_.find(e->src());
      operands.push_back(made != value_of_.end()
                             ? made->second
                             : input_index_.at({e->src(), e->src_output()}));
    }
    value_of_[node] = program->AddStep(node->def(), operands);
    // A node that nobody reads is a target.
    bool leaves = NumDataUses(*node) == 0;
    for (const Edge* e : node->out_edges()) {
      leaves = leaves || (!e->IsControlEdge() && !inside_.contains(e->dst()));
    }
    if (leaves) results_.push_back(node);
  }

  // Turns the readers of the members, and the nodes that wait for them, to
  // `fused`.
  void Connect(Node* fused) {
    for (size_t i = 0; i < results_.size(); ++i) {
      ReplaceDataUses(graph_, results_[i], 0, fused, static_cast<int>(i));
      // Edges inside moved along; their nodes are about to be removed.
      context_->SetShape(*fused, static_cast<int>(i),
                         context_->Shape(*results_[i], 0));
    }
    for (Node* node : members_) ReplaceControlUses(graph_, node, {fused});
  }

  Graph* const graph_;
  GraphPassContext* const context_;
  const std::vector<Node*>& members_;
  const absl::flat_hash_set<const Node*> inside_;
  std::vector<std::pair<Node*, int>> inputs_;
  absl::flat_hash_map<std::pair<Node*, int>, int> input_index_;
  absl::flat_hash_map<const Node*, int> value_of_;
  std::vector<Node*> results_;
};

class ElementwiseFusionPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "elementwise_fusion"; }

  Status Run(GraphPassContext* context) override {
    Clusters clusters(*context->graph(), context->has_control_flow());
    for (const std::vector<Node*>& members : clusters.Collect()) {
      std::vector<Node*> all = members;
      if (Node* reduction = TrailingReduction(context, members)) {
        all.push_back(reduction);
      }
      if (all.size() > 1) TF_RETURN_IF_ERROR(Fuser(context, all).Fuse());
    }
    return OkStatus();
  }

 private:
  // The reduction that alone reads some member: it joins the cluster, and the
  // value that it reads need not be stored.
  static Node* TrailingReduction(GraphPassContext* context,
                                 const std::vector<Node*>& members) {
    for (Node* node : members) {
      if (PassesInputThrough(*node) || node->out_edges().size() != 1 ||
          context->IsTarget(*node)) {
        continue;
      }
      const Edge* e = *node->out_edges().begin();
      if (!e->IsControlEdge() && e->dst_input() == 0 &&
          e->dst()->assigned_device_index() == node->assigned_device_index() &&
          ReducesTrailing(context, *e->dst())) {
        return e->dst();
      }
    }
    return nullptr;
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 60, ElementwiseFusionPass);

}  // namespace
}  // namespace tensorwright
