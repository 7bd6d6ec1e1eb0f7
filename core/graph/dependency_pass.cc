// SPDX-License-Identifier: Apache-2.0
// Removes nodes that pass their input through: Identity, StopGradient,
// PreventGradient.  What feeds a variable's value stays (a copy of a reference
// is a point in time), and so does what names a branch of a Switch.

#include <vector>

#include "core/graph/graph_passes.h"
#include "core/graph/pass_util.h"

namespace tensorwright {
namespace {

class DependencyPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "dependencies"; }

  Status Run(GraphPassContext* context) override {
    if (!context->options().dependencies) return OkStatus();
    std::vector<int> ids;
    for (const Node* node : context->graph()->op_nodes()) {
      if (PassesInputThrough(*node) && IsPure(*node)) ids.push_back(node->id());
    }
    for (int id : ids) {
      Node* node = context->graph()->FindNodeId(id);
      if (node != nullptr) BypassNode(context, node, 0);
    }
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 10, DependencyPass);

}  // namespace
}  // namespace tensorwright
