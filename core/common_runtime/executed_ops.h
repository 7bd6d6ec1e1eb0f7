// SPDX-License-Identifier: Apache-2.0
// Which op types this process has run: the evidence that every op has a test.
//
// Off, and then free, unless the environment variable TENSORWRIGHT_EXECUTED_OPS
// names a file.  An op type is appended to it, a line each, at the end of the
// first run that succeeded with a node of that type in its pruned graph; on a
// branch that was not taken it counts too.  Several processes may share a file.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTED_OPS_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTED_OPS_H_

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace tensorwright {

// The distinct op types of a plan, before any rewriting; none when off.
std::vector<std::string> OpTypesToNote(const Graph& graph);

// Thread safe.
void NoteExecutedOps(const std::vector<std::string>& types);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_EXECUTED_OPS_H_
