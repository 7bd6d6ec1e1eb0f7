// SPDX-License-Identifier: Apache-2.0
// GraphDef -> Graph.
#include "core/graph/graph_constructor.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/graph/graph_budget.h"
#include "core/graph/tensor_id.h"
#include "core/graph/validate.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The GraphDef version we read and write: TensorFlow 1.3's.
constexpr int kGraphDefVersion = 24;
constexpr absl::string_view kColocationPrefix = "loc:@";

Status NodeError(const std::string& node, absl::string_view text) {
  return errors::AttachNode(
      errors::InvalidArgument("Node '", node, "': ", text), node);
}

class GraphConstructor {
 public:
  GraphConstructor(const GraphConstructorOptions& options, const GraphDef& def,
                   Graph* graph)
      : options_(options),
        def_(def),
        graph_(graph),
        budget_(options.budget == nullptr ? GraphBudget() : *options.budget) {}

  Status Construct(std::vector<Node*>* nodes) {
    Status status = TryConstruct();
    if (!status.ok()) {
      for (Node* node : nodes_) {
        if (node != nullptr) graph_->RemoveNode(node);
      }
      return status;
    }
    if (options_.budget != nullptr) *options_.budget = budget_;
    if (nodes != nullptr) *nodes = std::move(nodes_);
    return OkStatus();
  }

 private:
  // One input of a node, resolved.
  struct Input {
    int def_index = -1;    // A node of the def, or else
    Node* node = nullptr;  // a node of the graph.
    int output = 0;        // Graph::kControlSlot: a control input.
  };

  Status TryConstruct() {
    nodes_.assign(def_.node_size(), nullptr);
    TF_RETURN_IF_ERROR(CheckVersions());
    TF_RETURN_IF_ERROR(IndexNames());
    TF_RETURN_IF_ERROR(ResolveInputs());
    TF_RETURN_IF_ERROR(CheckInputMap());
    TF_RETURN_IF_ERROR(AddNodesInOrder());
    TF_RETURN_IF_ERROR(ConnectBackEdges());
    return is_joined_ ? OkStatus() : ValidateControlFlow(*graph_, nodes_);
  }

  Status CheckVersions() const {
    const VersionDef& v = def_.versions();
    if (v.producer() < 0) {
      return errors::InvalidArgument("GraphDef producer version ", v.producer(),
                                     " below min producer 0");
    }
    if (v.min_consumer() > kGraphDefVersion) {
      return errors::InvalidArgument(
          "GraphDef min consumer version ", v.min_consumer(),
          " above current version ", kGraphDefVersion,
          ": it needs a later version of this library");
    }
    for (int bad : v.bad_consumers()) {
      if (bad == kGraphDefVersion) {
        return errors::InvalidArgument("GraphDef disallows consumer version ",
                                       kGraphDefVersion,
                                       ", which is one of its bad_consumers");
      }
    }
    return OkStatus();
  }

  Status IndexNames() {
    index_.reserve(def_.node_size());
    for (int i = 0; i < def_.node_size(); ++i) {
      const std::string& name = def_.node(i).name();
      if (!IsValidNodeName(name) ||
          (name[0] == '_' && !options_.allow_internal_ops)) {
        return NodeError(name, "Node name contains invalid characters");
      }
      if (!index_.emplace(name, i).second) {
        return errors::AttachNode(
            errors::InvalidArgument("Node '", name,
                                    "' is not unique in the GraphDef"),
            name);
      }
    }
    return ChooseNames();
  }

  // Gives names that the graph has already a number, if the options ask for
  // that: "name_1", "name_2", ..., the first that neither the graph nor the def
  // has.
  Status ChooseNames() {
    if (!options_.name_taken) return OkStatus();
    absl::flat_hash_map<std::string, int> last;
    for (int i = 0; i < def_.node_size(); ++i) {
      const std::string& name = def_.node(i).name();
      const std::string full = absl::StrCat(options_.prefix, name);
      if (!options_.name_taken(full)) continue;
      if (!options_.number_taken_names) {
        return NodeError(full, "the name is already used in the graph");
      }
      std::string chosen;
      int& k = last[name];
      do {
        chosen = absl::StrCat(name, "_", ++k);
      } while (index_.contains(chosen) || new_names_.contains(chosen) ||
               options_.name_taken(absl::StrCat(options_.prefix, chosen)));
      new_names_.insert(chosen);
      renamed_[name] = std::move(chosen);
    }
    return OkStatus();
  }

  // The name that a node of the def has in the graph.
  std::string NameInGraph(absl::string_view name) const {
    auto it = renamed_.find(name);
    return absl::StrCat(options_.prefix,
                        it == renamed_.end() ? name : it->second);
  }

