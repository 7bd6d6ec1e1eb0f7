// SPDX-License-Identifier: Apache-2.0
// Tells convolutions whose filter is a constant of the plan that it is: they
// may keep it in the order that suits them.  Runs after constant folding.

#include "core/framework/attr_value.pb.h"
#include "core/graph/graph_passes.h"
#include "core/graph/pass_util.h"

namespace tensorwright {
namespace {

class ConstantFilterPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "constant_filters"; }

  Status Run(GraphPassContext* context) override {
    if (!context->options().constant_folding) return OkStatus();
    AttrValue yes;
    yes.set_b(true);
    for (Node* node : context->graph()->op_nodes()) {
      const std::string& op = node->type_string();
      if ((op == "Conv2D" || op == "_FusedConv2D") && IsOnCpu(*node) &&
          node->input_node(1)->IsConstant()) {
        node->SetAttr("_constant_filter", yes);
      }
    }
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 55, ConstantFilterPass);

}  // namespace
}  // namespace tensorwright
