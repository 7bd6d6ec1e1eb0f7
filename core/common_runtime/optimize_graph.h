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

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_
