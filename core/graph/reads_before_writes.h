// SPDX-License-Identifier: Apache-2.0
// Makes reads of variables run before their updates, where the graph leaves the
// order open.
#ifndef TENSORWRIGHT_CORE_GRAPH_READS_BEFORE_WRITES_H_
#define TENSORWRIGHT_CORE_GRAPH_READS_BEFORE_WRITES_H_

#include "core/graph/graph.h"

namespace tensorwright {

// Adds control edges to a placed graph, so that an update of a variable waits
// for the readers of the variable, unless the graph puts a reader later. Two
// assignments of one group that use each other's old values then both get them.
// This is no promise: no edges are added
//
//   - for a write that does not follow from the variable's old value, not even
//     through other variables: it may be the one that initializes it;
//   - between devices, after control flow, since an edge would carry deadness,
//     and after ops that wait for other nodes, or other runs, by ways that are
//     no edges, where one could close a circle;
//   - for variables with very many readers and writers.
//
// The result has a cycle only if `graph` has one.  Linear in the graph.
void OrderReadsBeforeWrites(Graph* graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_READS_BEFORE_WRITES_H_
