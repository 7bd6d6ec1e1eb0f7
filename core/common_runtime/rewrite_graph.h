// SPDX-License-Identifier: Apache-2.0
// DescribeFeeds: what a run feeds.  RewriteForRun: hands the part of a graph
// that a run needs to the outside optimizers (outside_optimizers.h) and reads
// back what they make of it.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_REWRITE_GRAPH_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_REWRITE_GRAPH_H_

#include <memory>
#include <vector>

#include "core/common_runtime/plan.h"
#include "core/common_runtime/run_state.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {

// The graph that a run executes in the place of the user's.
struct RewrittenGraph {
  std::unique_ptr<LiveGraph> graph;
  // The run's feeds, fetches and targets, looked up in `graph` by their names.
  NodeSignature signature;
};

// By feed: its name, dtype and static shape.  A feed that the graph does not
// have gets an empty one; PruneForRun reports it.
std::vector<FeedSpec> DescribeFeeds(const LiveGraph& live,
                                    const std::vector<OutputRef>& feeds);

// Leaves *rewritten null if the graph is to run as it is: no optimizer had
// anything to do, or what they made cannot run.  The latter is a warning, or,
// with fail_on_optimizer_errors, InvalidArgument: a malformed graph, a feed,
// fetch or target that is gone or has another type, a function that has the
// name of another one.
//
// Functions that the optimizers add join live.functions().
Status RewriteForRun(const LiveGraph& live, const NodeSignature& signature,
                     const ConfigProto& config,
                     const SessionResources& resources,
                     std::shared_ptr<const RewrittenGraph>* rewritten);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_REWRITE_GRAPH_H_
