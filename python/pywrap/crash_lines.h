// SPDX-License-Identifier: Apache-2.0
// Lets crash reports name the Python line that made a node.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_CRASH_LINES_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_CRASH_LINES_H_

#include "python/pywrap/handles.h"
// handles.h comes first: it includes Python.h.

namespace tensorwright::pywrap {

// A graph whose nodes crash reports look for, from AddGraph to RemoveGraph.
// The GIL is held, here and below.
void AddGraph(const GraphState* graph);
void RemoveGraph(const GraphState* graph);

// While it lives, the graph runs: its nodes are looked for first.
class RunningGraph {
 public:
  explicit RunningGraph(const GraphState* graph);
  // The GIL must be held again.
  ~RunningGraph();
  RunningGraph(const RunningGraph&) = delete;
  RunningGraph& operator=(const RunningGraph&) = delete;

 private:
  const GraphState* const graph_;
};

// Makes the lines known to crash reports.
void BindCrashLines();

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_CRASH_LINES_H_
