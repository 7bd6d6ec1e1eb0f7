// SPDX-License-Identifier: Apache-2.0
// Tells a convolution that its filter is a constant of the plan, or a variable:
// then it may keep the filter in the order that suits it, until the filter
// changes. Runs after constant folding.

#include "core/framework/attr_value.pb.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

// Does the value always come from one variable, and never from another tensor?
bool IsVariable(const Node* node) {
  while (node->IsIdentity()) node = node->input_node(0);
  const std::string& op = node->type_string();
  return op == "VariableV2" || op == "Variable" || op == "ReadVariableOp";
}

class KeptFilterPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "kept_filters"; }

  Status Run(GraphPassContext* context) override {
    AttrValue source;
    for (Node* node : context->graph()->op_nodes()) {
      const std::string& op = node->type_string();
      if ((op != "Conv2D" && op != "_FusedConv2D") || !IsOnCpu(*node)) continue;
      const Node* filter = node->input_node(1);
      if (filter->IsConstant()) {
        source.set_s("constant");
      } else if (IsVariable(filter)) {
        source.set_s("variable");
      } else {
        continue;
      }
      node->SetAttr("_kept_filter", source);
    }
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 55, KeptFilterPass);

}  // namespace
}  // namespace tensorwright
