// SPDX-License-Identifier: Apache-2.0
// ClusterLimits.
#include "core/distributed_runtime/cluster_limits.h"

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Leaves *value as it is if the variable is not set.
Status ReadNumber(const char* variable, int64_t least, int64_t* value) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return OkStatus();
  if (absl::SimpleAtoi(text, value) && *value >= least) return OkStatus();
  return errors::InvalidArgument(variable, " must be a number of at least ",
                                 least, ", got '", text, "'");
}

}  // namespace

StatusOr<ClusterLimits> ClusterLimits::FromEnvironment() {
  ClusterLimits limits;
  int64_t lost = absl::ToInt64Seconds(limits.lost);
  int64_t idle = absl::ToInt64Seconds(limits.idle);
  TF_RETURN_IF_ERROR(ReadNumber("TENSORWRIGHT_CLUSTER_MAX_MESSAGE_BYTES", 1,
                                &limits.message_bytes));
  TF_RETURN_IF_ERROR(ReadNumber("TENSORWRIGHT_CLUSTER_MAX_GRAPH_NODES", 1,
                                &limits.graph_nodes));
  TF_RETURN_IF_ERROR(
      ReadNumber("TENSORWRIGHT_CLUSTER_MAX_SESSIONS", 1, &limits.sessions));
  TF_RETURN_IF_ERROR(ReadNumber("TENSORWRIGHT_CLUSTER_LOST_SECONDS", 0, &lost));
  TF_RETURN_IF_ERROR(ReadNumber("TENSORWRIGHT_CLUSTER_IDLE_SECONDS", 0, &idle));
  limits.lost = absl::Seconds(lost);
  limits.idle = absl::Seconds(idle);
  return limits;
}

int64_t CountNodes(const GraphDef& graph) {
  int64_t nodes = graph.node_size();
  for (const FunctionDef& function : graph.library().function()) {
    nodes += function.node_def_size();
  }
  return nodes;
}

Status ClusterLimits::CheckGraph(int64_t nodes, const GraphDef& added) const {
  const int64_t total = nodes + CountNodes(added);
  if (total <= graph_nodes) return OkStatus();
  return errors::ResourceExhausted(
      "A graph of ", total,
      " nodes is larger than this server takes: ", graph_nodes, " nodes");
}

}  // namespace tensorwright
