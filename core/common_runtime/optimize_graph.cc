// SPDX-License-Identifier: Apache-2.0
// OptimizeGraph.
#include "core/common_runtime/optimize_graph.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/decorators.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

// Has any node a decorator, or is one overridden that shapes the graph?  Then
// the graph stays as it is written.
bool StaysAsWritten(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    if (HasKernelDecorator(node->type_string())) return true;
  }
  return HasOverriddenStructure(graph);
}

}  // namespace

PlanOptions PlanOptions::FromConfig(const ConfigProto& config) {
  PlanOptions options;
  options.passes = GraphPassOptions::FromConfig(config.graph_options());
  options.allow_soft_placement = config.allow_soft_placement();
  options.log_device_placement = config.log_device_placement();
  return options;
}

Status OptimizeGraph(const LiveGraph& live, const NodeSignature& signature,
                     const GraphPassOptions& options, Device* client,
                     PrunedGraph* pruned) {
  if (StaysAsWritten(*pruned->graph)) return OkStatus();
  const absl::flat_hash_set<const Node*> targets(signature.targets.begin(),
                                                 signature.targets.end());
  const std::vector<const Node*>& original = pruned->original;
  std::vector<bool> is_target(original.size(), false);
  for (size_t id = 0; id < original.size(); ++id) {
    is_target[id] = original[id] != nullptr && targets.contains(original[id]);
  }
  const auto shapes = [&](const Node& node, int output) {
    if (const Node* user = original[node.id()]) {
      return live.OutputShape({const_cast<Node*>(user), output});
    }
    if (node.IsArg()) {
      return live.OutputShape(signature.feeds[node.FindAttr("index")->i()]);
    }
    return PartialTensorShape();
  };
  GraphPassContext context(pruned->graph.get(), options, shapes,
                           std::move(is_target), client);
  return RunPassesBesideOverridden(&context);
}

Status OptimizeWholeGraph(const GraphPassOptions& options, Device* client,
                          Graph* graph) {
  if (StaysAsWritten(*graph)) return OkStatus();
  // A node with an effect is a target because it is there; nodes without one
  // may go if nobody reads them.
  std::vector<bool> is_target(graph->num_node_ids(), false);
  for (const Node* node : graph->op_nodes()) {
    is_target[node->id()] =
        node->op_def().is_stateful() || node->num_outputs() == 0;
  }
  const auto shapes = [](const Node&, int) { return PartialTensorShape(); };
  GraphPassContext context(graph, options, shapes, std::move(is_target),
                           client);
  return RunPassesBesideOverridden(&context);
}

}  // namespace tensorwright
