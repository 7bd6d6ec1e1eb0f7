// SPDX-License-Identifier: Apache-2.0
// Puts the product of a gradient and a scalar, with which clipping by norm
// ends, into the optimizer's step: then the product is never written to memory,
// nor read from it.

#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

// The index of the gradient among the inputs of steps that the kernel knows
// (core/kernels/training/training_ops.cc); -1 for other ops.
int GradientOf(const std::string& op) {
  if (op == "ApplyGradientDescent") return 2;
  if (op == "ApplyMomentum" || op == "ApplyAdagrad") return 3;
  if (op == "ApplyRMSProp") return 7;
  if (op == "ApplyAdam") return 9;
  return -1;
}

class UpdateFusionPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "update_fusion"; }

  Status Run(GraphPassContext* context) override {
    std::vector<int> ids;
    for (const Node* node : context->graph()->op_nodes()) {
      if (GradientOf(node->type_string()) >= 0) ids.push_back(node->id());
    }
    for (int id : ids) {
      TF_RETURN_IF_ERROR(Fuse(context, context->graph()->FindNodeId(id)));
    }
    return OkStatus();
  }

 private:
  // The index of a factor that is a scalar; -1 if there is none.
  static int ScaleOf(const GraphPassContext& context, const Node& product) {
    for (int i = 1; i >= 0; --i) {
      const Edge* e = product.input_edge(i);
      const PartialTensorShape shape =
          context.Shape(*e->src(), e->src_output());
      if (!shape.unknown_rank() && shape.dims() == 0) return i;
    }
    return -1;
  }

  static Status Fuse(GraphPassContext* context, Node* update) {
    const int grad = GradientOf(update->type_string());
    const DataType type = BaseType(update->output_type(0));
    Node* product = update->input_node(grad);
    if ((type != DT_FLOAT && type != DT_DOUBLE) || !IsOnCpu(*update) ||
        context->IsTarget(*update) || product->type_string() != "Mul" ||
        context->IsTarget(*product) || product->out_edges().size() != 1 ||
        product->num_control_inputs() > 0 ||
        product->assigned_device_index() != update->assigned_device_index()) {
      return OkStatus();
    }
    const int scale = ScaleOf(*context, *product);
    // The factors of the product must not change before the step runs.
    if (scale < 0 || MayBeVariable(*product->input_node(0)) ||
        MayBeVariable(*product->input_node(1))) {
      return OkStatus();
    }
    return Replace(context, update, grad, product, scale);
  }

  static Status Replace(GraphPassContext* context, Node* update, int grad,
                        Node* product, int scale) {
    Graph* graph = context->graph();
    const int n = update->num_inputs();
    int num_vars = 0;
    while (IsRefType(update->input_type(num_vars))) ++num_vars;
    NewNode made(context, "_FusedUpdate", update->name(), *update);
    *made.def()->mutable_input() = update->def().input();  // Errors name them.
    made.Attr("T", BaseType(update->output_type(0)))
        .Attr("num_vars", num_vars)
        .Attr("num_values", n - num_vars + 1)
        .TakeControls(*update);
    FusedProgramBuilder program(n + 1);
    const int product_value = scale == 1
                                  ? program.AddStep(product->def(), {grad, n})
                                  : program.AddStep(product->def(), {n, grad});
    std::vector<int> operands;
    for (int i = 0; i < n; ++i) {
      operands.push_back(i == grad ? product_value : i);
    }
    program.AddResult(program.AddStep(update->def(), operands));
    program.WriteAttrs(made.def());
    for (int i = 0; i <= n; ++i) {
      made.Input(i == n      ? product->input_edge(scale)
                 : i == grad ? product->input_edge(1 - scale)
                             : update->input_edge(i));
    }
    TF_ASSIGN_OR_RETURN(Node * fused, made.Add());
    context->SetShape(*fused, 0, context->Shape(*update, 0));
    ReplaceDataUses(graph, update, 0, fused, 0);
    ReplaceControlUses(graph, update, {fused});
    graph->RemoveNode(update);
    graph->RemoveNode(product);
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 58, UpdateFusionPass);

}  // namespace
}  // namespace tensorwright
