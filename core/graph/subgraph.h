// SPDX-License-Identifier: Apache-2.0
// Prunes a graph to the part that a run needs.  Only reads `graph`; the caller
// holds the lock that guards it.
#ifndef TENSORWRIGHT_CORE_GRAPH_SUBGRAPH_H_
#define TENSORWRIGHT_CORE_GRAPH_SUBGRAPH_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/graph/graph.h"
#include "core/graph/output_ref.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A separate graph: nodes are copies (they share properties with the
// originals), every fed output that something reads is an _Arg with attr
// `index` = the feed's position, and every fetch k is a _Retval with `index` =
// k.
struct PrunedGraph {
  std::unique_ptr<Graph> graph;
  // By id in `graph`: the node that the entry is a copy of, or null.
  std::vector<const Node*> original;
};

// Keeps the nodes that the fetches and targets need, directly or through inputs
// and control inputs.  A fed output needs nothing.  A control edge from a fed
// placeholder does not count: nodes need not wait for it.  The cost depends on
// the size of the result, apart from arrays with an entry for each id of
// `graph`.
//   InvalidArgument: a feed twice, an output index that the node does not have,
//   a fed reference that something writes to.
Status PruneForRun(const Graph& graph, absl::Span<const OutputRef> feeds,
                   absl::Span<const OutputRef> fetches,
                   absl::Span<Node* const> targets, PrunedGraph* pruned);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_SUBGRAPH_H_
