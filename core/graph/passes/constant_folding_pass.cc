// SPDX-License-Identifier: Apache-2.0
// Constant folding: runs pure nodes whose inputs are constants once, when the
// plan is compiled, and replaces them by constants.  Shape, Size and Rank of
// values whose static shape is known are constants, too.
//
// A node that fails here is left alone: it fails again in the run, where the
// error belongs.  A node whose result would be large is left alone, too.
// Folding takes as long as the kernels do, so it stops when nobody wants the
// plan any more.

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/framework/executed_ops.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_properties.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_contract.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/kernel_watch.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

// The node's properties, for a built-in kernel: passes do not see nodes that
// are overridden, so one whose op is was made from another op.
std::shared_ptr<const NodeProperties> ForBuiltInKernel(const Node& node) {
  const auto& props = node.properties();
  if (!IsOverridden(DeviceType(DEVICE_CPU), node.type_string(), node.def())) {
    return props;
  }
  NodeDef def = node.def();
  (*def.mutable_attr())[kBuiltInKernelAttr].set_b(true);
  return std::make_shared<NodeProperties>(
      props->op_def, std::move(def), props->input_types, props->output_types);
}

constexpr int kGraphDefVersion = 24;
// The most elements of inputs of a node whose shape function does not tell the
// size of its result.
constexpr int64_t kMaxElementsOfUnknownSize = 1024;

bool IsFoldableType(DataType type) {
  return !IsRefType(type) && type != DT_RESOURCE && type != DT_VARIANT;
}

class Folder {
 public:
  explicit Folder(GraphPassContext* context)
      : context_(context), graph_(context->graph()) {}

  Status Run() {
    for (Node* node : TopologicalOrder(*graph_)) {
      if (context_->IsTarget(*node) || !IsPure(*node) || !IsOnCpu(*node)) {
        continue;
      }
      TF_RETURN_IF_ERROR(context_->StillWanted());
      std::vector<Tensor> values;
      if (FoldShape(*node, &values)) {
        TF_RETURN_IF_ERROR(Replace(node, values, WaitForInputs(*node)));
      } else if (Evaluate(*node, &values)) {
        TF_RETURN_IF_ERROR(Replace(node, values, WaitForConstants(*node)));
      }
    }
    return OkStatus();
  }

