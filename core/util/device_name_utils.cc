// SPDX-License-Identifier: Apache-2.0
// Device names.
#include "core/util/device_name_utils.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Up to nine digits.
bool ParseNumber(absl::string_view text, int* number) {
  if (text.empty() || text.size() > 9) return false;
  int n = 0;
  for (char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
    n = n * 10 + (c - '0');
  }
  *number = n;
  return true;
}

bool ParseNumberOrStar(absl::string_view text, bool* has, int* number) {
  if (text == "*") return true;
  *has = ParseNumber(text, number);
  return *has;
}

bool IsIdentifier(absl::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(text[0])) return false;
  for (char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

// "CPU:0", "CPU:*", "CPU".
bool ParseTypeAndId(absl::string_view text,
                    DeviceNameUtils::ParsedName* parsed) {
  const size_t colon = text.find(':');
  const absl::string_view type = text.substr(0, colon);
  if (type != "*") {
    if (!IsIdentifier(type)) return false;
    parsed->has_type = true;
    parsed->type = absl::AsciiStrToUpper(type);
  }
  if (colon == absl::string_view::npos) return true;
  return ParseNumberOrStar(text.substr(colon + 1), &parsed->has_id,
                           &parsed->id);
}

// One piece between slashes.
bool ParsePiece(absl::string_view piece, DeviceNameUtils::ParsedName* parsed) {
  if (absl::ConsumePrefix(&piece, "job:")) {
    if (piece == "*") return true;
    if (!IsIdentifier(piece)) return false;
    parsed->has_job = true;
    parsed->job = std::string(piece);
    return true;
  }
  if (absl::ConsumePrefix(&piece, "replica:")) {
    return ParseNumberOrStar(piece, &parsed->has_replica, &parsed->replica);
  }
  if (absl::ConsumePrefix(&piece, "task:")) {
    return ParseNumberOrStar(piece, &parsed->has_task, &parsed->task);
  }
  if (absl::ConsumePrefix(&piece, "device:")) {
    return ParseTypeAndId(piece, parsed);
  }
  // The old form names the type itself, and must have an id: "/cpu:0".
  return piece.find(':') != absl::string_view::npos &&
         ParseTypeAndId(piece, parsed);
}

}  // namespace

bool DeviceNameUtils::ParseFullName(absl::string_view name,
                                    ParsedName* parsed) {
  *parsed = ParsedName();
  if (name.empty() || name == "/") return true;
  if (!absl::ConsumePrefix(&name, "/")) return ParseLocalName(name, parsed);
  for (absl::string_view piece : absl::StrSplit(name, '/')) {
    if (!ParsePiece(piece, parsed)) return false;
  }
  return true;
}

bool DeviceNameUtils::ParseLocalName(absl::string_view name,
                                     ParsedName* parsed) {
  *parsed = ParsedName();
  absl::ConsumePrefix(&name, "device:");
  return name.find(':') != absl::string_view::npos &&
         ParseTypeAndId(name, parsed);
}

std::string DeviceNameUtils::FullName(const std::string& job, int replica,
                                      int task, const std::string& type,
                                      int id) {
  return absl::StrCat("/job:", job, "/replica:", replica, "/task:", task,
                      "/device:", type, ":", id);
}

std::string DeviceNameUtils::ParsedNameToString(const ParsedName& name) {
  std::string out;
  if (name.has_job) absl::StrAppend(&out, "/job:", name.job);
  if (name.has_replica) absl::StrAppend(&out, "/replica:", name.replica);
  if (name.has_task) absl::StrAppend(&out, "/task:", name.task);
  if (name.has_type || name.has_id) {
    absl::StrAppend(&out, "/device:", name.has_type ? name.type : "*", ":");
    if (name.has_id) {
      absl::StrAppend(&out, name.id);
    } else {
      out += "*";
    }
  }
  return out;
}

std::string DeviceNameUtils::LocalName(absl::string_view type, int id) {
  return absl::StrCat("/device:", type, ":", id);
}

bool DeviceNameUtils::IsSpecification(const ParsedName& pattern,
                                      const ParsedName& name) {
  if (pattern.has_job && (!name.has_job || name.job != pattern.job)) {
    return false;
  }
  if (pattern.has_replica &&
      (!name.has_replica || name.replica != pattern.replica)) {
    return false;
  }
  if (pattern.has_task && (!name.has_task || name.task != pattern.task)) {
    return false;
  }
  if (pattern.has_type && (!name.has_type || name.type != pattern.type)) {
    return false;
  }
  return !pattern.has_id || (name.has_id && name.id == pattern.id);
}

bool DeviceNameUtils::IsCompleteSpecification(const ParsedName& pattern,
                                              const ParsedName& name) {
  return name.has_job && name.has_replica && name.has_task && name.has_type &&
         name.has_id && IsSpecification(pattern, name);
}

bool DeviceNameUtils::HasSomeDetails(const ParsedName& name) {
  return name.has_job || name.has_replica || name.has_task || name.has_type ||
         name.has_id;
}

Status DeviceNameUtils::MergeDevNames(ParsedName* target,
                                      const ParsedName& other,
                                      bool allow_soft_placement) {
  const auto conflict = [&](absl::string_view part) {
    return errors::InvalidArgument("Cannot merge devices with different ", part,
                                   ": '", ParsedNameToString(*target),
                                   "' and '", ParsedNameToString(other), "'");
  };
  if (other.has_job) {
    if (target->has_job && target->job != other.job) return conflict("jobs");
    target->has_job = true;
    target->job = other.job;
  }
  if (other.has_replica) {
    if (target->has_replica && target->replica != other.replica) {
      return conflict("replicas");
    }
    target->has_replica = true;
    target->replica = other.replica;
  }
  if (other.has_task) {
    if (target->has_task && target->task != other.task) {
      return conflict("tasks");
    }
    target->has_task = true;
    target->task = other.task;
  }
  if (other.has_type) {
    if (target->has_type && target->type != other.type) {
      if (!allow_soft_placement) return conflict("types");
      target->has_type = target->has_id = false;
      return OkStatus();
    }
    target->has_type = true;
    target->type = other.type;
  }
  if (other.has_id) {
    if (target->has_id && target->id != other.id) {
      if (!allow_soft_placement) return conflict("ids");
      target->has_id = false;
      return OkStatus();
    }
    target->has_id = true;
    target->id = other.id;
  }
  return OkStatus();
}

bool DeviceNameUtils::IsSameAddressSpace(const ParsedName& a,
                                         const ParsedName& b) {
  return a.has_job && b.has_job && a.job == b.job && a.has_replica &&
         b.has_replica && a.replica == b.replica && a.has_task && b.has_task &&
         a.task == b.task;
}

}  // namespace tensorwright
