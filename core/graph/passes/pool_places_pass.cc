// SPDX-License-Identifier: Apache-2.0
// Makes a max pool whose gradient is taken in the same run keep the positions
// of its maxima, in a byte each: then the gradient need not read the input
// again, which is several times as large.

#include <string>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace {

const std::vector<std::string>& PoolAttrs() {
  static const auto* names = new std::vector<std::string>{
      "T", "ksize", "strides", "padding", "explicit_paddings", "data_format"};
  return *names;
}

// The kernel of _MaxPool makes these conditions.
bool MayKeepPlaces(const Node& pool) {
  WindowAttrs attrs;
  return pool.output_type(0) == DT_FLOAT &&
         ReadPoolAttrs(WindowAttrSource(pool.def()), 4, &attrs).ok() &&
         HasPlaces(attrs);
}

bool HaveEqualAttrs(const Node& a, const Node& b) {
  for (const std::string& name : PoolAttrs()) {
    const AttrValue* in_a = a.FindAttr(name.c_str());
    const AttrValue* in_b = b.FindAttr(name.c_str());
    if (in_a == nullptr || in_b == nullptr ||
        !AreAttrValuesEqual(*in_a, *in_b)) {
      return false;
    }
  }
  return true;
}

bool IsGradOf(const Node& node, const Node& pool) {
  if (node.type_string() != "MaxPoolGrad" ||
      node.assigned_device_index() != pool.assigned_device_index()) {
    return false;
  }
  const Edge* x = node.input_edge(0);
  const Edge* y = node.input_edge(1);
  const Edge* pooled = pool.input_edge(0);
  return y->src() == &pool && x->src() == pooled->src() &&
         x->src_output() == pooled->src_output() && HaveEqualAttrs(node, pool);
}

class PoolPlacesPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "pool_places"; }

  Status Run(GraphPassContext* context) override {
    std::vector<Node*> pools;
    for (Node* node : context->graph()->op_nodes()) {
      if (node->type_string() == "MaxPool" && IsOnCpu(*node) &&
          MayKeepPlaces(*node)) {
        pools.push_back(node);
      }
    }
    for (Node* pool : pools) TF_RETURN_IF_ERROR(KeepPlaces(context, pool));
    return OkStatus();
  }

 private:
  static Status KeepPlaces(GraphPassContext* context, Node* pool) {
    std::vector<Node*> grads;
    for (const Edge* e : pool->out_edges()) {
      if (!e->IsControlEdge() && e->dst_input() == 1 &&
          IsGradOf(*e->dst(), *pool)) {
        grads.push_back(e->dst());
      }
    }
    if (grads.empty()) return OkStatus();
    const Edge* in = pool->input_edge(0);
    Node* const x = in->src();
    const int x_output = in->src_output();
    TF_ASSIGN_OR_RETURN(
        Node * kept,
        ReplaceWithOp(context, pool, "_MaxPool", {{x, x_output}}, PoolAttrs()));
    for (Node* grad : grads) {
      const Edge* dy = grad->input_edge(2);
      TF_RETURN_IF_ERROR(
          ReplaceWithOp(
              context, grad, "_MaxPoolGrad",
              {{x, x_output}, {kept, 1}, {dy->src(), dy->src_output()}},
              PoolAttrs())
              .status());
    }
    return OkStatus();
  }
};
// Runs after the merging of equal nodes, and before the passes that fuse pools'
// neighbours.
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 42, PoolPlacesPass);

}  // namespace
}  // namespace tensorwright
