// SPDX-License-Identifier: Apache-2.0
// ClusterLimits: the limits of what a server takes from its clients.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_LIMITS_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// From the environment:
//   TENSORWRIGHT_CLUSTER_MAX_MESSAGE_BYTES  the most bytes of a call;
//   TENSORWRIGHT_CLUSTER_MAX_GRAPH_NODES    nodes of a session's graph, those
//                                           of functions too;
//   TENSORWRIGHT_CLUSTER_MAX_SESSIONS       sessions of a master, and of a
//                                           worker;
//   TENSORWRIGHT_CLUSTER_LOST_SECONDS       how long a session outlives the
//                                           connection to its client
//                                           (session_holds.h);
//   TENSORWRIGHT_CLUSTER_IDLE_SECONDS       how long one without steps lives
//                                           whose client does not say that it
//                                           lives, as TensorFlow's do not; 0:
//                                           for ever.
struct ClusterLimits {
  int64_t message_bytes = INT32_MAX;
  int64_t graph_nodes = 10'000'000;
  int64_t sessions = 1000;
  absl::Duration lost = absl::Seconds(60);
  absl::Duration idle = absl::ZeroDuration();
  // The lifetime of a worker's session whose master does not report that it
  // lives, as all masters do.
  absl::Duration unheld = absl::Seconds(30);

  // InvalidArgument, naming the variable, for text that is not a number above 0
  // (or, for seconds, 0).
  static StatusOr<ClusterLimits> FromEnvironment();

  // ResourceExhausted if a graph that has `nodes` would have too many with the
  // nodes of `added`.
  Status CheckGraph(int64_t nodes, const GraphDef& added) const;
};

// The number of nodes of the graph and of its functions.
int64_t CountNodes(const GraphDef& graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_LIMITS_H_