 private:
  // The values of a shape op whose inputs have known shapes.
  bool FoldShape(const Node& node, std::vector<Tensor>* values) const {
    const std::string& op = node.type_string();
    const bool is_shape = op == "Shape" || op == "ShapeN";
    if (!is_shape && op != "Size" && op != "Rank") return false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      // A dead value has no shape, and only its node knows whether it is dead.
      if (context_->has_control_flow() && node.input_node(i)->IsControlFlow()) {
        return false;
      }
      const Edge* e = node.input_edge(i);
      const PartialTensorShape shape =
          context_->Shape(*e->src(), e->src_output());
      TensorShape known;
      if (op == "Rank" ? shape.unknown_rank() : !shape.AsTensorShape(&known)) {
        return false;
      }
      std::vector<int64_t> numbers;
      if (is_shape) {
        numbers.assign(known.dim_sizes().begin(), known.dim_sizes().end());
      } else {
        numbers = {op == "Rank" ? shape.dims() : known.num_elements()};
      }
      Tensor& value = values->emplace_back(
          node.output_type(i),
          is_shape ? TensorShape({known.dims()}) : TensorShape());
      for (size_t k = 0; k < numbers.size(); ++k) {
        if (value.dtype() == DT_INT64) {
          value.base<int64_t>()[k] = numbers[k];
        } else if (numbers[k] <= std::numeric_limits<int32_t>::max()) {
          value.base<int32_t>()[k] = static_cast<int32_t>(numbers[k]);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  // The nodes that a folded shape op waited for, as far as it matters, since
  // they tell whether its input is dead.
  std::vector<Node*> WaitForInputs(const Node& node) const {
    std::vector<Node*> waits = ControlInputs(node);
    if (!context_->has_control_flow()) return waits;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!node.input_node(i)->IsArg()) waits.push_back(node.input_node(i));
    }
    return waits;
  }

  static std::vector<Node*> WaitForConstants(const Node& node) {
    std::vector<Node*> waits = ControlInputs(node);
    for (int i = 0; i < node.num_inputs(); ++i) {
      for (Node* source : ControlInputs(*node.input_node(i))) {
        waits.push_back(source);
      }
    }
    return waits;
  }

  // Runs the node's kernel if all inputs are constants.
  bool Evaluate(const Node& node, std::vector<Tensor>* values) const {
    if (node.IsConstant() || node.num_inputs() == 0 ||
        node.num_outputs() == 0 || context_->cpu() == nullptr) {
      return false;
    }
    absl::InlinedVector<TensorValue, 4> inputs;
    std::vector<TensorShape> shapes;
    std::vector<const Tensor*> tensors;
    int64_t input_elements = 0;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Tensor* value = context_->ConstantValue(*node.input_node(i));
      if (value == nullptr) return false;
      inputs.emplace_back(const_cast<Tensor*>(value));  // Kernels only read it.
      shapes.push_back(value->shape());
      tensors.push_back(value);
      input_elements += value->NumElements();
    }
    if (!IsWorthwhile(node, shapes, tensors, input_elements)) return false;
    OpKernel* made = nullptr;
    DeviceBase* cpu = context_->cpu();
    Status created;
    WatchKernel(node.def(), nullptr, [&] {
      created = CreateOpKernel(
          DeviceType(DEVICE_CPU), cpu, cpu->GetAllocator(AllocatorAttributes()),
          /*flib=*/nullptr, ForBuiltInKernel(node), kGraphDefVersion, &made);
    });
    if (!created.ok()) return false;
    const std::unique_ptr<OpKernel> kernel(made);
    if (kernel->AsAsync() != nullptr) return false;
    absl::InlinedVector<OutputSlot, 4> outputs(node.num_outputs());
    OpKernelContext::Params params;
    params.op_kernel = kernel.get();
    params.device = cpu;
    params.inputs = absl::MakeSpan(inputs);
    params.outputs = absl::MakeSpan(outputs);
    OpKernelContext context(&params);
    // A user's kernel may throw; the run will report it.
    try {
      WatchKernel(node.def(), &params, [&] { kernel->Compute(&context); });
    } catch (...) {
      return false;
    }
    if (!context.status().ok()) return false;
    if (kNotesExecutedOps) [[unlikely]]
      NoteExecutedOp(*kernel);
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Tensor* value = outputs[i].tensor;
      if (value == nullptr || value->dtype() != node.output_type(i) ||
          static_cast<int64_t>(value->TotalBytes()) >
              context_->options().max_folded_bytes) {
        return false;
      }
      values->push_back(*value);
    }
    return true;
  }

  // Are the types foldable, and is the result of bounded size, as far as can be
  // told beforehand?
  bool IsWorthwhile(const Node& node, const std::vector<TensorShape>& shapes,
                    const std::vector<const Tensor*>& tensors,
                    int64_t input_elements) const {
    for (DataType type : node.input_types()) {
      if (!IsFoldableType(type)) return false;
    }
    std::vector<PartialTensorShape> outputs;
    bool used_values = false;
    if (!RunShapeFn(node.op_registration(), AttrSlice(node.def()), shapes,
                    tensors, &outputs, &used_values)
             .ok()) {
      return false;
    }
    int64_t bytes = 0;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!IsFoldableType(node.output_type(i))) return false;
      TensorShape shape;
      if (outputs[i].AsTensorShape(&shape)) {
        bytes += shape.num_elements() *
                 std::max<int64_t>(1, DataTypeSize(node.output_type(i)));
      } else if (input_elements > kMaxElementsOfUnknownSize) {
        return false;
      }
    }
    return bytes <= context_->options().max_folded_bytes;
  }

  // Replaces the node by constants that wait for `waits`.
  Status Replace(Node* node, const std::vector<Tensor>& values,
                 const std::vector<Node*>& waits) {
    std::vector<int> inputs;
    for (const Edge* e : node->in_edges()) {
      if (e->src()->IsOp()) inputs.push_back(e->src()->id());
    }
    const bool is_only = node->num_outputs() == 1;
    const std::vector<int> uses = DataUsesByOutput(*node);
    std::vector<OutputRef> constants(node->num_outputs());
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (uses[i] == 0) continue;
      TF_ASSIGN_OR_RETURN(
          Node * constant,
          AddConstant(context_,
                      is_only ? node->name()
                              : absl::StrCat(node->name(), "/_folded_", i),
                      values[i], *node));
      for (Node* source : waits) graph_->AddControlEdge(source, constant);
      constants[i] = {constant, 0};
    }
    ReplaceDataUses(graph_, node, constants);
    ReplaceControlUses(graph_, node, waits);
    graph_->RemoveNode(node);
    for (int id : inputs) {
      if (Node* input = graph_->FindNodeId(id)) RemoveUnused(context_, input);
    }
    return OkStatus();
  }

  GraphPassContext* const context_;
  Graph* const graph_;
};

class ConstantFoldingPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "constant_folding"; }

  Status Run(GraphPassContext* context) override {
    return Folder(context).Run();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 20, ConstantFoldingPass);

}  // namespace
}  // namespace tensorwright
