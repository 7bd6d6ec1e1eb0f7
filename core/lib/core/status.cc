// SPDX-License-Identifier: Apache-2.0
// Status's text, payloads, and the end of a process that relied on success.
#include "core/lib/core/status.h"

#include <iterator>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// The codes in words, as in TensorFlow's messages and tests.
const char* WordsOf(error::Code code) {
  switch (code) {
    case error::OK:
      return "OK";
    case error::CANCELLED:
      return "Cancelled";
    case error::UNKNOWN:
      return "Unknown";
    case error::INVALID_ARGUMENT:
      return "Invalid argument";
    case error::DEADLINE_EXCEEDED:
      return "Deadline exceeded";
    case error::NOT_FOUND:
      return "Not found";
    case error::ALREADY_EXISTS:
      return "Already exists";
    case error::PERMISSION_DENIED:
      return "Permission denied";
    case error::UNAUTHENTICATED:
      return "Unauthenticated";
    case error::RESOURCE_EXHAUSTED:
      return "Resource exhausted";
    case error::FAILED_PRECONDITION:
      return "Failed precondition";
    case error::ABORTED:
      return "Aborted";
    case error::OUT_OF_RANGE:
      return "Out of range";
    case error::UNIMPLEMENTED:
      return "Unimplemented";
    case error::INTERNAL:
      return "Internal";
    case error::UNAVAILABLE:
      return "Unavailable";
    case error::DATA_LOSS:
      return "Data loss";
    default:
      return "Unknown code";
  }
}

}  // namespace

namespace error {

absl::string_view CodeName(Code code) {
  static constexpr absl::string_view kNames[] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
  };
  const auto i = static_cast<size_t>(code);
  return i < std::size(kNames) ? kNames[i] : "";
}

std::ostream& operator<<(std::ostream& os, Code code) {
  return os << CodeName(code);
}

}  // namespace error

void Status::FreeRep::operator()(Rep* rep) const { delete rep; }

Status::RepPtr Status::Copy(const Rep& rep) { return RepPtr(new Rep(rep)); }

Status::Status(error::Code code, absl::string_view message) {
  if (code == error::OK) return;
  rep_.reset(new Rep{code, std::string(message), {}});
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return absl::StrCat(WordsOf(code()), ": ", message());
}

void Status::SetPayload(absl::string_view type_url, absl::string_view payload) {
  if (ok()) return;
  for (auto& [url, value] : rep_->payloads) {
    if (url == type_url) {
      value = std::string(payload);
      return;
    }
  }
  rep_->payloads.emplace_back(type_url, payload);
}

void Status::SetPayload(absl::string_view type_url, const absl::Cord& payload) {
  SetPayload(type_url, std::string(payload));
}

bool Status::ReadPayload(absl::string_view type_url,
                         std::string* payload) const {
  if (ok()) return false;
  for (const auto& [url, value] : rep_->payloads) {
    if (url != type_url) continue;
    *payload = value;
    return true;
  }
  return false;
}

std::ostream& Status::Print(std::ostream& os) const { return os << ToString(); }

bool Status::ErasePayload(absl::string_view type_url) {
  if (ok()) return false;
  return std::erase_if(rep_->payloads, [type_url](const auto& payload) {
           return payload.first == type_url;
         }) > 0;
}

void Status::ForEachPayload(
    const std::function<void(absl::string_view, absl::string_view)>& visit)
    const {
  if (ok()) return;
  for (const auto& [url, value] : rep_->payloads) visit(url, value);
}

Status statusor_internal::NoValue() {
  return Status(error::INTERNAL, "a StatusOr was made of an OK status");
}

std::unique_ptr<std::string> DescribeFailure(const Status& status,
                                             const char* expression) {
  if (status.ok()) return nullptr;
  return std::make_unique<std::string>(absl::StrCat(
      "Non-OK-status: ", expression, " status: ", status.ToString()));
}

}  // namespace tensorwright
