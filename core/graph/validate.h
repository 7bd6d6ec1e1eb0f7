// SPDX-License-Identifier: Apache-2.0
// Checks that a Graph can run.  Used on graphs from outside, and in tests after
// every graph pass.  Reads only; linear in the graph.
#ifndef TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_
#define TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_

#include "absl/types/span.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// InvalidArgument, naming the node, unless
//   - every data input is connected,
//   - its type is the one that the producer gives (a Ref output may feed a
//     plain input, not the other way round),
//   - its control flow is valid (ValidateControlFlow).
Status ValidateGraph(const Graph& graph);

// InvalidArgument, naming a node, unless
//   - every cycle goes through a NextIteration,
//   - frames nest (BuildControlFlowInfo),
//   - a NextIteration gives its value to Merges alone, and such a Merge gets
//     its others from Enters, at least one of them: else the executor would
//     wait for what never comes, or start a loop twice.
// Without control flow there is nothing to check, and no time is spent.  For
// graphs before they are partitioned: transfers may stand between an Enter and
// its Merge.
Status ValidateControlFlow(const Graph& graph);
// The same for `nodes` alone, as if they and the edges between them were the
// graph, which is known to have no wrong cycle.
Status ValidateControlFlow(const Graph& graph, absl::Span<Node* const> nodes);

// Checks the second condition for one edge.
Status ValidateEdgeTypes(const Node& src, int src_output, const Node& dst,
                         int dst_input);

// Names a cycle that no NextIteration breaks, if there is one.
Status ValidateNoCycles(const Graph& graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_
