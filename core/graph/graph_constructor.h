// SPDX-License-Identifier: Apache-2.0
// GraphDef -> Graph.
//
// A GraphDef may come from a stranger.  Every mistake in it is an error that
// names the node, the graph is left as it was, and work is linear in its size.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_CONSTRUCTOR_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_CONSTRUCTOR_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/graph/output_ref.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class GraphBudget;
class GraphDef;

struct GraphConstructorOptions {
  std::string prefix;  // "" or a scope that ends in '/'.
  // input_map maps inputs of the def, without the prefix, to the outputs of
  // `graph` to use instead. Nodes of control_dependencies run before every
  // added node that has no inputs.
  std::map<std::string, OutputRef> input_map;
  std::vector<Node*> control_dependencies;
  std::string default_device;
  // Is that (prefixed) name taken in the graph?  Null: no name is.
  std::function<bool(absl::string_view)> name_taken;
  // If true, a node whose name is taken gets the first of "name_1", "name_2",
  // ... that is not; otherwise it is an error.
  bool number_taken_names = false;
  // Called for every node once its inputs are connected, in topological order
  // (a Merge may still lack the input from its NextIteration).
  std::function<Status(Node*)> node_added;
  // The budget that is left for the nodes of the def, if the graph has others;
  // null: they have a budget of their own.  Changes only in success.
  GraphBudget* budget = nullptr;
  // Allows nodes named "_..." and ops such as _Send, which the runtime makes.
  bool allow_internal_ops = false;
};

// Adds the nodes of `def` to `graph`; (*nodes)[i] is def.node(i), unless
// `nodes` is null.
//   NotFound: an op that is not registered.
//   InvalidArgument: a malformed, doubled or taken name, an attr that is
//   missing,
//     unknown or of a wrong type, an input that names no node or output of the
//     def, a type mismatch, a cycle that is not a loop, other control flow that
//     cannot run (validate.h; not where input_map joins the def's nodes to
//     others: plans find it then), more than a GraphBudget, an unused input_map
//     key, a def that only later versions can read; whatever node_added
//     returns.
Status ConvertGraphDefToGraph(const GraphConstructorOptions& options,
                              const GraphDef& def, Graph* graph,
                              std::vector<Node*>* nodes);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_CONSTRUCTOR_H_
