// SPDX-License-Identifier: Apache-2.0
// Checks that a Graph is one that can run.  Used on graphs from outside, and in
// tests after every graph pass.  Reads only; linear in the graph.
#ifndef TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_
#define TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_

#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// InvalidArgument, naming the node, unless
//   - every data input is connected,
//   - its type is what the producer gives (a Ref output may feed a plain input,
//     not the other way round),
//   - every cycle goes through a NextIteration,
//   - frames nest (BuildControlFlowInfo).
Status ValidateGraph(const Graph& graph);

// The second of these for one edge.
Status ValidateEdgeTypes(const Node& src, int src_output, const Node& dst,
                         int dst_input);

// Names a cycle that no NextIteration breaks, if there is one.
Status ValidateNoCycles(const Graph& graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_VALIDATE_H_
