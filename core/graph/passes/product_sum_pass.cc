// SPDX-License-Identifier: Apache-2.0
// A sum of matrix products is one product of longer matrices:
//   a1 b1 + a2 b2 + ... = [a1 a2 ...] [b1; b2; ...]
// and a sum of BiasAddGrads is the BiasAddGrad of all their rows.  The gradient
// of a weight that several steps share is such a sum: in an unrolled recurrent
// network each step adds a product of few rows to a large matrix.  One product
// reads and writes that matrix once.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def_util.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

bool FlagOf(const Node& node, const char* name) {
  const AttrValue* flag = node.FindAttr(name);
  return flag != nullptr && flag->b();
}

// Terms of one kind, for which one node can stand.
struct Group {
  std::string op;
  std::vector<int> axes;  // For each input: the dimension that terms differ in.
  std::vector<Node*> terms;
};

class ProductSums {
 public:
  explicit ProductSums(GraphPassContext* context)
      : context_(context), graph_(context->graph()) {}

  Status Run() {
    std::vector<int> ids;
    for (const Node* node : graph_->op_nodes()) {
      if (node->type_string() == "AddN") ids.push_back(node->id());
    }
    for (int id : ids) TF_RETURN_IF_ERROR(Merge(graph_->FindNodeId(id)));
    return OkStatus();
  }

 private:
  PartialTensorShape InputShape(const Node& node, int i) const {
    const Edge* e = node.input_edge(i);
    return context_->Shape(*e->src(), e->src_output());
  }

  // Does only the sum read the term?
  bool IsOnlyFor(const Node& term, const Node& sum) const {
    return IsPure(term) && !context_->IsTarget(term) &&
           term.out_edges().size() == 1 && term.num_control_inputs() == 0 &&
           term.assigned_device_index() == sum.assigned_device_index();
  }

  // The dimension of each input that may differ from term to term; empty if
  // this is no term to merge.  All sizes must be known, so that the errors of
  // the user's graph remain errors.
  std::vector<int> AxesOf(const Node& term) const {
    std::vector<int> axes;
    if (term.type_string() == "MatMul") {
      axes = {FlagOf(term, "transpose_a") ? 0 : 1,
              FlagOf(term, "transpose_b") ? 1 : 0};
    } else if (term.type_string() == "BiasAddGrad") {
      const AttrValue* format = term.FindAttr("data_format");
      if (format != nullptr && format->s() == "NCHW") return {};
      axes = {0};
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      const PartialTensorShape shape = InputShape(term, static_cast<int>(i));
      // A variable may have changed by the time the sum is made.
      if (!shape.IsFullyDefined() || shape.dims() != 2 ||
          MayBeVariable(*term.input_node(static_cast<int>(i)))) {
        return {};
      }
    }
    return axes;
  }

  // Is it less work to copy the factors than to write the product and read it
  // again?
  bool IsShort(const Node& term, const std::vector<int>& axes) const {
    int64_t length = 1;
    int64_t copied = 0;
    int64_t product = 1;
    for (size_t i = 0; i < axes.size(); ++i) {
      const PartialTensorShape shape = InputShape(term, static_cast<int>(i));
      length = shape.dim_size(axes[i]);
      copied += shape.dim_size(1 - axes[i]);
      product *= shape.dim_size(1 - axes[i]);
    }
    // A sum of columns has no product; there the cost of a call counts.
    constexpr int64_t kFewElements = 1 << 16;
    if (axes.size() == 1) return length * copied <= kFewElements;
    return length * copied <= product;
  }

  std::vector<Group> GroupsOf(const Node& sum) const {
    std::vector<Group> groups;
    for (int i = 0; i < sum.num_inputs(); ++i) {
      Node* term = sum.input_node(i);
      std::vector<int> axes = AxesOf(*term);
      if (axes.empty() || !IsOnlyFor(*term, sum) || !IsShort(*term, axes)) {
        continue;
      }
      const std::string& op = term->type_string();
      auto group = std::find_if(
          groups.begin(), groups.end(),
          [&](const Group& g) { return g.op == op && g.axes == axes; });
      if (group == groups.end()) {
        group = groups.insert(groups.end(), Group{op, std::move(axes), {}});
      }
      group->terms.push_back(term);
    }
    groups.erase(
        std::remove_if(groups.begin(), groups.end(),
                       [](const Group& g) { return g.terms.size() < 2; }),
        groups.end());
    return groups;
  }

