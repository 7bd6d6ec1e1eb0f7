// SPDX-License-Identifier: Apache-2.0
// Partition: makes one graph per device from a placed graph.
//
// Reads the graph, keeps no part of it, and gives the caller graphs of his own
// whose nodes share properties with the originals.  The same graph gives the
// same partitions, in the order of their first nodes.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_PARTITION_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_PARTITION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

struct PartitionOptions {
  // The incarnation of a device, part of rendezvous keys.
  std::function<uint64_t(const std::string& device)> incarnation;
};

struct DevicePartition {
  std::string device;
  std::unique_ptr<Graph> graph;
};

// Splits `graph`, whose op nodes all have assigned devices.  An edge between
// devices becomes a _Send on the one side and a _Recv on the other, one pair
// for all consumers of an output on a device; a control edge sends an empty
// tensor.
//
// A loop with nodes on several devices gets, on each of them that does not hold
// its LoopCond, a small loop of its own that receives the condition once per
// iteration: Enter, Merge, Switch and NextIteration of a dummy, so that frames
// exist and end there, and values received inside the loop are received once
// per iteration.  InvalidArgument for a loop over devices without a LoopCond,
// for a Merge and its NextIteration on different devices, or for a graph that
// BuildControlFlowInfo rejects; *partitions is of no use then.
Status PartitionGraph(const PartitionOptions& options, const Graph& graph,
                      std::vector<DevicePartition>* partitions);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_PARTITION_H_
