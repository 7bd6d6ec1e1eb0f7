// SPDX-License-Identifier: Apache-2.0
// Removes reshapes, transposes and sums that do nothing, if the static shapes
// prove it:
//   Reshape, Squeeze, ExpandDims to the shape it has  -> x
//   Reshape(Reshape(x))                               -> Reshape(x)
//   Transpose by the identity                         -> x
//   Transpose(Transpose(x, p), q)                     -> Transpose(x, p[q])
//   Sum, Mean, Max, Min, Prod over no dimension       -> x

#include <cstdint>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

bool IsReshape(const std::string& op) {
  return op == "Reshape" || op == "Squeeze" || op == "ExpandDims";
}
bool IsReduction(const std::string& op) {
  return op == "Sum" || op == "Mean" || op == "Max" || op == "Min" ||
         op == "Prod";
}

// A permutation that a constant gives.
bool ReadPermutation(const Tensor& t, std::vector<int64_t>* perm) {
  if (t.dims() != 1) return false;
  const int64_t n = t.NumElements();
  std::vector<bool> seen(n, false);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t p = t.dtype() == DT_INT32   ? t.base<int32_t>()[i]
                      : t.dtype() == DT_INT64 ? t.base<int64_t>()[i]
                                              : -1;
    if (p < 0 || p >= n || seen[p]) return false;
    seen[p] = true;
    perm->push_back(p);
  }
  return true;
}

class Cleaner {
 public:
  explicit Cleaner(GraphPassContext* context) : context_(context) {}

  Status Run() {
    std::vector<int> ids;
    for (Node* node : TopologicalOrder(*context_->graph())) {
      const std::string& op = node->type_string();
      if (IsReshape(op) || IsReduction(op) || op == "Transpose") {
        ids.push_back(node->id());
      }
    }
    for (int id : ids) {
      Node* node = context_->graph()->FindNodeId(id);
      if (node == nullptr || !IsPure(*node) || context_->IsTarget(*node)) {
        continue;
      }
      TF_RETURN_IF_ERROR(Clean(node));
    }
    return OkStatus();
  }

 private:
  Status Clean(Node* node) {
    if (IsReduction(node->type_string())) {
      CleanReduction(node);
      return OkStatus();
    }
    if (node->type_string() == "Transpose") return CleanTranspose(node);
    TensorShape in, out;
    const Edge* x = node->input_edge(0);
    if (!context_->Shape(*x->src(), x->src_output()).AsTensorShape(&in) ||
        !context_->Shape(*node, 0).AsTensorShape(&out)) {
      return OkStatus();
    }
    if (in == out) {
      Bypass(node);
    } else if (node->type_string() == "Reshape") {
      SkipInnerReshape(node);
    }
    return OkStatus();
  }

  // Drops the other inputs first: they only told what is known already.
  void Bypass(Node* node) {
    if (context_->has_control_flow() && !OtherInputsAreLive(*node)) return;
    const Edge* in = node->input_edge(0);
    if (context_->IsTarget(*node) || node->num_control_inputs() > 0 ||
        HasControlUses(*node) ||
        IsRefType(in->src()->output_type(in->src_output())) ||
        (!SharesBuffer(*node) && MayBeVariable(*in->src())) ||
        in->src()->assigned_device_index() != node->assigned_device_index()) {
      return;
    }
    ReplaceDataUses(context_->graph(), node, 0, in->src(), in->src_output());
    RemoveUnused(context_, node);
  }

  // Constants without control inputs are never dead.
  static bool OtherInputsAreLive(const Node& node) {
    for (int i = 1; i < node.num_inputs(); ++i) {
      const Node* other = node.input_node(i);
      if (!other->IsConstant() || other->num_control_inputs() > 0) return false;
    }
    return true;
  }

  void CleanReduction(Node* node) {
    const Tensor* axes = context_->ConstantValue(*node->input_node(1));
    if (axes != nullptr && axes->NumElements() == 0) Bypass(node);
  }

  // The inner one is known to work if all shapes are known.
  void SkipInnerReshape(Node* node) {
    Node* inner = node->input_node(0);
    if (!IsReshape(inner->type_string()) || !IsPure(*inner) ||
        inner->num_control_inputs() > 0 ||
        (context_->has_control_flow() && !OtherInputsAreLive(*inner))) {
      return;
    }
    const Edge* x = inner->input_edge(0);
    TensorShape shape;
    if (x->src()->assigned_device_index() != node->assigned_device_index() ||
        !context_->Shape(*x->src(), x->src_output()).AsTensorShape(&shape)) {
      return;
    }
    context_->graph()->UpdateEdge(x->src(), x->src_output(), node, 0);
    RemoveUnused(context_, inner);
  }

  Status CleanTranspose(Node* node) {
    std::vector<int64_t> perm;
    const Tensor* value = context_->ConstantValue(*node->input_node(1));
    if (value == nullptr || !ReadPermutation(*value, &perm)) return OkStatus();
    const DataType type = value->dtype();
    Node* inner = node->input_node(0);
    std::vector<int64_t> inner_perm;
    const Tensor* inner_value =
        inner->type_string() == "Transpose" && IsPure(*inner) &&
                inner->num_control_inputs() == 0
            ? context_->ConstantValue(*inner->input_node(1))
            : nullptr;
    if (inner_value != nullptr && inner_value->dtype() == type &&
        ReadPermutation(*inner_value, &inner_perm) &&
        inner_perm.size() == perm.size() &&
        !MayBeVariable(*inner->input_node(0)) &&
        (!context_->has_control_flow() ||
         (OtherInputsAreLive(*inner) && OtherInputsAreLive(*node)))) {
      for (int64_t& p : perm) p = inner_perm[p];
      const Edge* x = inner->input_edge(0);
      TF_RETURN_IF_ERROR(SetPermutation(node, perm, type));
      context_->graph()->UpdateEdge(x->src(), x->src_output(), node, 0);
      RemoveUnused(context_, inner);
    }
    if (MovesNothing(*node, perm)) Bypass(node);
    return OkStatus();
  }

  Status SetPermutation(Node* node, const std::vector<int64_t>& perm,
                        DataType type) {
    Tensor value(type, {static_cast<int64_t>(perm.size())});
    for (size_t i = 0; i < perm.size(); ++i) {
      if (type == DT_INT32) {
        value.base<int32_t>()[i] = static_cast<int32_t>(perm[i]);
      } else {
        value.base<int64_t>()[i] = perm[i];
      }
    }
    Node* old = node->input_node(1);
    TF_ASSIGN_OR_RETURN(
        Node * constant,
        AddConstant(context_, context_->graph()->NewName("_perm"), value,
                    *node));
    context_->graph()->UpdateEdge(constant, 0, node, 1);
    RemoveUnused(context_, old);
    return OkStatus();
  }

  // Does the data stay in place and unchanged?  The rank must be right for
  // that.
  bool MovesNothing(const Node& node, const std::vector<int64_t>& perm) const {
    const Edge* x = node.input_edge(0);
    const PartialTensorShape in = context_->Shape(*x->src(), x->src_output());
    if (in.unknown_rank() || in.dims() != static_cast<int>(perm.size())) {
      return false;
    }
    for (size_t i = 0; i < perm.size(); ++i) {
      if (perm[i] != static_cast<int64_t>(i)) return false;
    }
    return true;
  }

  GraphPassContext* const context_;
};

class ShapeCleanupPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "shapes"; }

  Status Run(GraphPassContext* context) override {
    return Cleaner(context).Run();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 35, ShapeCleanupPass);

}  // namespace
}  // namespace tensorwright