  Status ResolveInputs() {
    inputs_.resize(def_.node_size());
    for (int i = 0; i < def_.node_size(); ++i) {
      const NodeDef& node = def_.node(i);
      bool control_seen = false;
      inputs_[i].reserve(node.input_size());
      for (const std::string& text : node.input()) {
        const TensorId id = ParseTensorName(text);
        if (id.IsControl()) {
          control_seen = true;
        } else if (control_seen) {
          return NodeError(node.name(),
                           "control inputs must come after data inputs");
        }
        Input input;
        TF_RETURN_IF_ERROR(ResolveInput(node, text, id, &input));
        inputs_[i].push_back(input);
      }
    }
    return OkStatus();
  }

  Status ResolveInput(const NodeDef& node, const std::string& text,
                      const TensorId& id, Input* input) {
    if (!options_.input_map.empty()) {
      auto it = options_.input_map.find(id.ToString());
      if (it != options_.input_map.end()) {
        used_keys_.insert(it->first);
        is_joined_ = true;
        input->node = it->second.node;
        input->output = id.IsControl() ? Graph::kControlSlot : it->second.index;
        return OkStatus();
      }
    }
    auto it = index_.find(id.node());
    if (it == index_.end()) {
      return NodeError(node.name(),
                       absl::StrCat("Unknown input node '", text,
                                    "': the GraphDef has none of the name"));
    }
    input->def_index = it->second;
    input->output = id.index();
    return OkStatus();
  }

  Status CheckInputMap() const {
    std::vector<std::string> unused;
    for (const auto& [key, ref] : options_.input_map) {
      // A key may also name a node that exists but that nothing reads.
      const TensorId id = ParseTensorName(key);
      if (used_keys_.count(key) == 0 && !index_.contains(id.node())) {
        unused.push_back(
            id.IsControl() ? key : absl::StrCat(id.node(), ":", id.index()));
      }
    }
    if (unused.empty()) return OkStatus();
    return errors::InvalidArgument(
        "Attempted to map inputs that were not found in graph_def: [",
        absl::StrJoin(unused, ", "), "]");
  }

  bool IsOp(int i, absl::string_view op) const {
    const absl::string_view name = def_.node(i).op();
    return name == op ||
           (absl::StartsWith(name, "Ref") && name.substr(3) == op);
  }

  // May input `input` of node `i` be connected after the node is made?
  bool IsBackEdge(int i, const Input& input) const {
    return input.def_index >= 0 && input.output >= 0 && IsOp(i, "Merge") &&
           IsOp(input.def_index, "NextIteration");
  }

