// SPDX-License-Identifier: Apache-2.0
// Puts a float MatMul or Conv2D, the bias added to it and the activation of
// that sum into one node, if nothing else reads the values in between.

#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"
#include "core/util/elementwise.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

bool IsPureOnCpu(const Node& node) { return IsPure(node) && IsOnCpu(node); }

class ContractionFusionPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "contraction_fusion"; }

  Status Run(GraphPassContext* context) override {
    std::vector<int> ids;
    for (const Node* node : context->graph()->op_nodes()) {
      const std::string& op = node->type_string();
      if (op == "MatMul" || op == "Conv2D") ids.push_back(node->id());
    }
    for (int id : ids) {
      TF_RETURN_IF_ERROR(Fuse(context, context->graph()->FindNodeId(id)));
    }
    return OkStatus();
  }

 private:
  // The only reader of the node's only output, if nothing waits for the node.
  static Node* OnlyReader(const GraphPassContext& context, const Node& node) {
    if (context.IsTarget(node) || node.out_edges().size() != 1) return nullptr;
    const Edge* e = *node.out_edges().begin();
    Node* reader = e->dst();
    return !e->IsControlEdge() && reader->assigned_device_index() ==
                                      node.assigned_device_index()
               ? reader
               : nullptr;
  }

  static bool IsNchw(const Node& node) {
    const AttrValue* format = node.FindAttr("data_format");
    return format != nullptr && format->s() == "NCHW";
  }

  // Does `add` add a vector to the rows of the result of `product`?
  static bool AddsBias(const GraphPassContext& context, const Node& product,
                       const Node& add) {
    if (!IsPureOnCpu(add)) return false;
    if (add.input_node(0) != &product) return false;
    const std::string& op = add.type_string();
    if (op == "BiasAdd" || op == "BiasAddV1") {
      return IsNchw(add) == IsNchw(product);
    }
    if (op != "Add" || IsNchw(product)) return false;
    const Edge* bias = add.input_edge(1);
    const PartialTensorShape b =
        context.Shape(*bias->src(), bias->src_output());
    const PartialTensorShape p = context.Shape(product, 0);
    return !b.unknown_rank() && b.dims() == 1 && b.dim_size(0) > 0 &&
           !p.unknown_rank() && p.dims() > 1 &&
           p.dim_size(p.dims() - 1) == b.dim_size(0);
  }

  static Status Fuse(GraphPassContext* context, Node* product) {
    if (!IsPureOnCpu(*product) || product->output_type(0) != DT_FLOAT) {
      return OkStatus();
    }
    Node* add = OnlyReader(*context, *product);
    if (add == nullptr || !AddsBias(*context, *product, *add)) {
      return OkStatus();
    }
    std::vector<Node*> members{product, add};
    Node* activation = OnlyReader(*context, *add);
    if (activation != nullptr && IsPureOnCpu(*activation) &&
        IsActivation(activation->type_string())) {
      members.push_back(activation);
    }
    return Replace(context, members);
  }

  static Status Replace(GraphPassContext* context,
                        const std::vector<Node*>& members) {
    Graph* graph = context->graph();
    const Node& product = *members[0];
    Node* last = members.back();
    NodeDef def;
    def.set_op("_Fused" + product.type_string());
    def.set_name(last->name());
    def.set_device(last->requested_device());
    const bool is_conv = product.type_string() == "Conv2D";
    for (const auto& [name, value] : product.def().attr()) {
      const bool taken = is_conv ? name != "use_cudnn_on_gpu"
                                 : name == "T" || name == "transpose_a" ||
                                       name == "transpose_b";
      if (taken && name[0] != '_') (*def.mutable_attr())[name] = value;
    }
    FusedProgramBuilder program(3);
    int value = program.AddStep(product.def(), {0, 1});
    value = program.AddStep(members[1]->def(), {value, 2});
    if (members.size() == 3) value = program.AddStep(last->def(), {value});
    program.AddResult(value);
    program.WriteAttrs(&def);
    Status status;
    Node* fused = graph->AddNode(std::move(def), &status);
    TF_RETURN_IF_ERROR(status);
    fused->set_assigned_device_name(last->assigned_device_name());
    const Edge* inputs[] = {product.input_edge(0), product.input_edge(1),
                            members[1]->input_edge(1)};
    for (int i = 0; i < 3; ++i) {
      graph->AddEdge(inputs[i]->src(), inputs[i]->src_output(), fused, i);
    }
    for (Node* node : members) {
      for (Node* source : ControlInputs(*node)) {
        graph->AddControlEdge(source, fused);
      }
    }
    context->SetShape(*fused, 0, context->Shape(*last, 0));
    ReplaceDataUses(graph, last, 0, fused, 0);
    ReplaceControlUses(graph, last, {fused});
    for (Node* node : members) graph->RemoveNode(node);
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 50, ContractionFusionPass);

}  // namespace
}  // namespace tensorwright
