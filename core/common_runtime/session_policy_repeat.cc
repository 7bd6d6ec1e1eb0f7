// SPDX-License-Identifier: Apache-2.0
// SessionPolicy: graphs that must give the same bits in each run.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/common_runtime/session_policy.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_registration.h"
#include "core/graph/graph.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The graph fixes nothing of what comes from there.  Files count as inputs, as
// feeds do, and the rest as what a kernel needs.
constexpr CapabilitySet kOutside = kNetwork | kPython | kNativeCode | kHost;

// The attr of the node or, where it leaves it out, of the op; null if there is
// none.
const AttrValue* FindAttr(const NodeDef& node, const OpDef& op,
                          absl::string_view name) {
  const auto found = node.attr().find(std::string(name));
  if (found != node.attr().end()) return &found->second;
  for (const OpDef::AttrDef& attr : op.attr()) {
    if (attr.name() == name && attr.has_default_value()) {
      return &attr.default_value();
    }
  }
  return nullptr;
}

std::string TextOf(const AttrValue& value) {
  if (value.value_case() == AttrValue::kS) return value.s();
  return value.b() ? "true" : "false";
}

// Why the node's result depends on chance, by the phrase of its op (ChanceOf);
// empty if it does not, or if only its inputs tell.
std::string WhyByChance(const NodeDef& node, const OpDef& op,
                        absl::string_view phrase) {
  if (phrase.empty()) return "";
  if (!absl::ConsumePrefix(&phrase, "chance unless ")) {
    return "its result depends on what other threads have done by then, or on "
           "chance";
  }
  if (phrase == "seed") {
    const AttrValue* const seed = FindAttr(node, op, "seed");
    const AttrValue* const seed2 = FindAttr(node, op, "seed2");
    if (seed == nullptr || seed2 == nullptr) return "";
    if (seed->i() != 0 || seed2->i() != 0) return "";
    return "it draws at random, since its seed and seed2 are 0";
  }
  const std::vector<std::string> parts = absl::StrSplit(phrase, '=');
  const AttrValue* const value = FindAttr(node, op, parts[0]);
  const std::string text = value == nullptr ? "" : TextOf(*value);
  for (absl::string_view good : absl::StrSplit(parts[1], '|')) {
    if (text == good) return "";
  }
  return absl::StrCat("its result depends on chance, since its ", parts[0],
                      " is '", text, "', not ",
                      absl::StrJoin(absl::StrSplit(parts[1], '|'), " or "));
}

bool HasSeedAttr(const OpDef& op) {
  return std::any_of(
      op.attr().begin(), op.attr().end(),
      [](const OpDef::AttrDef& attr) { return attr.name() == "seed"; });
}

// Does the op read or write what a run of the session may write?
bool SharesState(absl::string_view op) {
  return absl::EndsWith(op, "VariableOp") ||
         absl::StartsWith(op, "ResourceApply") ||
         absl::StartsWith(op, "ResourceCount") ||
         absl::StartsWith(op, "ResourceGather") ||
         absl::StartsWith(op, "ResourceScatter") ||
         absl::StartsWith(op, "ResourceSparse") ||
         absl::StartsWith(op, "ResourceStrided") ||
         absl::StartsWith(op, "LookupTableImport") ||
         absl::StartsWith(op, "LookupTableInsert") ||
         absl::StartsWith(op, "LookupTableRemove");
}

}  // namespace

Status SessionPolicy::NotRepeatable(const NodeDef& node,
                                    absl::string_view where,
                                    absl::string_view why) const {
  return errors::PermissionDenied("Node '", node.name(), "' (", node.op(), ")",
                                  where, " is not allowed: ", why, ", and ",
                                  Because("deterministic: true"));
}

Status SessionPolicy::CheckChance(const NodeDef& node,
                                  const OpRegistrationData& op,
                                  absl::string_view where) const {
  std::string reason;
  const CapabilitySet outside = CapabilitiesOf(op, &reason) & kOutside;
  if (outside != 0) {
    std::string why =
        absl::StrCat("it touches '", CapabilityNames(outside).front(),
                     "', which is not in the graph");
    if (!reason.empty()) {
      absl::StrAppend(&why,
                      " (it counts as an op that may do anything, because ",
                      reason, ")");
    }
    return NotRepeatable(node, where, why);
  }
  const std::string why = WhyByChance(node, op.op_def, ChanceOf(op));
  return why.empty() ? OkStatus() : NotRepeatable(node, where, why);
}

SessionPolicy::Callers SessionPolicy::CallersOf(const NodeDef& node,
                                                Callers by) {
  if (!absl::StrContains(node.op(), "Dataset")) return by;
  return std::max(by, absl::StartsWith(node.op(), "Parallel")
                          ? Callers::kParallelDataset
                          : Callers::kDataset);
}

Status SessionPolicy::CheckCalled(const NodeDef& node,
                                  const OpRegistrationData& op, Callers by,
                                  absl::string_view where) const {
  if (by == Callers::kNodes || allowed_ops_.contains(node.op())) {
    return OkStatus();
  }
  if (SharesState(node.op())) {
    return NotRepeatable(node, where,
                         "a dataset may make elements while the run changes "
                         "the variable or table");
  }
  if (by == Callers::kParallelDataset && !ChanceOf(op).empty() &&
      HasSeedAttr(op.op_def)) {
    return NotRepeatable(node, where,
                         "a dataset calls it in several threads, which draw "
                         "from its generator in no fixed order");
  }
  return OkStatus();
}

Status SessionPolicy::CheckPlaces(const Graph& graph, const std::string& device,
                                  bool in_pieces) const {
  for (const Node* node : graph.op_nodes()) {
    std::string why;
    if (in_pieces) {
      why = "it is part of a partial run, which has no fixed order";
    } else if (node->assigned_device_name() != device) {
      why = absl::StrCat("it runs on ", node->assigned_device_name(),
                         " and not on ", device);
    }
    if (why.empty()) continue;
    return errors::AttachNode(NotRepeatable(node->def(), "", why),
                              node->name());
  }
  return OkStatus();
}

}  // namespace tensorwright
