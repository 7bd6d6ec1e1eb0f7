// SPDX-License-Identifier: Apache-2.0
// Bounds the parts of a graph that its text only counts.
//
// The parts that a GraphDef spells out cost in proportion to its bytes.  But a
// few bytes can also give a number: DynamicPartition with num_partitions =
// 16777216, or a Const that repeats one value ten billion times.  A GraphBudget
// bounds the sum of these over a graph, so that a small GraphDef from a
// stranger stays small.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_

#include <cstdint>

#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDef;
class OpDef;

// A value: copy it to try something, and assign the copy back if that worked.
class GraphBudget {
 public:
  // Every node may have this many outputs freely; beyond those, a graph has at
  // most kMaxFurtherOutputs in all, each of some 150 bytes.
  static constexpr int64_t kFreeOutputs = 16;
  static constexpr int64_t kMaxFurtherOutputs = int64_t{1} << 20;
  // The bytes of all tensors in attrs, computed from their shapes: 256 GiB.
  // They are made only when a run needs them, which fails if the memory does
  // not suffice.
  static constexpr int64_t kMaxConstantBytes = int64_t{1} << 38;

  // Counts a node, whose attrs are complete and have the types that `op`
  // declares. If it is too much, counts nothing and returns InvalidArgument,
  // which names the limit and notes the node.  Allocates nothing in proportion
  // to numbers.
  Status Add(const NodeDef& node, const OpDef& op);

 private:
  int64_t further_outputs_ = 0;
  int64_t constant_bytes_ = 0;
};

// The bytes that the tensors in a node's attrs have, computed from their
// shapes; INT64_MAX if they are more.
int64_t TensorAttrBytes(const NodeDef& node);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_BUDGET_H_
