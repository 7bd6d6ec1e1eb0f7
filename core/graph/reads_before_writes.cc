// SPDX-License-Identifier: Apache-2.0
// OrderReadsBeforeWrites.
#include "core/graph/reads_before_writes.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/graph/algorithm.h"

namespace tensorwright {
namespace {

// The most edges for one variable.
constexpr size_t kMaxPairs = 4096;

bool IsAnyOf(const Node& node, std::initializer_list<absl::string_view> ops) {
  return absl::c_linear_search(ops, node.type_string());
}

// References to strings are the handles of queues and the like.
bool IsVariableRef(DataType type) {
  return IsRefType(type) && BaseType(type) != DT_STRING;
}

// Its output shares the buffer of its first input.
bool SharesBuffer(const Node& node) {
  return IsAnyOf(node, {"Identity", "Reshape", "Squeeze", "ExpandDims",
                        "StopGradient", "PreventGradient"});
}

bool OnlyReads(const Node& node) {
  return IsAnyOf(node, {"ReadVariableOp", "ResourceGather", "ResourceGatherNd",
                        "VariableShape", "VarIsInitializedOp"});
}

// The edge brings a variable whose value its destination does not use.
bool IgnoresValue(const Edge& e) {
  if (e.IsControlEdge()) return false;
  const Node& dst = *e.dst();
  const DataType type = dst.input_type(e.dst_input());
  if (IsVariableRef(type)) return dst.op_def().allows_uninitialized_input();
  return type == DT_RESOURCE &&
         IsAnyOf(dst, {"AssignVariableOp", "VarIsInitializedOp"});
}

// The op may wait for another node, of this run or of another one, by ways that
// are no edges.
bool WaitsForOthers(const Node& node) {
  const std::string& op = node.type_string();
  return node.IsRecv() || absl::StrContains(op, "Dequeue") ||
         absl::StrContains(op, "Unstage") || absl::StrContains(op, "Peek") ||
         absl::StrContains(op, "TakeGradient") ||
         absl::StrContains(op, "GetNext") || op == "BarrierTakeMany";
}

class ReadsBeforeWrites {
 public:
  explicit ReadsBeforeWrites(Graph* graph)
      : graph_(*graph), facts_(graph->num_node_ids()) {}

  void Run() {
    for (Node* node : graph_.op_nodes()) FindUses(node);
    if (absl::c_none_of(variables_, [](const Variable& v) {
          return !v.readers.empty() && !v.writers.empty();
        })) {
      return;
    }
    FindStages();
    FindCircles();
    for (const Variable& v : variables_) AddEdges(v);
  }

 private:
  struct Variable {
    Node* root;
    std::vector<Node*> readers;
    std::vector<Node*> writers;
  };
  struct Facts {
    bool writes = false;
    // No edge may begin or end here; see the header.
    bool is_barred = false;
    // Writers on the longest path to the node.
    int stage = 0;
    // Nodes of one circle of reads and writes share this number.
    int circle = -1;
    // Indices in variables_.
    std::vector<int> written;
  };

  Facts& Of(const Node* node) { return facts_[node->id()]; }

  // If `node` makes a variable, adds it with its readers and writers.
  void FindUses(Node* node) {
    for (int i = 0; i < node->num_inputs(); ++i) {
      const DataType type = node->input_type(i);
      if (type == DT_RESOURCE || IsVariableRef(type)) return;
    }
    Variable variable{node, {}, {}};
    // (node, output) that are the variable or share its buffer.
    std::vector<std::pair<Node*, int>> sources;
    for (int i = 0; i < node->num_outputs(); ++i) {
      const DataType type = node->output_type(i);
      if (type == DT_RESOURCE || IsVariableRef(type)) {
        sources.emplace_back(node, i);
      }
    }
    for (size_t k = 0; k < sources.size(); ++k) {
      const auto [source, output] = sources[k];
      for (const Edge* e : source->out_edges()) {
        if (e->IsControlEdge() || e->src_output() != output) continue;
        FollowUse(*e, &variable, &sources);
      }
    }
    if (variable.writers.empty()) return;
    Deduplicate(&variable.readers);
    Deduplicate(&variable.writers);
    for (Node* writer : variable.writers) {
      Of(writer).writes = true;
      Of(writer).written.push_back(static_cast<int>(variables_.size()));
    }
    variables_.push_back(std::move(variable));
  }