  Status AddNodesInOrder() {
    std::vector<std::vector<int>> consumers(def_.node_size());
    std::vector<int> pending(def_.node_size(), 0);
    std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
    for (int i = 0; i < def_.node_size(); ++i) {
      for (const Input& input : inputs_[i]) {
        if (input.def_index < 0 || IsBackEdge(i, input)) continue;
        consumers[input.def_index].push_back(i);
        ++pending[i];
      }
      if (pending[i] == 0) ready.push(i);
    }
    int added = 0;
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      TF_RETURN_IF_ERROR(AddOne(i));
      ++added;
      for (int consumer : consumers[i]) {
        if (--pending[consumer] == 0) ready.push(consumer);
      }
    }
    if (added == def_.node_size()) return OkStatus();
    return CycleError(pending);
  }

  Status CycleError(const std::vector<int>& pending) const {
    // Walking inputs among the nodes that never became ready must come back.
    int at = 0;
    while (pending[at] == 0) ++at;
    std::vector<int> position(pending.size(), -1);
    std::vector<int> path;
    while (position[at] < 0) {
      position[at] = static_cast<int>(path.size());
      path.push_back(at);
      for (const Input& input : inputs_[at]) {
        if (input.def_index >= 0 && !IsBackEdge(at, input) &&
            pending[input.def_index] > 0) {
          at = input.def_index;
          break;
        }
      }
    }
    std::vector<std::string> names;
    for (size_t k = path.size(); k-- > static_cast<size_t>(position[at]);) {
      names.push_back(def_.node(path[k]).name());
      if (names.size() == 8) {
        names.push_back("...");
        break;
      }
    }
    names.push_back(names.front());
    return errors::AttachNode(
        errors::InvalidArgument("GraphDef: the nodes ",
                                absl::StrJoin(names, " -> "),
                                " form a cycle that is not a loop"),
        def_.node(at).name());
  }

  NodeDef PrefixedDef(const NodeDef& original) const {
    NodeDef def = original;
    def.clear_input();
    if (def.device().empty()) def.set_device(options_.default_device);
    if (options_.prefix.empty() && renamed_.empty()) return def;
    def.set_name(NameInGraph(def.name()));
    auto it = def.mutable_attr()->find("_class");
    if (it != def.mutable_attr()->end()) {
      for (std::string& s : *it->second.mutable_list()->mutable_s()) {
        absl::string_view target = s;
        if (absl::ConsumePrefix(&target, kColocationPrefix) &&
            index_.contains(target)) {
          s = absl::StrCat(kColocationPrefix, NameInGraph(target));
        }
      }
    }
    return def;
  }

  Status AddOne(int i) {
    NodeDef def = PrefixedDef(def_.node(i));
    const OpRegistrationData* op = nullptr;
    Status status = graph_->op_registry()->LookUp(def.op(), &op);
    if (!status.ok()) return errors::AttachNode(status, def.name());
    // A function may be called _f.
    const OpRegistrationData* internal = nullptr;
    if (def.op()[0] == '_' && !options_.allow_internal_ops &&
        OpRegistry::Global()->LookUp(def.op(), &internal).ok()) {
      return NodeError(def.name(),
                       absl::StrCat("op '", def.op(), "' is internal"));
    }
    // An old graph may have ops that new ones may not.
    TF_RETURN_IF_ERROR(CheckOpDeprecation(
        op->op_def, std::min(def_.versions().producer(), kGraphDefVersion)));
    AddDefaultsToNodeDef(op->op_def, &def);
    // The names stay those of the def, so that the op's check of the number of
    // inputs sees them.
    *def.mutable_input() = def_.node(i).input();
    status = ValidateNodeDef(def, op->op_def);
    if (!status.ok()) return errors::AttachNode(status, def.name());
    TF_RETURN_IF_ERROR(budget_.Add(def, op->op_def));
    DataTypeVector in;
    DataTypeVector out;
    TF_RETURN_IF_ERROR(InOutTypesForNode(def, op->op_def, &in, &out));
    def.clear_input();
    Node* node = graph_->AddNode(
        std::make_shared<NodeProperties>(&op->op_def, std::move(def),
                                         std::move(in), std::move(out)),
        op);
    nodes_[i] = node;
    TF_RETURN_IF_ERROR(Connect(i, node));
    return options_.node_added ? options_.node_added(node) : OkStatus();
  }

  Status Connect(int i, Node* node) {
    int slot = 0;
    for (const Input& input : inputs_[i]) {
      const bool is_data = input.output >= 0;
      const int dst = is_data ? slot++ : Graph::kControlSlot;
      if (IsBackEdge(i, input)) {
        back_edges_.push_back({input, node, dst});
        continue;
      }
      TF_RETURN_IF_ERROR(ConnectOne(input, node, dst));
    }
    if (slot != node->num_inputs()) {
      return NodeError(node->name(), absl::StrCat("needs ", node->num_inputs(),
                                                  " inputs, got ", slot));
    }
    if (inputs_[i].empty()) {
      for (Node* before : options_.control_dependencies) {
        graph_->AddControlEdge(before, node);
      }
    }
    return OkStatus();
  }

  Status ConnectOne(const Input& input, Node* node, int dst) {
    Node* src = input.def_index >= 0 ? nodes_[input.def_index] : input.node;
    if (dst < 0) {
      graph_->AddControlEdge(src, node);
      return OkStatus();
    }
    if (dst >= node->num_inputs()) {
      return NodeError(
          node->name(),
          absl::StrCat("has more than its ", node->num_inputs(), " inputs"));
    }
    TF_RETURN_IF_ERROR(ValidateEdgeTypes(*src, input.output, *node, dst));
    graph_->AddEdge(src, input.output, node, dst);
    return OkStatus();
  }

  Status ConnectBackEdges() {
    for (const auto& [input, node, dst] : back_edges_) {
      TF_RETURN_IF_ERROR(ConnectOne(input, node, dst));
    }
    return OkStatus();
  }

  struct BackEdge {
    Input input;
    Node* node;
    int dst;
  };

  const GraphConstructorOptions& options_;
  const GraphDef& def_;
  Graph* const graph_;
  absl::flat_hash_map<absl::string_view, int> index_;
  // The names, unprefixed, of nodes whose own names the graph has already.
  absl::flat_hash_map<absl::string_view, std::string> renamed_;
  absl::flat_hash_set<std::string> new_names_;
  std::vector<std::vector<Input>> inputs_;
  std::set<std::string> used_keys_;
  std::vector<BackEdge> back_edges_;
  std::vector<Node*> nodes_;
  GraphBudget budget_;
  bool is_joined_ = false;  // A node of the def reads one of the graph.
};

}  // namespace

Status ConvertGraphDefToGraph(const GraphConstructorOptions& options,
                              const GraphDef& def, Graph* graph,
                              std::vector<Node*>* nodes) {
  return GraphConstructor(options, def, graph).Construct(nodes);
}

}  // namespace tensorwright
