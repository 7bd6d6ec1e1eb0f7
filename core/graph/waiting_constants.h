// SPDX-License-Identifier: Apache-2.0
// Frees constants from waiting for other nodes.
#ifndef TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_
#define TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_

#include "core/graph/graph.h"

namespace tensorwright {

// A constant in a loop or on a branch has control inputs: they make it produce
// its value once per iteration, and make it dead if its branch is not taken.
// Both matter only to the nodes that read it.  This function moves the control
// edges to the readers, most of which have a data edge that implies them
// already; afterwards the constant has no inputs, is outside all frames and
// costs nothing in a run.
//
// For a partition about to be compiled.  Find the frames first: afterwards a
// loop may read a constant outside it without an Enter.
void FreeWaitingConstants(Graph* graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_
