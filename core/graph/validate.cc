// SPDX-License-Identifier: Apache-2.0
// Checks that a Graph can run.
#include "core/graph/validate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/types.h"
#include "core/graph/algorithm.h"
#include "core/graph/control_flow_info.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr size_t kMaxNamesInMessage = 8;

// Some cycle among the nodes for which `in_order` is false: each of them has an
// input that is also not in order, so walking inputs must come back.
std::vector<const Node*> FindCycle(const Graph& graph,
                                   const std::vector<bool>& in_order) {
  const Node* node = nullptr;
  for (const Node* n : graph.op_nodes()) {
    if (!in_order[n->id()]) {
      node = n;
      break;
    }
  }
  std::vector<int> position(graph.num_node_ids(), -1);
  std::vector<const Node*> path;
  while (node != nullptr && position[node->id()] < 0) {
    position[node->id()] = static_cast<int>(path.size());
    path.push_back(node);
    const Node* next = nullptr;
    for (const Edge* e : node->in_edges()) {
      if (e->src()->IsOp() && !in_order[e->src()->id()] &&
          !e->src()->IsNextIteration()) {
        next = e->src();
        break;
      }
    }
    node = next;
  }
  if (node == nullptr) return path;
  return {path.begin() + position[node->id()], path.end()};
}

Status CheckNextIteration(const Node& node) {
  for (const Edge* e : node.out_edges()) {
    if (e->IsControlEdge() || !e->dst()->IsOp() || e->dst()->IsMerge() ||
        e->dst()->IsRetval()) {
      continue;
    }
    return errors::AttachNode(
        errors::InvalidArgument(node.type_string(), ": node ", node.name(),
                                " must give its value to a Merge, not to ",
                                e->dst()->DebugString()),
        node.name());
  }
  return OkStatus();
}

Status CheckLoopMerge(const Node& node) {
  const Node* other = nullptr;
  bool is_loop = false;
  bool has_enter = false;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Node* input = node.input_node(i);
    if (input == nullptr) continue;
    is_loop |= input->IsNextIteration();
    has_enter |= input->IsEnter();
    if (!input->IsNextIteration() && !input->IsEnter()) other = input;
  }
  if (!is_loop || (has_enter && other == nullptr)) return OkStatus();
  return errors::AttachNode(
      errors::InvalidArgument(
          node.type_string(), ": node ", node.name(),
          " takes a NextIteration, so its other input must be an Enter, ",
          other == nullptr ? std::string("not another NextIteration")
                           : absl::StrCat("not ", other->DebugString())),
      node.name());
}

bool IsControlFlow(const Node* node) { return node->IsControlFlow(); }

}  // namespace

Status ValidateControlFlow(const Graph& graph) {
  std::vector<Node*> nodes;
  for (Node* node : graph.op_nodes()) nodes.push_back(node);
  if (std::none_of(nodes.begin(), nodes.end(), IsControlFlow)) {
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(ValidateNoCycles(graph));
  return ValidateControlFlow(graph, nodes);
}

Status ValidateControlFlow(const Graph& graph, absl::Span<Node* const> nodes) {
  if (std::none_of(nodes.begin(), nodes.end(), IsControlFlow)) {
    return OkStatus();
  }
  ControlFlowInfo info;
  TF_RETURN_IF_ERROR(BuildControlFlowInfo(graph, nodes, &info));
  for (const Node* node : nodes) {
    if (node->IsNextIteration()) {
      TF_RETURN_IF_ERROR(CheckNextIteration(*node));
    } else if (node->IsMerge()) {
      TF_RETURN_IF_ERROR(CheckLoopMerge(*node));
    }
  }
  return OkStatus();
}

Status ValidateEdgeTypes(const Node& src, int src_output, const Node& dst,
                         int dst_input) {
  if (src_output < 0 || src_output >= src.num_outputs()) {
    return errors::AttachNode(
        errors::InvalidArgument("Node ", dst.name(), ": input ", dst_input,
                                " is output ", src_output, " of ", src.name(),
                                ", which has ", src.num_outputs(), " outputs"),
        dst.name());
  }
  const DataType given = src.output_type(src_output);
  const DataType wanted = dst.input_type(dst_input);
  if (given == wanted) return OkStatus();
  if (IsRefType(given) && BaseType(given) == wanted) return OkStatus();
  return errors::AttachNode(
      errors::InvalidArgument("Node ", dst.name(), ": input ", dst_input,
                              " must have type ", DataTypeString(wanted),
                              ", got ", DataTypeString(given), " from ",
                              src.name(), ":", src_output),
      dst.name());
}

Status ValidateNoCycles(const Graph& graph) {
  const std::vector<Node*> order = TopologicalOrder(graph);
  if (static_cast<int>(order.size()) == graph.num_op_nodes()) {
    return OkStatus();
  }
  std::vector<bool> in_order(graph.num_node_ids(), false);
  for (const Node* node : order) in_order[node->id()] = true;
  const std::vector<const Node*> cycle = FindCycle(graph, in_order);
  std::vector<std::string> names;
  // The path went from consumer to producer; name the nodes in data order.
  for (auto it = cycle.rbegin();
       it != cycle.rend() && names.size() < kMaxNamesInMessage; ++it) {
    names.push_back((*it)->name());
  }
  if (names.size() < cycle.size()) names.push_back("...");
  if (!cycle.empty()) names.push_back(cycle.back()->name());
  return errors::InvalidArgument(
      "The graph has a cycle that no NextIteration breaks: ",
      absl::StrJoin(names, " -> "));
}

Status ValidateGraph(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Edge* edge = node->input_edge(i);
      if (edge == nullptr) {
        return errors::AttachNode(
            errors::InvalidArgument("Node ", node->name(), ": input ", i,
                                    " is not connected"),
            node->name());
      }
      TF_RETURN_IF_ERROR(
          ValidateEdgeTypes(*edge->src(), edge->src_output(), *node, i));
    }
  }
  TF_RETURN_IF_ERROR(ValidateNoCycles(graph));
  return ValidateControlFlow(graph);
}

}  // namespace tensorwright
