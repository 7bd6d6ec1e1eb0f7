// SPDX-License-Identifier: Apache-2.0
// Orders and reachability over a Graph.
#ifndef TENSORWRIGHT_CORE_GRAPH_ALGORITHM_H_
#define TENSORWRIGHT_CORE_GRAPH_ALGORITHM_H_

#include <vector>

#include "core/graph/graph.h"

namespace tensorwright {

// Op nodes, every one after its inputs (edges out of NextIteration nodes do not
// count).  Among nodes that are ready, lower ids come first, so the order is
// the same in every process.  Nodes on a cycle that no NextIteration breaks are
// left out: the result is shorter than num_op_nodes().
std::vector<Node*> TopologicalOrder(const Graph& graph);

// Op nodes in depth-first reverse postorder: like a topological order, but each
// chain is finished before the next starts, so values die young.  Same
// treatment of NextIteration; cycles are not detected.
std::vector<Node*> DepthFirstOrder(const Graph& graph);

// For each id, a flag: does it reach one of `nodes` through edges (control
// edges too)? `nodes` themselves count.
std::vector<bool> ReachesAny(const Graph& graph,
                             const std::vector<const Node*>& nodes);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_ALGORITHM_H_
