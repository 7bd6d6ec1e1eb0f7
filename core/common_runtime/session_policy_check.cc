// SPDX-License-Identifier: Apache-2.0
// SessionPolicy: what it says of graphs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/function_calls.h"
#include "core/common_runtime/session_policy.h"
#include "core/framework/function.h"
#include "core/framework/function.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/op.h"
#include "core/graph/graph.h"
#include "core/graph/graph_budget.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// Goes through nodes and, once each, the functions that they name.
class PolicyGraphCheck {
 public:
  using Callers = SessionPolicy::Callers;

  // `functions` may be null.
  PolicyGraphCheck(const SessionPolicy& policy,
                   const FunctionLibraryDefinition* functions)
      : policy_(policy), functions_(functions) {}

  Status Check(const NodeDef& node, const OpRegistrationData& op) {
    Status status = policy_.CheckNode(node, op, "");
    if (status.ok() && functions_ != nullptr) status = CheckCallees(node);
    return errors::AttachNode(status, node.name());
  }

  // Checks function `name` and all that it calls.  `caller` is for messages.
  Status CheckFunction(const std::string& name, absl::string_view caller,
                       Callers callers = Callers::kNodes) {
    // No recursion: strangers nest calls as deep as they like.
    Calls left = {{name, callers}};
    while (!left.empty()) {
      const auto [next, by] = std::move(left.back());
      left.pop_back();
      if (!seen_.emplace(next, by).second) continue;
      const std::shared_ptr<const FunctionDef> def = functions_->Find(next);
      if (def == nullptr) continue;
      TF_RETURN_IF_ERROR(CheckBody(
          *def, absl::StrCat(" of function '", next, "'", caller), by, &left));
      for (std::string& callee : FunctionsNamedBy(*functions_, *def)) {
        left.emplace_back(std::move(callee), by);
      }
    }
    return OkStatus();
  }

 private:
  using Calls = std::vector<std::pair<std::string, Callers>>;

  // Adds to `calls` those whose callers the node makes others than `by`.
  Status CheckBody(const FunctionDef& def, absl::string_view where, Callers by,
                   Calls* calls) {
    for (const NodeDef& node : def.node_def()) {
      const OpRegistrationData* op = nullptr;
      // An op that nobody knows fails when the function is instantiated.
      if (!functions_->LookUp(node.op(), &op).ok()) continue;
      TF_RETURN_IF_ERROR(policy_.CheckNode(node, *op, where));
      if (!policy_.proto().deterministic()) continue;
      TF_RETURN_IF_ERROR(policy_.CheckCalled(node, *op, by, where));
      const Callers inner = SessionPolicy::CallersOf(node, by);
      if (inner == by) continue;
      for (std::string& callee : FunctionsNamedBy(*functions_, node)) {
        calls->emplace_back(std::move(callee), inner);
      }
    }
    return OkStatus();
  }

  Status CheckCallees(const NodeDef& node) {
    for (const std::string& name : FunctionsNamedBy(*functions_, node)) {
      if (policy_.proto().max_function_depth() > 0) {
        int depth = 0;
        TF_RETURN_IF_ERROR(MeasureCalls(*functions_, name, &depth));
        TF_RETURN_IF_ERROR(policy_.CheckCallDepth(name, depth - 1));
      }
      TF_RETURN_IF_ERROR(
          CheckFunction(name,
                        absl::StrCat(", which node '", node.name(), "' (",
                                     node.op(), ") calls,"),
                        SessionPolicy::CallersOf(node, Callers::kNodes)));
    }
    return OkStatus();
  }

  const SessionPolicy& policy_;
  const FunctionLibraryDefinition* const functions_;
  absl::flat_hash_set<std::pair<std::string, Callers>> seen_;
};

namespace {

// Counts nodes and the bytes of constants.
class SizeCheck {
 public:
  explicit SizeCheck(const SessionPolicy& policy)
      : policy_(policy),
        most_nodes_(policy.proto().max_nodes()),
        most_bytes_(policy.proto().max_constant_bytes()) {}

