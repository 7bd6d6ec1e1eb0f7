// SPDX-License-Identifier: Apache-2.0
// SessionPolicy: what the graph that a session runs may do (docs/policy.md).
//
// It comes from ConfigProto.policy, and is held in these places, none of which
// a graph can go around:
//   - each graph that becomes a plan, that of a run or of a function, is
//     checked before any pass and before any kernel is made (plan.cc), with the
//     functions that it names;
//   - kernels reach files by the Env of their device, which the rules of
//     folders restrict (restricted_env.h);
//   - tensors get their memory from the device's allocator, which has the
//     limits (limited_allocator.h);
//   - runs are counted and timed where they begin (direct_session.cc).
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_POLICY_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_POLICY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {

class FunctionLibraryDefinition;
class Graph;
class GraphDef;
class NodeDef;
class OpRegistryInterface;

// Immutable, so thread safe.  Refusals are PermissionDenied (an op, a path) or
// ResourceExhausted (a limit); they name the node, its op and the line of the
// policy, and note the node.
class SessionPolicy {
 public:
  // Sets *policy to null if the config has none.  InvalidArgument for a
  // capability that there is not, a negative limit, or fields that contradict
  // each other.
  static Status FromConfig(const ConfigProto& config,
                           std::shared_ptr<const SessionPolicy>* policy);
  static Status FromProto(const PolicyProto& proto,
                          std::shared_ptr<const SessionPolicy>* policy);

  const PolicyProto& proto() const { return proto_; }
  // A line for each field that is set, "max_nodes: 1000".
  std::string DebugString() const;

  // Reaches the files that kernels may reach; never destroyed.
  Env* env() const { return env_; }

  bool LimitsMemory() const {
    return proto_.max_tensor_bytes() > 0 || proto_.max_memory_bytes() > 0;
  }

  // ---- Graphs.  `functions` may be null.

  // Checks the nodes of a graph all of which runs, and the functions that they
  // name, however deep.
  Status CheckGraph(const Graph& graph,
                    const FunctionLibraryDefinition* functions) const;
  // For a policy that says `deterministic`: do all nodes of a placed graph run
  // on `device`, and, unless `in_pieces`, without waiting for a caller?
  Status CheckPlaces(const Graph& graph, const std::string& device,
                     bool in_pieces) const;
  // Checks the graph that a session has, for its size and, if the policy says
  // so, as a whole.
  Status CheckWhole(const Graph& graph,
                    const FunctionLibraryDefinition& functions) const;
  // Checks all nodes and all functions of a graph that is to be imported.
  // `ops` knows the ops, and functions that are there already.  NotFound for an
  // op that nobody knows.
  Status CheckGraphDef(const GraphDef& def,
                       const OpRegistryInterface& ops) const;

  // ---- Runs.

  // `steps` runs have begun already; may another one?
  Status CheckSteps(int64_t steps) const;
  // A run that begins now must have ended then.
  absl::Time Deadline() const;
  // `status`, if it is no DeadlineExceeded, or if `deadline`, a result of
  // Deadline, is still to come; else the refusal.
  Status WithTimeLimit(const Status& status, absl::Time deadline) const;
  // Calls run(hook): the hook, to poll, is `interrupted`, which may be empty,
  // or true when the time is up.  Returns what `run` returns, or the refusal.
  Status RunLimited(
      const std::function<bool()>& interrupted,
      const std::function<Status(const std::function<bool()>&)>& run) const;
  // `depth` functions call each other; may another one be called?
  Status CheckCallDepth(absl::string_view function, int depth) const;

  // "Policy's name and line", the end of messages.
  std::string Because(absl::string_view line) const;

 private:
  friend class PolicyGraphCheck;

  explicit SessionPolicy(const PolicyProto& proto) : proto_(proto) {}

  Status Init();
  // The line that decides about a capability.
  std::string LineOf(const CapabilityKind& kind) const;
  // `where`: "" or " of function 'f'".
  Status CheckNode(const NodeDef& node, const OpRegistrationData& op,
                   absl::string_view where) const;
  // May the node be run by a policy that says `deterministic`?
  Status CheckChance(const NodeDef& node, const OpRegistrationData& op,
                     absl::string_view where) const;
  // The threads that call a function: those of runs, of a dataset that makes
  // elements one after the other, of one that makes several at a time.
  enum class Callers { kNodes, kDataset, kParallelDataset };
  // The callers of the functions that `node` names, in a function with callers
  // `by`, or in the graph (kNodes).
  static Callers CallersOf(const NodeDef& node, Callers by);
  // CheckChance, of a node in a function with these callers.
  Status CheckCalled(const NodeDef& node, const OpRegistrationData& op,
                     Callers by, absl::string_view where) const;
  // The refusal of a policy that says `deterministic`.
  Status NotRepeatable(const NodeDef& node, absl::string_view where,
                       absl::string_view why) const;

  const PolicyProto proto_;
  CapabilitySet allowed_ = 0;
  absl::flat_hash_set<std::string> allowed_ops_;
  absl::flat_hash_set<std::string> denied_ops_;
  Env* env_ = nullptr;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_POLICY_H_
