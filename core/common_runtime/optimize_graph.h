// SPDX-License-Identifier: Apache-2.0
// OptimizeGraph: runs the graph passes over the graph that a plan is compiled
// from. Errors are those of the passes; after one the graph is of no use, and
// the plan fails.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_

#include "core/common_runtime/device.h"
#include "core/common_runtime/plan.h"
#include "core/graph/live_graph.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/subgraph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// `pruned`, already placed, is the part of `live` that `signature` needs.  Uses
// the shapes of `live` (takes live.mu(), so the caller must not hold it).
// `client` is the CPU that folds constants; null: none are folded.  Values,
// effects and errors of a run stay what they were.
Status OptimizeGraph(const LiveGraph& live, const NodeSignature& signature,
                     const GraphPassOptions& options, Device* client,
                     PrunedGraph* pruned);

// The same for a placed graph that runs as a whole: nodes with effects, and
// those without outputs, count as targets.  Shapes are not known.
Status OptimizeWholeGraph(const GraphPassOptions& options, Device* client,
                          Graph* graph);

// ---- Nodes whose built-in kernel a library overrides (overridden_nodes.cc)

// Does a kernel that overrides run this node, which has been placed?
bool IsOverridden(const Node& node);

// Is an overridden node in the graph that cannot be kept from the passes,
// because they must know what it is: control flow or a constant?
bool HasOverriddenStructure(const Graph& graph);

// Runs the graph passes on all nodes but the overridden ones, which stay what
// they are.  Nodes of such ops that passes add run on built-in kernels.
Status RunPassesBesideOverridden(GraphPassContext* context);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_