  Status Merge(Node* sum) {
    if (context_->IsTarget(*sum)) return OkStatus();
    for (const Group& group : GroupsOf(*sum)) {
      const bool is_all =
          static_cast<int>(group.terms.size()) == sum->num_inputs();
      const std::string name =
          is_all ? sum->name()
                 : absl::StrCat(group.terms[0]->name(), "/and_",
                                group.terms.size() - 1, "_more");
      TF_ASSIGN_OR_RETURN(Node * merged, AddMerged(group, *sum, name));
      if (is_all) {
        for (Node* source : ControlInputs(*sum)) {
          graph_->AddControlEdge(source, merged);
        }
        TakePlace(sum, merged);
      } else {
        TF_ASSIGN_OR_RETURN(sum, WithMerged(sum, group, merged));
      }
      for (Node* term : group.terms) graph_->RemoveNode(term);
    }
    return OkStatus();
  }

  // The node that stands for the terms of the group; nothing reads it yet.
  StatusOr<Node*> AddMerged(const Group& group, const Node& sum,
                            const std::string& name) {
    const Node& first = *group.terms[0];
    NewNode made(context_, group.op, name, sum);
    made.TakeAttrs(first);
    for (size_t i = 0; i < group.axes.size(); ++i) {
      TF_ASSIGN_OR_RETURN(Node * factor,
                          AddConcat(group, static_cast<int>(i), sum));
      made.Input(factor, 0);
    }
    TF_ASSIGN_OR_RETURN(Node * merged, made.Add());
    context_->SetShape(*merged, 0, context_->Shape(first, 0));
    return merged;
  }

  // Joins input i of all terms.
  StatusOr<Node*> AddConcat(const Group& group, int i, const Node& sum) {
    const int axis = group.axes[i];
    const int n = static_cast<int>(group.terms.size());
    Tensor axis_value(DT_INT32, TensorShape({}));
    *axis_value.base<int32_t>() = axis;
    TF_ASSIGN_OR_RETURN(
        Node * constant,
        AddConstant(context_, graph_->NewName("_axis"), axis_value, sum));
    NewNode made(context_, "ConcatV2",
                 graph_->NewName(absl::StrCat(sum.name(), "/factor")), sum);
    made.Attr("N", n).Attr("T", sum.output_type(0)).Attr("Tidx", DT_INT32);
    int64_t length = 0;
    for (int k = 0; k < n; ++k) {
      made.Input(group.terms[k]->input_edge(i));
      length += InputShape(*group.terms[k], i).dim_size(axis);
    }
    made.Input(constant, 0);
    TF_ASSIGN_OR_RETURN(Node * concat, made.Add());
    const int64_t width = InputShape(*group.terms[0], i).dim_size(1 - axis);
    context_->SetShape(*concat, 0,
                       axis == 0 ? PartialTensorShape({length, width})
                                 : PartialTensorShape({width, length}));
    return concat;
  }

  // Makes a sum of `merged` and of the terms outside the group.
  StatusOr<Node*> WithMerged(Node* sum, const Group& group, Node* merged) {
    NewNode made(context_, "AddN", sum->name(), *sum);
    made.TakeAttrs(*sum).TakeControls(*sum).Input(merged, 0);
    int64_t n = 1;
    for (int i = 0; i < sum->num_inputs(); ++i) {
      const Edge* e = sum->input_edge(i);
      const auto& terms = group.terms;
      if (std::find(terms.begin(), terms.end(), e->src()) != terms.end()) {
        continue;
      }
      made.Input(e);
      ++n;
    }
    made.Attr("N", n);
    TF_ASSIGN_OR_RETURN(Node * rest, made.Add());
    TakePlace(sum, rest);
    return rest;
  }

  void TakePlace(Node* sum, Node* by) {
    context_->SetShape(*by, 0, context_->Shape(*sum, 0));
    ReplaceDataUses(graph_, sum, 0, by, 0);
    ReplaceControlUses(graph_, sum, {by});
    graph_->RemoveNode(sum);
  }

  GraphPassContext* const context_;
  Graph* const graph_;
};

class ProductSumPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "product_sums"; }

  Status Run(GraphPassContext* context) override {
    // In a loop the axes of concatenations would have to belong to its frame.
    if (context->has_control_flow()) return OkStatus();
    return ProductSums(context).Run();
  }
};
// Runs before equal concatenations become one.
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 38, ProductSumPass);

}  // namespace
}  // namespace tensorwright
