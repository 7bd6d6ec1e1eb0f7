// SPDX-License-Identifier: Apache-2.0
// The registry of graph passes, their options and their context.
#include "core/graph/passes/graph_passes.h"

#include <map>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "core/framework/attr_value.pb.h"
#include "core/graph/validate.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

struct Registry {
  absl::Mutex mu;
  // By phase, then priority; equal ones in order of registration.
  std::multimap<std::pair<GraphPassPhase, int>, std::unique_ptr<GraphPass>>
      passes ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

Status RunOne(GraphPass* pass, GraphPassContext* context) {
  TF_RETURN_IF_ERROR(pass->Run(context));
  if (!context->options().validate) return OkStatus();
  Status valid = ValidateGraph(*context->graph());
  if (!valid.ok()) errors::AppendToMessage(&valid, "after ", pass->name());
  return valid;
}

}  // namespace

GraphPassOptions GraphPassOptions::None() {
  GraphPassOptions none;
  none.constant_folding = none.arithmetic = none.shapes = false;
  none.dependencies = none.common_subexpressions = false;
  none.contraction_fusion = none.elementwise_fusion = false;
  return none;
}

GraphPassOptions GraphPassOptions::FromConfig(const GraphOptions& config) {
  const OptimizerOptions& optimizer = config.optimizer_options();
  const RewriterConfig& rewrite = config.rewrite_options();
  GraphPassOptions o;
  if (optimizer.opt_level() == OptimizerOptions::L0) {
    o = None();
    o.constant_folding = optimizer.do_constant_folding();
    o.common_subexpressions = optimizer.do_common_subexpression_elimination();
  }
  if (optimizer.max_folded_constant_in_bytes() > 0) {
    o.max_folded_bytes = optimizer.max_folded_constant_in_bytes();
  }
  if (optimizer.global_jit_level() == OptimizerOptions::OFF) {
    o.elementwise_fusion = false;
  }
  if (rewrite.disable_meta_optimizer()) o = None();
  const auto is_off = [](RewriterConfig::Toggle toggle) {
    return toggle == RewriterConfig::OFF;
  };
  if (is_off(rewrite.constant_folding())) o.constant_folding = false;
  if (is_off(rewrite.arithmetic_optimization())) o.arithmetic = false;
  if (is_off(rewrite.shape_optimization())) o.shapes = false;
  if (is_off(rewrite.dependency_optimization())) o.dependencies = false;
  if (is_off(rewrite.common_subgraph_elimination())) {
    o.common_subexpressions = false;
  }
  if (is_off(rewrite.remapping())) {
    o.contraction_fusion = o.elementwise_fusion = false;
  }
  return o;
}

GraphPassContext::GraphPassContext(Graph* graph,
                                   const GraphPassOptions& options,
                                   ShapeFn shapes, std::vector<bool> is_target,
                                   DeviceBase* cpu)
    : graph_(graph),
      options_(options),
      shapes_(std::move(shapes)),
      is_target_(std::move(is_target)),
      cpu_(cpu),
      num_original_ids_(graph->num_node_ids()) {
  for (const Node* node : graph->op_nodes()) {
    if (node->IsControlFlow()) has_control_flow_ = true;
  }
}

PartialTensorShape GraphPassContext::Shape(const Node& node, int output) const {
  const auto it = new_shapes_.find({node.id(), output});
  if (it != new_shapes_.end()) return it->second;
  if (node.id() >= num_original_ids_) return PartialTensorShape();
  return shapes_(node, output);
}

void GraphPassContext::SetShape(const Node& node, int output,
                                PartialTensorShape shape) {
  new_shapes_[{node.id(), output}] = std::move(shape);
}

void GraphPassContext::SetTarget(const Node& node) {
  if (node.id() >= static_cast<int>(is_target_.size())) {
    is_target_.resize(node.id() + 1, false);
  }
  is_target_[node.id()] = true;
}

const Tensor* GraphPassContext::ConstantValue(const Node& node) {
  if (!node.IsConstant()) return nullptr;
  auto [it, is_new] = constants_.try_emplace(node.id());
  if (is_new) {
    const AttrValue* attr = node.FindAttr("value");
    auto value = std::make_unique<Tensor>();
    if (attr != nullptr &&
        Tensor::ParseProto(attr->tensor(), value.get()).ok() &&
        value->dtype() == node.output_type(0)) {
      it->second = std::move(value);
    }
  }
  return it->second.get();
}

void RegisterGraphPass(GraphPassPhase phase, int priority,
                       std::unique_ptr<GraphPass> pass) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->passes.emplace(std::pair(phase, priority), std::move(pass));
}

Status RunGraphPasses(GraphPassPhase phase, GraphPassContext* context) {
  std::vector<GraphPass*> passes;
  {
    Registry* registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    for (const auto& [key, pass] : registry->passes) {
      if (key.first == phase) passes.push_back(pass.get());
    }
  }
  for (GraphPass* pass : passes) TF_RETURN_IF_ERROR(RunOne(pass, context));
  return OkStatus();
}

Status RunGraphPass(absl::string_view name, GraphPassContext* context) {
  GraphPass* found = nullptr;
  {
    Registry* registry = GlobalRegistry();
    absl::MutexLock lock(&registry->mu);
    for (const auto& [key, pass] : registry->passes) {
      if (pass->name() == name) found = pass.get();
    }
  }
  if (found == nullptr) return errors::NotFound("No graph pass ", name);
  return RunOne(found, context);
}

}  // namespace tensorwright
