// SPDX-License-Identifier: Apache-2.0
// Arithmetic identities that keep every bit, NaN, infinities and signed zeros
// included:
//   x * 1, x / 1, x - 0, x + (-0)   -> x
//   x + 0 of integers               -> x
//   -(-x), !!x, Cast to its type    -> x
//   x * x, Pow(x, 2)                -> Square(x)
//   Pow(x, 1)                       -> x
//   x / c                           -> x * (1 / c), c a power of two
// AddV2, which is Add without strings, becomes Add: then code that knows Add
// knows both. x + 0 stays for floats: it turns -0 into 0.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

bool IsFloat(DataType type) { return type == DT_FLOAT || type == DT_DOUBLE; }
bool IsInt(DataType type) { return type == DT_INT32 || type == DT_INT64; }

// The one value of all elements of a constant, bit for bit.
bool UniformValue(const Tensor& t, double* value) {
  if (t.NumElements() == 0 || t.NumElements() > 4096) return false;
  const auto read = [&](const auto* data) {
    for (int64_t i = 1; i < t.NumElements(); ++i) {
      if (std::memcmp(data + i, data, sizeof(*data)) != 0) return false;
    }
    *value = static_cast<double>(*data);
    return true;
  };
  switch (t.dtype()) {
    case DT_FLOAT:
      return read(t.base<float>());
    case DT_DOUBLE:
      return read(t.base<double>());
    case DT_INT32:
      return read(t.base<int32_t>());
    case DT_INT64:  // Only small numbers are compared with anything.
      return read(t.base<int64_t>());
    default:
      return false;
  }
}

bool IsPowerOfTwo(double c) {
  int exponent = 0;
  // Neither c nor 1 / c may be subnormal.
  return std::isfinite(c) && std::fabs(std::frexp(c, &exponent)) == 0.5 &&
         exponent > -120 && exponent < 120;
}

class Simplifier {
 public:
  explicit Simplifier(GraphPassContext* context) : context_(context) {}

  Status Run() {
    for (Node* node : TopologicalOrder(*context_->graph()))
      ids_.push_back(node->id());
    for (int id : ids_) {
      Node* node = context_->graph()->FindNodeId(id);
      if (node == nullptr || !IsPure(*node) || context_->IsTarget(*node) ||
          node->num_outputs() != 1) {
        continue;
      }
      TF_RETURN_IF_ERROR(Simplify(node));
    }
    return OkStatus();
  }

 private:
  Status Simplify(Node* node) {
    if (node->type_string() == "AddV2" && AddTakes(node->output_type(0))) {
      const Edge* x = node->input_edge(0);
      const Edge* y = node->input_edge(1);
      TF_ASSIGN_OR_RETURN(node, ReplaceWithOp(context_, node, "Add",
                                              {{x->src(), x->src_output()},
                                               {y->src(), y->src_output()}}));
    }
    const std::string& op = node->type_string();
    if (op == "Mul" && SameInputs(*node)) return ToSquare(node);
    if (op == "Neg" || op == "LogicalNot") {
      TwiceIsOnce(node);
      return OkStatus();
    }
    if (op == "Cast" && node->input_type(0) == node->output_type(0)) {
      BypassNode(context_, node, 0);
      return OkStatus();
    }
    if (node->num_inputs() != 2) return OkStatus();
    for (int side = 0; side < 2; ++side) {
      const Tensor* constant = context_->ConstantValue(*node->input_node(side));
      double c = 0;
      if (constant == nullptr || !UniformValue(*constant, &c)) continue;
      if (IsNeutral(op, node->output_type(0), side, c) &&
          KeepsShape(*node, 1 - side, *constant)) {
        BypassNode(context_, node, 1 - side);
        return OkStatus();
      }
      if (side == 1 && op == "Pow" && c == 2 && constant->dims() == 0) {
        return ToSquare(node);
      }
      if (side == 1 && (op == "RealDiv" || op == "Div") &&
          IsFloat(node->output_type(0)) && IsPowerOfTwo(c) && c != 1) {
        return ToProduct(node, *constant);
      }
    }
    return OkStatus();
  }

