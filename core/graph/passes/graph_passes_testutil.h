// SPDX-License-Identifier: Apache-2.0
// For tests of graph passes: prunes a LiveGraph as for a run, runs one pass
// over it, and shows the validated rest.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_TESTUTIL_H_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_TESTUTIL_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/device_base.h"
#include "core/graph/graph_testutil.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/subgraph.h"

namespace tensorwright {
namespace testing_graph {

inline constexpr char kTestCpu[] =
    "/job:localhost/replica:0/task:0/device:CPU:0";

// Owns the graph that the passes made.
struct Optimized {
  PrunedGraph pruned;

  const Graph& graph() const { return *pruned.graph; }
  // Ops of the nodes, sorted, without _Arg and _Retval.
  std::vector<std::string> Ops() const {
    std::vector<std::string> ops;
    for (const Node* node : graph().op_nodes()) {
      if (!node->IsArg() && !node->IsRetval())
        ops.push_back(node->type_string());
    }
    std::sort(ops.begin(), ops.end());
    return ops;
  }
  // nullptr if there is none.
  const Node* Find(const std::string& name) const {
    for (const Node* node : graph().op_nodes()) {
      if (node->name() == name) return node;
    }
    return nullptr;
  }
  // The node that fetch `k` reads.
  const Node* Fetched(int k) const {
    return Find("_retval_" + std::to_string(k))->input_node(0);
  }
};

// Runs all passes that `options` has on, in their order.
inline Optimized RunPasses(const LiveGraph& g,
                           const std::vector<std::string>& passes,
                           const std::vector<OutputRef>& feeds,
                           const std::vector<OutputRef>& fetches,
                           const std::vector<Node*>& targets = {},
                           GraphPassOptions options = {},
                           DeviceBase* cpu = nullptr) {
  Optimized result;
  TF_CHECK_OK(PruneForRun(g.graph(), feeds, fetches, targets, &result.pruned));
  std::vector<bool> is_target;
  for (const Node* original : result.pruned.original) {
    is_target.push_back(std::find(targets.begin(), targets.end(), original) !=
                            targets.end() &&
                        original != nullptr);
  }
  for (Node* node : result.pruned.graph->op_nodes()) {
    node->set_assigned_device_name(kTestCpu);
  }
  const std::vector<const Node*> original = result.pruned.original;
  const auto shapes = [&](const Node& node, int output) {
    if (const Node* user = original[node.id()]) {
      return g.OutputShape({const_cast<Node*>(user), output});
    }
    return node.IsArg() ? g.OutputShape(feeds[node.FindAttr("index")->i()])
                        : PartialTensorShape();
  };
  options.validate = true;
  GraphPassContext context(result.pruned.graph.get(), options, shapes,
                           is_target, cpu);
  if (passes.empty()) {
    TF_CHECK_OK(RunGraphPasses(GraphPassPhase::kPostPlacement, &context));
  }
  for (const std::string& pass : passes) {
    TF_CHECK_OK(RunGraphPass(pass, &context));
  }
  return result;
}

// All passes that `options` has on, in their order.
inline Optimized RunAllPasses(const LiveGraph& g,
                              const std::vector<OutputRef>& feeds,
                              const std::vector<OutputRef>& fetches,
                              const GraphPassOptions& options) {
  return RunPasses(g, {}, feeds, fetches, {}, options);
}

using OpNames = std::vector<std::string>;

inline OutputRef FloatConst(LiveGraph* g, const std::vector<float>& values,
                            const std::vector<int64_t>& shape = {},
                            const std::string& name = "",
                            const std::vector<Node*>& controls = {}) {
  Tensor t(DT_FLOAT, TensorShape(shape));
  std::copy(values.begin(), values.end(), t.base<float>());
  AttrValue attr;
  t.AsProtoTensorContent(attr.mutable_tensor());
  return Add(g, "Const", {},
             {{"dtype", Attr("type: DT_FLOAT")}, {"value", attr}}, name, {}, "",
             controls);
}

}  // namespace testing_graph
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_TESTUTIL_H_
