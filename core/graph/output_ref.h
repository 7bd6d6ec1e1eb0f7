// SPDX-License-Identifier: Apache-2.0
// OutputRef: one output of one node, as the front end and the session name it.
//
// A value, hashable.  It does not keep its node alive: it is good as long as
// the graph that owns the node has not removed it.  Making one does not check
// that the node has an output of that index; functions that take one return
// InvalidArgument if it has not.
#ifndef TENSORWRIGHT_CORE_GRAPH_OUTPUT_REF_H_
#define TENSORWRIGHT_CORE_GRAPH_OUTPUT_REF_H_

#include <utility>

namespace tensorwright {

class Node;

struct OutputRef {
  Node* node = nullptr;
  int index = 0;

  friend bool operator==(const OutputRef& a, const OutputRef& b) {
    return a.node == b.node && a.index == b.index;
  }
  template <typename H>
  friend H AbslHashValue(H h, const OutputRef& o) {
    return H::combine(std::move(h), o.node, o.index);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_OUTPUT_REF_H_
