// SPDX-License-Identifier: Apache-2.0
// Removes nodes that pass their input through: Identity, StopGradient,
// PreventGradient.  A node stays if it reads a variable (a copy of a reference
// is a point in time), or if it names a branch of a Switch.
//
// Also removes nodes whose value nobody reads and for which others only wait:
// those then wait for its inputs instead.  So the gradient of a network's
// input, which the gates of an optimizer wait for, is not computed.

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

// Is the op run to see whether it fails?
bool IsCheck(const std::string& op) {
  return op == "CheckNumerics" || op == "EnsureShape" || op == "Assert";
}

// Is the node's value there before anything runs?
bool IsThereFromTheStart(const Node& node) {
  return node.IsArg() || (node.IsConstant() && node.in_edges().empty());
}

class DependencyPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "dependencies"; }

  Status Run(GraphPassContext* context) override {
    std::vector<int> pass_through, waited_for;
    for (const Node* node : TopologicalOrder(*context->graph())) {
      if (PassesInputThrough(*node) && IsPure(*node)) {
        pass_through.push_back(node->id());
      }
      if (HasControlUses(*node)) waited_for.push_back(node->id());
    }
    for (int id : pass_through) {
      Node* node = context->graph()->FindNodeId(id);
      if (node != nullptr) BypassNode(context, node, 0);
    }
    // Readers come first, so that nodes which only they read have no reader by
    // then.
    while (!waited_for.empty()) {
      Node* node = context->graph()->FindNodeId(waited_for.back());
      waited_for.pop_back();
      if (node != nullptr) RemoveWaitedFor(context, node);
    }
    return OkStatus();
  }

 private:
  // The nodes that the node waits for itself, and for which others may wait in
  // its place.  False if there are none: one branch of a Switch cannot be
  // waited for.
  static bool FindSources(const Node& node, std::vector<Node*>* sources) {
    for (const Edge* e : node.in_edges()) {
      Node* source = e->src();
      if (!source->IsOp() || IsThereFromTheStart(*source)) continue;
      if (source->IsControlFlow() && !e->IsControlEdge()) return false;
      bool is_new = true;
      for (const Node* other : *sources) is_new &= other != source;
      if (is_new) sources->push_back(source);
    }
    return true;
  }

  // Removes `first`, and then in the same way the nodes that only it has read.
  static void RemoveWaitedFor(GraphPassContext* context, Node* first) {
    absl::InlinedVector<int, 8> candidates{first->id()};
    while (!candidates.empty()) {
      Node* node = context->graph()->FindNodeId(candidates.back());
      candidates.pop_back();
      if (node == nullptr || !HasControlUses(*node) || NumDataUses(*node) > 0 ||
          !IsPure(*node) || context->IsTarget(*node) ||
          IsCheck(node->type_string())) {
        continue;
      }
      std::vector<Node*> sources;
      if (!FindSources(*node, &sources)) continue;
      std::vector<int> inputs;
      for (const Edge* e : node->in_edges()) {
        if (e->src()->IsOp()) inputs.push_back(e->src()->id());
      }
      // There must not be more edges than before, or only a few.
      const size_t before = node->in_edges().size() + node->out_edges().size();
      const size_t after = sources.size() * node->out_edges().size();
      if (after > before + 4) continue;
      ReplaceControlUses(context->graph(), node, sources);
      for (Node* source : sources) candidates.push_back(source->id());
      context->graph()->RemoveNode(node);
      for (int id : inputs) {
        Node* input = context->graph()->FindNodeId(id);
        if (input != nullptr) RemoveUnused(context, input);
      }
    }
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 10, DependencyPass);

}  // namespace
}  // namespace tensorwright