  // Says whether Add has a kernel for a type that AddV2 takes.
  static bool AddTakes(DataType type) {
    return type != DT_UINT16 && type != DT_UINT32 && type != DT_UINT64;
  }

  static bool SameInputs(const Node& node) {
    const Edge* x = node.input_edge(0);
    const Edge* y = node.input_edge(1);
    return x->src() == y->src() && x->src_output() == y->src_output();
  }

  // Is op(x, c) = x (side 1), or op(c, x) = x (side 0)?
  static bool IsNeutral(const std::string& op, DataType type, int side,
                        double c) {
    if (!IsFloat(type) && !IsInt(type)) return false;
    const bool is_zero = c == 0;
    const bool is_minus_zero = is_zero && std::signbit(c);
    if (op == "Mul") return c == 1;
    if (op == "Add") return is_zero && (IsInt(type) || is_minus_zero);
    if (side == 0) return false;
    if (op == "Sub") return is_zero && !is_minus_zero;
    if (op == "RealDiv" || op == "Div") return c == 1;
    return op == "Pow" && c == 1;
  }

  // Has the result the shape of input `i`, whatever that is?
  bool KeepsShape(const Node& node, int i, const Tensor& other) const {
    if (other.dims() == 0) return true;
    const Edge* e = node.input_edge(i);
    TensorShape in, out;
    return context_->Shape(*e->src(), e->src_output()).AsTensorShape(&in) &&
           context_->Shape(node, 0).AsTensorShape(&out) && in == out;
  }

  // op(op(x)) -> x.
  void TwiceIsOnce(Node* node) {
    Node* inner = node->input_node(0);
    if (inner->type_string() != node->type_string() ||
        inner->num_control_inputs() > 0 || node->num_control_inputs() > 0 ||
        HasControlUses(*node) || HasRefTypes(*inner) ||
        inner->assigned_device_index() != node->assigned_device_index()) {
      return;
    }
    const Edge* x = inner->input_edge(0);
    if (MayBeVariable(*x->src())) return;
    ReplaceDataUses(context_->graph(), node, 0, x->src(), x->src_output());
    RemoveUnused(context_, node);
  }

  Status ToSquare(Node* node) {
    const DataType type = node->output_type(0);
    if (!IsFloat(type) && !IsInt(type)) return OkStatus();
    if (context_->has_control_flow() && !SameInputs(*node)) return OkStatus();
    const Edge* x = node->input_edge(0);
    return ReplaceWithOp(context_, node, "Square",
                         {{x->src(), x->src_output()}})
        .status();
  }

  Status ToProduct(Node* node, const Tensor& divisor) {
    Tensor inverse(divisor.dtype(), divisor.shape());
    for (int64_t i = 0; i < divisor.NumElements(); ++i) {
      if (divisor.dtype() == DT_FLOAT) {
        inverse.base<float>()[i] = 1.0f / divisor.base<float>()[i];
      } else {
        inverse.base<double>()[i] = 1.0 / divisor.base<double>()[i];
      }
    }
    Node* const old = node->input_node(1);
    TF_ASSIGN_OR_RETURN(
        Node * constant,
        AddConstant(context_, context_->graph()->NewName("_inverse"), inverse,
                    *node));
    for (Node* source : ControlInputs(*old)) {
      context_->graph()->AddControlEdge(source, constant);
    }
    const Edge* x = node->input_edge(0);
    return ReplaceWithOp(context_, node, "Mul",
                         {{x->src(), x->src_output()}, {constant, 0}})
        .status();
  }

  GraphPassContext* const context_;
  std::vector<int> ids_;
};

class ArithmeticPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "arithmetic"; }

  Status Run(GraphPassContext* context) override {
    return Simplifier(context).Run();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 30, ArithmeticPass);

}  // namespace
}  // namespace tensorwright
