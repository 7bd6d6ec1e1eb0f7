// SPDX-License-Identifier: Apache-2.0
// Keeps graph passes away from nodes whose built-in kernel a library overrides.
//
// Passes know by its name what an op computes, and put other nodes in its
// place; whoever loads a library to override a kernel wants that kernel to run.
// So while the passes run, such nodes are of an op that no pass knows and that
// has state: nothing can be done with them.
#include <memory>
#include <utility>
#include <vector>

#include "core/common_runtime/optimize_graph.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_properties.h"
#include "core/framework/op_registration.h"
#include "core/graph/passes/pass_util.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

// The op of hidden nodes; no registry has it.
const OpRegistrationData& HiddenOp() {
  static const OpRegistrationData* const op = [] {
    auto* made = new OpRegistrationData;
    made->op_def.set_name("_Overridden");
    made->op_def.set_is_stateful(true);
    return made;
  }();
  return *op;
}

// Puts a node of another op, with the same name, attrs and types, in the place
// of `node`.
Node* ChangeOp(Graph* graph, Node* node, const OpRegistrationData* op) {
  NodeDef def = node->def();
  def.set_op(op->op_def.name());
  auto props = std::make_shared<NodeProperties>(
      &op->op_def, std::move(def), node->input_types(), node->output_types());
  Node* made = graph->AddNode(std::move(props), op);
  made->set_assigned_device_name(node->assigned_device_name());
  for (const Edge* edge : node->in_edges()) {
    graph->AddEdge(edge->src(), edge->src_output(), made, edge->dst_input());
  }
  const std::vector<const Edge*> outs(node->out_edges().begin(),
                                      node->out_edges().end());
  for (const Edge* edge : outs) {
    Node* const reader = edge->dst();
    const int output = edge->src_output();
    const int input = edge->dst_input();
    graph->RemoveEdge(edge);
    graph->AddEdge(made, output, reader, input);
  }
  graph->RemoveNode(node);
  return made;
}

class OverriddenNodes {
 public:
  // Borrows the context, and hides the overridden nodes of its graph.
  explicit OverriddenNodes(GraphPassContext* context);
  // Brings them back; called once, after the passes.
  void Restore();

 private:
  struct Hidden {
    int id;
    const OpRegistrationData* op;
  };

  GraphPassContext* const context_;
  int first_new_id_ = 0;
  std::vector<Hidden> hidden_;
};

OverriddenNodes::OverriddenNodes(GraphPassContext* context)
    : context_(context) {
  Graph* const graph = context->graph();
  std::vector<Node*> overridden;
  for (Node* node : graph->op_nodes()) {
    if (IsOverridden(*node)) overridden.push_back(node);
  }
  for (Node* node : overridden) {
    std::vector<PartialTensorShape> shapes;
    for (int i = 0; i < node->num_outputs(); ++i) {
      shapes.push_back(context->Shape(*node, i));
    }
    const bool is_target = context->IsTarget(*node);
    const OpRegistrationData* const op = &node->op_registration();
    Node* const made = ChangeOp(graph, node, &HiddenOp());
    for (int i = 0; i < made->num_outputs(); ++i) {
      context->SetShape(*made, i, std::move(shapes[i]));
    }
    if (is_target) context->SetTarget(*made);
    hidden_.push_back({made->id(), op});
  }
  first_new_id_ = graph->num_node_ids();
}

void OverriddenNodes::Restore() {
  Graph* const graph = context_->graph();
  AttrValue yes;
  yes.set_b(true);
  for (Node* node : graph->op_nodes()) {
    if (node->id() >= first_new_id_ && IsOverridden(*node)) {
      node->SetAttr(kBuiltInKernelAttr, yes);
    }
  }
  for (const Hidden& hidden : hidden_) {
    Node* const node = graph->FindNodeId(hidden.id);
    if (node != nullptr) ChangeOp(graph, node, hidden.op);
  }
}

}  // namespace

bool IsOverridden(const Node& node) {
  // Most processes load no library, and then this is quick.
  if (!HasLibraryKernel(node.type_string())) return false;
  DeviceNameUtils::ParsedName device;
  return DeviceNameUtils::ParseFullName(node.assigned_device_name(), &device) &&
         IsOverridden(DeviceType(device.type), node.type_string(), node.def());
}

bool HasOverriddenStructure(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    if ((node->IsControlFlow() || node->IsConstant()) && IsOverridden(*node)) {
      return true;
    }
  }
  return false;
}

Status RunPassesBesideOverridden(GraphPassContext* context) {
  OverriddenNodes overridden(context);
  TF_RETURN_IF_ERROR(RunGraphPasses(GraphPassPhase::kPostPlacement, context));
  overridden.Restore();
  return OkStatus();
}

}  // namespace tensorwright
