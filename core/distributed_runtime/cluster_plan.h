// SPDX-License-Identifier: Apache-2.0
// ClusterPlan: one (feeds, fetches, targets) of a master's session, cut into a
// graph for each task.
//
// MakeClusterPlan prunes the graph, places it on the devices of all tasks, puts
// a _Recv in the place of each feed and a _Send in that of each fetch, at the
// task that reads or makes the value, copies small constants to the tasks that
// read them, and partitions.  The tasks optimise and compile their parts when
// the master registers those with them.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_PLAN_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "core/common_runtime/device_info.h"
#include "core/common_runtime/session.h"
#include "core/framework/graph.pb.h"
#include "core/framework/types.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The part of one task.
struct ClusterPartition {
  std::string task;
  GraphDef graph;
  std::vector<int> feeds;    // The plan's feeds that are fed here.
  std::vector<int> fetches;  // The plan's fetches that are fetched here.
  std::string handle;        // Set once it is registered.
};

struct ClusterPlan {
  RunSignature signature;  // Has "x:0" for "x".
  std::vector<DataType> feed_types;
  // Rendezvous keys.
  std::vector<std::string> feed_keys;
  std::vector<std::string> fetch_keys;
  // For each fetch, the feeds that it needs.
  std::vector<std::vector<int>> feeds_needed;
  bool has_control_flow = false;
  std::vector<ClusterPartition> partitions;
};

struct ClusterPlanOptions {
  bool allow_soft_placement = false;
  bool log_device_placement = false;
};

// The first of `devices` is the client's.  NotFound: a name that is not in the
// graph.  InvalidArgument: errors of pruning, placing and partitioning, with
// the node noted.
StatusOr<std::unique_ptr<ClusterPlan>> MakeClusterPlan(
    const LiveGraph& graph, const RunSignature& signature,
    const DeviceSet& devices, const ClusterPlanOptions& options);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_PLAN_H_
