// SPDX-License-Identifier: Apache-2.0
// GraphGrowth: notices a graph that grows in a loop of runs.
//
// A program that adds nodes in each step of its loop gets slower and larger
// with every step.  The sign of it is one line of Python that adds nodes
// between runs, again and again.  A program that builds a part, runs, and
// builds the next does not come back to one line so often; lines typed at a
// prompt have no place in a file and do not count.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_GRAPH_GROWTH_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_GRAPH_GROWTH_H_

#include "python/pywrap/handles.h"
// handles.h comes first.
#include <string>

#include "absl/container/flat_hash_map.h"

namespace tensorwright::pywrap {

// Watches one session.  Used with the GIL held.
class GraphGrowth {
 public:
  // One line must have added nodes between this many runs before a warning is
  // due.
  static constexpr int kRuns = 100;

  // Call it before each run.  Warns once, with the line; false, with a Python
  // error set, if warnings are errors.
  bool BeforeRun(const GraphState& graph) {
    return graph.ops.size() == ops_seen_ || HasGrown(graph);
  }

 private:
  bool HasGrown(const GraphState& graph);

  size_t ops_seen_ = 0;
  bool warned_ = false;
  absl::flat_hash_map<std::string, int> runs_;  // By "FILE:LINE".
};

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_GRAPH_GROWTH_H_