  bool is_needed() const { return most_nodes_ > 0 || most_bytes_ > 0; }

  Status Add(const NodeDef& node) {
    ++nodes_;
    if (most_nodes_ > 0 && nodes_ > most_nodes_) {
      return errors::AttachNode(
          errors::ResourceExhausted(
              "Node '", node.name(), "' (", node.op(),
              ") is one too many for graph and functions together: ",
              policy_.Because(absl::StrCat("max_nodes: ", most_nodes_))),
          node.name());
    }
    if (most_bytes_ == 0) return OkStatus();
    const int64_t bytes = TensorAttrBytes(node);
    if (bytes > most_bytes_ - bytes_) {
      return errors::AttachNode(
          errors::ResourceExhausted(
              "Node '", node.name(), "' (", node.op(), ") has constants of ",
              bytes, " bytes, and those before it have ", bytes_, ": ",
              policy_.Because(
                  absl::StrCat("max_constant_bytes: ", most_bytes_))),
          node.name());
    }
    bytes_ += bytes;
    return OkStatus();
  }

  Status AddFunctions(const FunctionLibraryDefinition& functions) {
    for (const std::string& name : functions.ListFunctionNames()) {
      const std::shared_ptr<const FunctionDef> def = functions.Find(name);
      if (def == nullptr) continue;
      for (const NodeDef& node : def->node_def()) {
        TF_RETURN_IF_ERROR(Add(node));
      }
    }
    return OkStatus();
  }

 private:
  const SessionPolicy& policy_;
  const int64_t most_nodes_;
  const int64_t most_bytes_;
  int64_t nodes_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace

Status SessionPolicy::CheckGraph(
    const Graph& graph, const FunctionLibraryDefinition* functions) const {
  PolicyGraphCheck check(*this, functions);
  for (const Node* node : graph.op_nodes()) {
    TF_RETURN_IF_ERROR(check.Check(node->def(), node->op_registration()));
  }
  return OkStatus();
}

Status SessionPolicy::CheckWhole(
    const Graph& graph, const FunctionLibraryDefinition& functions) const {
  SizeCheck size(*this);
  if (size.is_needed()) {
    for (const Node* node : graph.op_nodes()) {
      TF_RETURN_IF_ERROR(size.Add(node->def()));
    }
    TF_RETURN_IF_ERROR(size.AddFunctions(functions));
  }
  if (!proto_.whole_graph()) return OkStatus();
  TF_RETURN_IF_ERROR(CheckGraph(graph, &functions));
  PolicyGraphCheck check(*this, &functions);
  for (const std::string& name : functions.ListFunctionNames()) {
    TF_RETURN_IF_ERROR(check.CheckFunction(name, ""));
  }
  return OkStatus();
}

Status SessionPolicy::CheckGraphDef(const GraphDef& def,
                                    const OpRegistryInterface& ops) const {
  FunctionLibraryDefinition functions(&ops);
  TF_RETURN_IF_ERROR(functions.AddLibrary(def.library()));
  SizeCheck size(*this);
  PolicyGraphCheck check(*this, &functions);
  for (const NodeDef& node : def.node()) {
    TF_RETURN_IF_ERROR(size.Add(node));
    const OpRegistrationData* op = nullptr;
    TF_RETURN_IF_ERROR(
        errors::AttachNode(functions.LookUp(node.op(), &op), node.name()));
    TF_RETURN_IF_ERROR(check.Check(node, *op));
  }
  for (const FunctionDef& function : def.library().function()) {
    for (const NodeDef& node : function.node_def()) {
      TF_RETURN_IF_ERROR(size.Add(node));
    }
    TF_RETURN_IF_ERROR(check.CheckFunction(function.signature().name(), ""));
  }
  return OkStatus();
}

}  // namespace tensorwright
