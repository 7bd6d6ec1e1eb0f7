// SPDX-License-Identifier: Apache-2.0
// Orders the nodes of a GraphDef: each after those that it reads.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_TOPOLOGICAL_SORT_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_TOPOLOGICAL_SORT_H_

#include <vector>

#include "absl/types/span.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace grappler {

// `to` comes after `from`.  Both are nodes of the graph.
struct TopologicalDependency {
  TopologicalDependency(const NodeDef* from, const NodeDef* to)
      : from(from), to(to) {}
  const NodeDef* from;
  const NodeDef* to;
};

// The edge from NextIteration to Merge, which closes a loop, does not count.
// Nodes that are free at the same time keep their order.  InvalidArgument for
// any other cycle, for an input that no node gives and for two nodes of one
// name.
Status ComputeTopologicalOrder(
    const GraphDef& graph,
    absl::Span<const TopologicalDependency> extra_dependencies,
    std::vector<const NodeDef*>* topo_order);
Status ComputeTopologicalOrder(const GraphDef& graph,
                               std::vector<const NodeDef*>* topo_order);

// Change the graph, or after an error leave it as it was.
Status TopologicalSort(GraphDef* graph);
Status ReversedTopologicalSort(GraphDef* graph);

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_UTILS_TOPOLOGICAL_SORT_H_
