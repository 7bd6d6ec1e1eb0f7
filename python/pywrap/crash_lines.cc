// SPDX-License-Identifier: Apache-2.0
// Finds the line of a node in a signal handler.
//
// The handler holds no GIL: another thread may change what is read here.  The
// report calls this so that a fault ends the search alone.
#include "python/pywrap/crash_lines.h"

#include <algorithm>

#include "core/common_runtime/running_kernel.h"

namespace tensorwright::pywrap {
namespace {

// The graphs of the process, and those that run; the GIL guards them.
std::vector<const GraphState*>* graphs = nullptr;
std::vector<const GraphState*>* running = nullptr;

void Remove(std::vector<const GraphState*>* list, const GraphState* graph) {
  const auto last = std::find(list->rbegin(), list->rend(), graph);
  if (last != list->rend()) list->erase(std::next(last).base());
}

// The operation of `graph` that has that name, or else, if `calls` is true, the
// innermost whose name and "/" begin it: the call of a function that has been
// put in its place.
const OperationObject* Find(const GraphState& graph, absl::string_view name,
                            bool calls) {
  const OperationObject* best = nullptr;
  size_t best_size = 0;
  for (const OperationObject* op : graph.ops) {
    if (op == nullptr || op->traceback == nullptr) continue;
    const std::string& own = op->node->name();
    if (own == name) return op;
    if (calls && own.size() > best_size && own.size() < name.size() &&
        name[own.size()] == '/' && name.substr(0, own.size()) == own) {
      best = op;
      best_size = own.size();
    }
  }
  return best;
}

void WriteLine(const OperationObject& op, crash::Writer* out) {
  op.traceback->WriteUserLocation(out);
}

void Write(absl::string_view node, absl::string_view type, crash::Writer* out) {
  const OperationObject* call = nullptr;
  for (const GraphState* graph : *running) {
    const OperationObject* op = Find(*graph, node, true);
    if (op == nullptr) continue;
    if (op->node->name() == node) return WriteLine(*op, out);
    if (call == nullptr ||
        call->node->name().size() < op->node->name().size()) {
      call = op;
    }
  }
  // It may be a node of a function, or of a graph that a session of C++ runs.
  absl::string_view inside = node;
  if (call != nullptr) inside.remove_prefix(call->node->name().size() + 1);
  bool found = false;
  for (const GraphState* graph : *graphs) {
    const OperationObject* op = Find(*graph, inside, false);
    if (op == nullptr || op->node->type_string() != type) continue;
    if (found) *out << " or ";
    WriteLine(*op, out);
    found = true;
  }
  if (call == nullptr) return;
  *out << (found ? ", called at " : "a function that was called at ");
  WriteLine(*call, out);
}

}  // namespace

void AddGraph(const GraphState* graph) {
  Traceback::PrepareToWrite();
  graphs->push_back(graph);
}

void RemoveGraph(const GraphState* graph) { Remove(graphs, graph); }

RunningGraph::RunningGraph(const GraphState* graph) : graph_(graph) {
  running->push_back(graph_);
}

RunningGraph::~RunningGraph() { Remove(running, graph_); }

void BindCrashLines() {
  graphs = new std::vector<const GraphState*>;
  running = new std::vector<const GraphState*>;
  SetNodeLineWriter(&Write);
}

}  // namespace tensorwright::pywrap