  static void FollowUse(const Edge& e, Variable* variable,
                        std::vector<std::pair<Node*, int>>* sources) {
    Node* user = e.dst();
    if (!user->IsOp() || user->IsControlFlow() || user->IsRetval()) return;
    const DataType type = user->input_type(e.dst_input());
    if (type == DT_RESOURCE || IsVariableRef(type)) {
      if (OnlyReads(*user)) {
        if (!IgnoresValue(e)) variable->readers.push_back(user);
        return;
      }
      if (!user->IsIdentity()) variable->writers.push_back(user);
      // The reference is passed on.
      if (e.dst_input() == 0 && user->num_outputs() > 0 &&
          (type == DT_RESOURCE ? user->output_type(0) == DT_RESOURCE
                               : IsRefType(user->output_type(0)))) {
        sources->emplace_back(user, 0);
      }
      return;
    }
    if (SharesBuffer(*user) && e.dst_input() == 0) {
      sources->emplace_back(user, 0);
    } else {
      variable->readers.push_back(user);
    }
  }

  static void Deduplicate(std::vector<Node*>* nodes) {
    absl::c_sort(
        *nodes, [](const Node* a, const Node* b) { return a->id() < b->id(); });
    nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
  }

  void FindStages() {
    for (const Node* node : DepthFirstOrder(graph_)) {
      Facts& facts = Of(node);
      facts.is_barred |= node->IsControlFlow() || WaitsForOthers(*node);
      for (const Edge* e : node->in_edges()) {
        if (!e->src()->IsOp()) continue;
        const Facts& before = Of(e->src());
        facts.is_barred |= before.is_barred;
        facts.stage = std::max(facts.stage, before.stage + before.writes);
      }
    }
  }

  // A value goes along edges, and from a writer back to its variables.
  std::vector<const Node*> ReachedFrom(const Node& node) {
    std::vector<const Node*> reached;
    for (const Edge* e : node.out_edges()) {
      if (e->dst()->IsOp() && !IgnoresValue(*e)) reached.push_back(e->dst());
    }
    for (int v : Of(&node).written) reached.push_back(variables_[v].root);
    return reached;
  }

  // Tarjan's strongly connected components, without recursion.
  void FindCircles() {
    struct Visit {
      const Node* node;
      std::vector<const Node*> reached;
      size_t next;
    };
    std::vector<int> index(facts_.size(), -1), low(facts_.size(), 0);
    std::vector<const Node*> open;
    std::vector<Visit> path;
    int seen = 0;
    const auto enter = [&](const Node* node) {
      index[node->id()] = low[node->id()] = seen++;
      open.push_back(node);
      path.push_back({node, ReachedFrom(*node), 0});
    };
    for (const Variable& v : variables_) {
      if (index[v.root->id()] < 0) enter(v.root);
      while (!path.empty()) {
        Visit& visit = path.back();
        const int id = visit.node->id();
        if (visit.next < visit.reached.size()) {
          const Node* next = visit.reached[visit.next++];
          if (index[next->id()] < 0) {
            enter(next);
          } else if (Of(next).circle < 0) {
            low[id] = std::min(low[id], index[next->id()]);
          }
          continue;
        }
        if (low[id] == index[id]) {
          const Node* member = nullptr;
          do {
            member = open.back();
            open.pop_back();
            Of(member).circle = index[id];
          } while (member != visit.node);
        }
        path.pop_back();
        if (!path.empty()) {
          const int before = path.back().node->id();
          low[before] = std::min(low[before], low[id]);
        }
      }
    }
  }

  // An edge goes from a lower stage to a higher one or, within a stage, to a
  // writer, from a node that is no writer or from a writer of a lower id.
  // Nodes that follow a writer have a higher stage.  So no edges close a
  // circle.
  void AddEdges(const Variable& v) {
    if (v.readers.size() * v.writers.size() > kMaxPairs) return;
    const auto place = [this](const Node* node) {
      const Facts& facts = Of(node);
      return std::make_tuple(facts.stage, facts.writes,
                             facts.writes ? node->id() : 0);
    };
    for (Node* writer : v.writers) {
      if (Of(writer).is_barred || Of(writer).circle != Of(v.root).circle) {
        continue;
      }
      for (Node* reader : v.readers) {
        if (!Of(reader).is_barred && place(reader) < place(writer) &&
            reader->assigned_device_index() ==
                writer->assigned_device_index()) {
          graph_.AddControlEdge(reader, writer);
        }
      }
    }
  }

  Graph& graph_;
  std::vector<Facts> facts_;  // By node id.
  std::vector<Variable> variables_;
};

}  // namespace

void OrderReadsBeforeWrites(Graph* graph) { ReadsBeforeWrites(graph).Run(); }

}  // namespace tensorwright
