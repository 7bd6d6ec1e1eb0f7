// SPDX-License-Identifier: Apache-2.0
// OptimizeGraph: runs the graph passes over what a plan is compiled from.
// Errors are those of the passes; the graph is of no use then, and the plan
// fails.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_

#include "core/common_runtime/device.h"
#include "core/common_runtime/plan.h"
#include "core/graph/live_graph.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/subgraph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// `pruned`, placed: what `signature` needs of `live`, whose shapes it uses (it
// takes live.mu(), so the caller must not hold it).  `client`: the CPU that
// folds constants, or null: then none are.  Values, effects and errors of a run
// stay what they were.
Status OptimizeGraph(const LiveGraph& live, const NodeSignature& signature,
                     const GraphPassOptions& options, Device* client,
                     PrunedGraph* pruned);

// The same for a placed graph all of whose nodes run: nodes with effects, and
// those without outputs, count as targets.  Nothing is known of shapes.
Status OptimizeWholeGraph(const GraphPassOptions& options, Device* client,
                          Graph* graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_OPTIMIZE_GRAPH_H_
