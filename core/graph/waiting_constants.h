// SPDX-License-Identifier: Apache-2.0
// Constants that wait for something need not.
#ifndef TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_
#define TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_

#include "core/graph/graph.h"

namespace tensorwright {

// In a loop or on a branch a constant carries control edges, so that it is
// produced once an iteration and is dead where its branch is.  Both matter only
// to what reads it.  This moves those edges to the readers, where most are
// already implied by a data edge; afterwards the constant has no inputs, stands
// outside all frames and costs nothing in a run.
//
// For a partition about to be compiled: frames must have been found before,
// since a loop may now read what is outside of it without an Enter.
void FreeWaitingConstants(Graph* graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_WAITING_CONSTANTS_H_
