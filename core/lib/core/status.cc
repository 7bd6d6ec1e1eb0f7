// SPDX-License-Identifier: Apache-2.0
// Status's text, payloads, and the end of a process that counted on success.
#include "core/lib/core/status.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// TensorFlow's names of the codes, as its messages and tests have them.
const char* CodeName(error::Code code) {
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

std::string Status::ToString() const {
  if (ok()) return "OK";
  return absl::StrCat(CodeName(code()), ": ", message());
}

void Status::SetPayload(absl::string_view type_url, absl::string_view payload) {
  rep_.SetPayload(type_url, absl::Cord(payload));
}

std::string Status::GetPayload(absl::string_view type_url) const {
  const auto payload = rep_.GetPayload(type_url);
  return payload.has_value() ? std::string(*payload) : std::string();
}

void CheckOkOrDie(const Status& status, const char* expression,
                  const char* file, int line) {
  if (status.ok()) return;
  internal::LogMessageFatal(file, line)
      << "Non-OK-status: " << expression << " status: " << status;
}

}  // namespace tensorwright
