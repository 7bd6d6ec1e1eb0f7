// SPDX-License-Identifier: Apache-2.0
// How much a graph may hold that its text only counts.
//
// What a GraphDef spells out costs in proportion to its bytes.  A few bytes can
// also say a number: DynamicPartition with num_partitions = 16777216, or a
// Const of ten billion times one value.  A GraphBudget bounds the sum of these
// over a graph, so that a small GraphDef from a stranger stays small.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_

#include <cstdint>

#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDef;
class OpDef;

// A value, copied to try something and assigned back when it worked.
class GraphBudget {
 public:
  // Every node has this many outputs for nothing; of all others together, a
  // graph has at most kMaxFurtherOutputs, each of some 150 bytes.
  static constexpr int64_t kFreeOutputs = 16;
  static constexpr int64_t kMaxFurtherOutputs = int64_t{1} << 20;
  // Bytes of all tensors in attrs, as their shapes say: 256 GiB.  They are made
  // only when a run needs them, and do not fit then if memory ends before.
  static constexpr int64_t kMaxConstantBytes = int64_t{1} << 38;

  // Counts a node, whose attrs are complete and have the types that `op` says.
  // InvalidArgument, with the node noted, that names the limit, and nothing
  // counted, if it is too much.  Allocates nothing in proportion to numbers.
  Status Add(const NodeDef& node, const OpDef& op);

 private:
  int64_t further_outputs_ = 0;
  int64_t constant_bytes_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_
