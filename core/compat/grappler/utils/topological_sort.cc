// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm.
#include "core/compat/grappler/utils/topological_sort.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "core/compat/grappler/op_types.h"
#include "core/compat/grappler/utils.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace grappler {
namespace {

Status Sort(GraphDef* graph, bool reversed) {
  std::vector<const NodeDef*> order;
  TF_RETURN_IF_ERROR(ComputeTopologicalOrder(*graph, &order));
  if (reversed) std::reverse(order.begin(), order.end());
  absl::flat_hash_map<const NodeDef*, int> places;
  for (size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = static_cast<int>(i);
  }
  std::vector<int> permutation;
  for (const NodeDef& node : graph->node()) {
    permutation.push_back(places.at(&node));
  }
  PermuteNodesInPlace(graph, &permutation, /*invert_permutation=*/false);
  return OkStatus();
}

}  // namespace

Status ComputeTopologicalOrder(
    const GraphDef& graph,
    absl::Span<const TopologicalDependency> extra_dependencies,
    std::vector<const NodeDef*>* topo_order) {
  absl::flat_hash_map<absl::string_view, const NodeDef*> by_name;
  for (const NodeDef& node : graph.node()) {
    if (by_name.emplace(node.name(), &node).second) continue;
    return errors::InvalidArgument("TopologicalOrder: two nodes have the name ",
                                   node.name());
  }
  absl::flat_hash_map<const NodeDef*, int> waits;
  absl::flat_hash_map<const NodeDef*, std::vector<const NodeDef*>> readers;
  const auto connect = [&](const NodeDef* from, const NodeDef* to) {
    readers[from].push_back(to);
    ++waits[to];
  };
  for (const NodeDef& node : graph.node()) {
    for (const std::string& input : node.input()) {
      const auto it = by_name.find(NodeNameAsStringPiece(input));
      if (it == by_name.end()) {
        return errors::InvalidArgument("TopologicalOrder: node ", node.name(),
                                       " reads ", input,
                                       ", which no node gives");
      }
      if (IsMerge(node) && IsNextIteration(*it->second)) continue;
      connect(it->second, &node);
    }
  }
  for (const TopologicalDependency& extra : extra_dependencies) {
    connect(extra.from, extra.to);
  }
  topo_order->clear();
  std::deque<const NodeDef*> ready;
  for (const NodeDef& node : graph.node()) {
    if (!waits.contains(&node)) ready.push_back(&node);
  }
  while (!ready.empty()) {
    const NodeDef* const node = ready.front();
    ready.pop_front();
    topo_order->push_back(node);
    const auto it = readers.find(node);
    if (it == readers.end()) continue;
    for (const NodeDef* reader : it->second) {
      if (--waits[reader] == 0) ready.push_back(reader);
    }
  }
  if (static_cast<int>(topo_order->size()) == graph.node_size()) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      "TopologicalOrder: the graph has a cycle among ",
      graph.node_size() - topo_order->size(),
      " of its nodes and what follows them");
}

Status ComputeTopologicalOrder(const GraphDef& graph,
                               std::vector<const NodeDef*>* topo_order) {
  return ComputeTopologicalOrder(graph, {}, topo_order);
}

Status TopologicalSort(GraphDef* graph) { return Sort(graph, false); }

Status ReversedTopologicalSort(GraphDef* graph) { return Sort(graph, true); }

}  // namespace grappler
}  // namespace tensorwright
