// SPDX-License-Identifier: Apache-2.0
// The registry of graph passes, their options and their context.
#include "core/graph/passes/graph_passes.h"

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
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
  absl::flat_hash_set<std::string> others ABSL_GUARDED_BY(mu);
};

Registry* GlobalRegistry() {
  static Registry* registry = new Registry;
  return registry;
}

bool IsOther(const std::string& name) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  return registry->others.contains(name);
}

// The passes that one field of RewriterConfig turns off.
struct Group {
  absl::string_view name;  // TensorFlow's word for it, in `optimizers`.
  RewriterConfig::Toggle (RewriterConfig::*toggle)() const;
  std::vector<absl::string_view> passes;
};

const std::vector<Group>& Groups() {
  using Config = RewriterConfig;
  static const auto* groups = new std::vector<Group>{
      {"constfold",
       &Config::constant_folding,
       {"constant_folding", "kept_filters"}},
      {"arithmetic", &Config::arithmetic_optimization, {"arithmetic"}},
      {"shape", &Config::shape_optimization, {"shapes"}},
      {"dependency", &Config::dependency_optimization, {"dependencies"}},
      {"common_subgraph_elimination",
       &Config::common_subgraph_elimination,
       {"common_subexpressions"}},
      {"remap",
       &Config::remapping,
       {"product_sums", "pool_places", "batch_norm_folding",
        "contraction_fusion", "update_fusion", "elementwise_fusion"}}};
  return *groups;
}

void SetAll(const Group& group, bool on, GraphPassOptions* options) {
  for (absl::string_view pass : group.passes) options->Set(pass, on);
}

// `base` with only those passes on that `names` has, by their own names or by
// their groups'.
template <typename Names>
GraphPassOptions Named(const Names& names, const GraphPassOptions& base) {
  const std::vector<std::string> passes = GraphPassNames();
  GraphPassOptions named = GraphPassOptions::None();
  named.max_folded_bytes = base.max_folded_bytes;
  for (const std::string& name : names) {
    bool known = absl::c_linear_search(passes, name);
    if (known) named.Set(name, true);
    for (const Group& group : Groups()) {
      if (group.name != name) continue;
      known = true;
      SetAll(group, true, &named);
    }
    if (!known && !IsOther(name)) {
      LOG(WARNING) << "rewrite_options.optimizers: there is no pass " << name
                   << " here; there are " << absl::StrJoin(passes, ", ");
    }
  }
  return named;
}

Status RunOne(GraphPass* pass, GraphPassContext* context) {
  TF_RETURN_IF_ERROR(context->StillWanted());
  TF_RETURN_IF_ERROR(pass->Run(context));
  if (!context->options().validate) return OkStatus();
  Status valid = ValidateGraph(*context->graph());
  if (!valid.ok()) errors::AppendToMessage(&valid, "after ", pass->name());
  return valid;
}

}  // namespace

GraphPassOptions GraphPassOptions::None() {
  GraphPassOptions none;
  none.all_ = false;
  return none;
}

GraphPassOptions GraphPassOptions::FromConfig(const GraphOptions& config) {
  const OptimizerOptions& optimizer = config.optimizer_options();
  const RewriterConfig& rewrite = config.rewrite_options();
  GraphPassOptions o;
  if (optimizer.opt_level() == OptimizerOptions::L0) {
    o = None();
    for (const Group& group : Groups()) {
      const bool on =
          (group.name == "constfold" && optimizer.do_constant_folding()) ||
          (group.name == "common_subgraph_elimination" &&
           optimizer.do_common_subexpression_elimination());
      if (on) SetAll(group, true, &o);
    }
  }
  if (optimizer.max_folded_constant_in_bytes() > 0) {
    o.max_folded_bytes = optimizer.max_folded_constant_in_bytes();
  }
  if (rewrite.disable_meta_optimizer()) o = None();
  if (rewrite.optimizers_size() > 0) o = Named(rewrite.optimizers(), o);
  for (const Group& group : Groups()) {
    if ((rewrite.*group.toggle)() == RewriterConfig::OFF) {
      SetAll(group, false, &o);
    }
  }
  if (optimizer.global_jit_level() == OptimizerOptions::OFF) {
    o.Set("elementwise_fusion", false);
    o.Set("update_fusion", false);
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

void NoteOtherOptimizer(const std::string& name) {
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  registry->others.insert(name);
}

std::vector<std::string> GraphPassNames() {
  std::vector<std::string> names;
  Registry* registry = GlobalRegistry();
  absl::MutexLock lock(&registry->mu);
  for (const auto& [key, pass] : registry->passes) {
    names.emplace_back(pass->name());
  }
  return names;
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
  for (GraphPass* pass : passes) {
    if (!context->options().IsOn(pass->name())) continue;
    TF_RETURN_IF_ERROR(RunOne(pass, context));
  }
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
