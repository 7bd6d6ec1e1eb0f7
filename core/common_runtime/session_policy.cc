// SPDX-License-Identifier: Apache-2.0
// SessionPolicy: its fields, and what it says of runs.
#include "core/common_runtime/session_policy.h"

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "core/common_runtime/restricted_env.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/errors.h"
#include "core/platform/protobuf.h"

namespace tensorwright {
namespace {

template <typename List>
std::string ListLine(absl::string_view field, const List& list) {
  return absl::StrCat(field, ": ",
                      list.empty() ? "nothing" : absl::StrJoin(list, ", "));
}

struct Limit {
  const char* field;
  int64_t (PolicyProto::*value)() const;
};
constexpr Limit kLimits[] = {
    {"max_nodes", &PolicyProto::max_nodes},
    {"max_constant_bytes", &PolicyProto::max_constant_bytes},
    {"max_tensor_bytes", &PolicyProto::max_tensor_bytes},
    {"max_memory_bytes", &PolicyProto::max_memory_bytes},
    {"max_steps", &PolicyProto::max_steps},
    {"max_function_depth", &PolicyProto::max_function_depth},
    {"max_threads", &PolicyProto::max_threads},
};

// Steps look at a clock that is a few milliseconds behind.
constexpr absl::Duration kClockError = absl::Milliseconds(20);

std::string SecondsLine(const PolicyProto& proto) {
  return absl::StrCat("max_run_seconds: ", proto.max_run_seconds());
}

// Adds up the capabilities of these names.
template <typename List>
Status ReadKinds(absl::string_view field, const List& kinds,
                 CapabilitySet* set) {
  *set = 0;
  for (const std::string& kind : kinds) {
    const CapabilitySet one = CapabilityOfName(kind);
    if (one == 0) {
      return errors::InvalidArgument(
          "Policy: ", field, " has '", kind,
          "', which is no capability; there ", "are ",
          absl::StrJoin(CapabilityNames(kAllCapabilities), ", "), " and files");
    }
    *set |= one;
  }
  return OkStatus();
}

}  // namespace

Status SessionPolicy::FromConfig(const ConfigProto& config,
                                 std::shared_ptr<const SessionPolicy>* policy) {
  policy->reset();
  return config.has_policy() ? FromProto(config.policy(), policy) : OkStatus();
}

Status SessionPolicy::FromProto(const PolicyProto& proto,
                                std::shared_ptr<const SessionPolicy>* policy) {
  std::shared_ptr<SessionPolicy> made(new SessionPolicy(proto));
  TF_RETURN_IF_ERROR(made->Init());
  *policy = std::move(made);
  return OkStatus();
}

Status SessionPolicy::Init() {
  for (const Limit& limit : kLimits) {
    if ((proto_.*limit.value)() >= 0) continue;
    return errors::InvalidArgument("Policy: ", limit.field,
                                   " must be >= 0 (0 is no limit), got ",
                                   (proto_.*limit.value)());
  }
  const double seconds = proto_.max_run_seconds();
  if (!(seconds >= 0) || std::isinf(seconds)) {
    return errors::InvalidArgument(
        "Policy: max_run_seconds must be >= 0 (0 is no limit), got ", seconds);
  }
  CapabilitySet denied = 0;
  TF_RETURN_IF_ERROR(ReadKinds("deny", proto_.deny(), &denied));
  allowed_ = kAllCapabilities;
  if (proto_.has_allow()) {
    TF_RETURN_IF_ERROR(ReadKinds("allow", proto_.allow().kind(), &allowed_));
  }
  if (!proto_.read().empty()) allowed_ |= kFilesRead;
  if (!proto_.write().empty()) allowed_ |= kFilesWritten;
  for (const auto& [bit, folders, field] :
       {std::tuple(kFilesRead, &proto_.read(), "read"),
        std::tuple(kFilesWritten, &proto_.write(), "write")}) {
    if (folders->empty() || (denied & bit) == 0) continue;
    return errors::InvalidArgument("Policy: '", field, "' has ", (*folders)[0],
                                   ", while 'deny' has '",
                                   CapabilityNames(bit).front(), "'");
  }
  allowed_ &= ~denied;
  allowed_ops_.insert(proto_.allow_ops().begin(), proto_.allow_ops().end());
  denied_ops_.insert(proto_.deny_ops().begin(), proto_.deny_ops().end());
  for (const std::string& op : denied_ops_) {
    if (!allowed_ops_.contains(op)) continue;
    return errors::InvalidArgument("Policy: allow_ops and deny_ops have ", op);
  }
  FileRules rules;
  rules.policy = proto_.name();
  for (const auto& [bit, folders, rule] :
       {std::tuple(kFilesRead, &proto_.read(), &rules.read),
        std::tuple(kFilesWritten, &proto_.write(), &rules.write)}) {
    rule->all = (allowed_ & bit) != 0 && folders->empty();
    rule->folders.assign(folders->begin(), folders->end());
    for (const CapabilityKind& kind : CapabilityKinds()) {
      if (kind.bit == bit) rule->line = LineOf(kind);
    }
  }
  return RestrictedEnv::For(rules, &env_);
}

std::string SessionPolicy::LineOf(const CapabilityKind& kind) const {
  CapabilitySet denied = 0;
  ReadKinds("deny", proto_.deny(), &denied).IgnoreError();
  if ((denied & kind.bit) != 0) return ListLine("deny", proto_.deny());
  if (kind.bit == kFilesRead && !proto_.read().empty()) {
    return ListLine("read", proto_.read());
  }
  if (kind.bit == kFilesWritten && !proto_.write().empty()) {
    return ListLine("write", proto_.write());
  }
  return proto_.has_allow() ? ListLine("allow", proto_.allow().kind())
                            : "allow: everything";
}

std::string SessionPolicy::DebugString() const {
  std::vector<std::string> lines;
  if (!proto_.name().empty()) lines.push_back("name: " + proto_.name());
  lines.push_back(proto_.has_allow() ? ListLine("allow", proto_.allow().kind())
                                     : "allow: everything");
  const std::pair<const char*, const protobuf::RepeatedPtrField<std::string>*>
      lists[] = {
          {"deny", &proto_.deny()},         {"allow_ops", &proto_.allow_ops()},
          {"deny_ops", &proto_.deny_ops()}, {"read", &proto_.read()},
          {"write", &proto_.write()},
      };
  for (const auto& [field, list] : lists) {
    if (!list->empty()) lines.push_back(ListLine(field, *list));
  }
  if (proto_.whole_graph()) lines.emplace_back("whole_graph: true");
  if (proto_.deterministic()) lines.emplace_back("deterministic: true");
  for (const Limit& limit : kLimits) {
    const int64_t value = (proto_.*limit.value)();
    if (value > 0) lines.push_back(absl::StrCat(limit.field, ": ", value));
  }
  if (proto_.max_run_seconds() > 0) lines.push_back(SecondsLine(proto_));
  return absl::StrJoin(lines, "\n");
}

std::string SessionPolicy::Because(absl::string_view line) const {
  return absl::StrCat("the policy '", proto_.name(), "' says '", line, "'");
}

Status SessionPolicy::CheckNode(const NodeDef& def,
                                const OpRegistrationData& op,
                                absl::string_view where) const {
  const std::string& type = op.op_def.name();
  const std::string& node = def.name();
  if (denied_ops_.contains(type)) {
    return errors::PermissionDenied(
        "Node '", node, "' (", type, ")", where,
        " is not allowed: ", Because(ListLine("deny_ops", proto_.deny_ops())));
  }
  if (allowed_ops_.contains(type)) return OkStatus();
  if (proto_.deterministic()) TF_RETURN_IF_ERROR(CheckChance(def, op, where));
  if (allowed_ == kAllCapabilities) return OkStatus();
  std::string reason;
  const CapabilitySet refused = CapabilitiesOf(op, &reason) & ~allowed_;
  if (refused == 0) return OkStatus();
  for (const CapabilityKind& kind : CapabilityKinds()) {
    if ((refused & kind.bit) == 0) continue;
    return errors::PermissionDenied(
        "Node '", node, "' (", type, ")", where, " is not allowed: it ",
        kind.is_need ? "may need" : "touches", " '", kind.name, "', and ",
        Because(LineOf(kind)),
        reason.empty() ? ""
                       : absl::StrCat("; ", type,
                                      " counts as an op that may do anything, "
                                      "because ",
                                      reason));
  }
  return OkStatus();
}

Status SessionPolicy::CheckSteps(int64_t steps) const {
  const int64_t most = proto_.max_steps();
  if (most == 0 || steps < most) return OkStatus();
  return errors::ResourceExhausted("The session has run ", steps,
                                   " times and may not run again: ",
                                   Because(absl::StrCat("max_steps: ", most)));
}

absl::Time SessionPolicy::Deadline() const {
  const double seconds = proto_.max_run_seconds();
  return seconds > 0 ? absl::Now() + absl::Seconds(seconds)
                     : absl::InfiniteFuture();
}

Status SessionPolicy::WithTimeLimit(const Status& status,
                                    absl::Time deadline) const {
  if (!errors::IsDeadlineExceeded(status) ||
      absl::Now() < deadline - kClockError) {
    return status;
  }
  const std::string node = errors::FailedNode(status);
  const Status refused = errors::ResourceExhausted(
      "The run took too long", node.empty() ? "" : ", in node ", node, ": ",
      Because(SecondsLine(proto_)));
  return node.empty() ? refused : errors::AttachNode(refused, node);
}

Status SessionPolicy::RunLimited(
    const std::function<bool()>& interrupted,
    const std::function<Status(const std::function<bool()>&)>& run) const {
  const absl::Time limit = Deadline();
  if (limit == absl::InfiniteFuture()) return run(interrupted);
  bool is_late = false;
  const Status status = run([&interrupted, &is_late, limit] {
    is_late = absl::Now() >= limit;
    return is_late || (interrupted && interrupted());
  });
  if (status.ok() || !is_late) return status;
  return WithTimeLimit(errors::DeadlineExceeded(status.message()), limit);
}

Status SessionPolicy::CheckCallDepth(absl::string_view function,
                                     int depth) const {
  const int64_t most = proto_.max_function_depth();
  if (most == 0 || depth < most) return OkStatus();
  return errors::ResourceExhausted(
      "Function ", function, ": functions call each other more than ", most,
      " deep: ", Because(absl::StrCat("max_function_depth: ", most)));
}

}  // namespace tensorwright
