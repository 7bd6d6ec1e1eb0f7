// SPDX-License-Identifier: Apache-2.0
// Merges nodes that compute the same: pure ones of one op, with equal attrs,
// device, inputs and control inputs.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/tensor.pb.h"
#include "core/graph/algorithm.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

// Larger constants are not compared.
constexpr size_t kMaxConstantBytes = 256;

// The parts in which two nodes must agree, besides their attrs.
struct Signature {
  const std::string* op = nullptr;
  int device = 0;
  absl::InlinedVector<std::pair<int, int>, 3> inputs;  // Node id, output.
  absl::InlinedVector<int, 1> controls;
  // The hash of a constant's value, so that few constants of one dtype and
  // shape are compared.
  uint64_t value_hash = 0;

  friend bool operator==(const Signature& a, const Signature& b) {
    return *a.op == *b.op && a.device == b.device && a.inputs == b.inputs &&
           a.controls == b.controls && a.value_hash == b.value_hash;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Signature& s) {
    return H::combine(std::move(h), *s.op, s.device, s.inputs, s.controls,
                      s.value_hash);
  }
};

Signature SignatureOf(const Node& node) {
  Signature s;
  s.op = &node.type_string();
  s.device = node.assigned_device_index();
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Edge* e = node.input_edge(i);
    s.inputs.emplace_back(e->src()->id(), e->src_output());
  }
  if (node.op_def().is_commutative()) {
    std::sort(s.inputs.begin(), s.inputs.end());
  }
  for (const Node* source : ControlInputs(node)) {
    s.controls.push_back(source->id());
  }
  std::sort(s.controls.begin(), s.controls.end());
  if (node.IsConstant()) s.value_hash = AttrValueHash(*node.FindAttr("value"));
  return s;
}

// Attrs that start with '_' tell something to the runtime, not to the kernel.
bool AttrsEqual(const Node& a, const Node& b) {
  const auto covers = [](const Node& x, const Node& y) {
    for (const auto& [name, value] : x.def().attr()) {
      if (absl::StartsWith(name, "_")) continue;
      const AttrValue* other = y.FindAttr(name);
      if (other == nullptr || !AreAttrValuesEqual(value, *other)) return false;
    }
    return true;
  };
  return covers(a, b) && covers(b, a);
}

bool IsCandidate(const Node& node) {
  if (node.IsConstant()) {
    const AttrValue* value = node.FindAttr("value");
    return value != nullptr &&
           value->tensor().ByteSizeLong() <= kMaxConstantBytes;
  }
  // If two nodes have no inputs, nothing shows that they mean the same.
  return IsPure(node) && node.num_inputs() > 0;
}

class CommonSubexpressionPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "common_subexpressions"; }

  Status Run(GraphPassContext* context) override {
    absl::flat_hash_map<Signature, absl::InlinedVector<Node*, 1>> known;
    // Inputs come first, so equal inputs are already one node when their
    // consumers are compared.
    for (Node* node : TopologicalOrder(*context->graph())) {
      if (!IsCandidate(*node)) continue;
      auto& same = known[SignatureOf(*node)];
      const auto found = std::find_if(
          same.begin(), same.end(),
          [node](const Node* other) { return AttrsEqual(*node, *other); });
      if (found == same.end() || context->IsTarget(*node)) {
        same.push_back(node);
        continue;
      }
      std::vector<OutputRef> by;
      for (int i = 0; i < node->num_outputs(); ++i) by.push_back({*found, i});
      ReplaceDataUses(context->graph(), node, by);
      ReplaceControlUses(context->graph(), node, {*found});
      context->graph()->RemoveNode(node);
    }
    return OkStatus();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 40,
                    CommonSubexpressionPass);

}  // namespace
}  // namespace tensorwright
