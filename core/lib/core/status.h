// SPDX-License-Identifier: Apache-2.0
// Status: the outcome of something that can fail; absl::Status with
// TensorFlow's spellings.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_

#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tensorwright {

// The canonical codes; numbers equal those of core/lib/core/error_codes.proto.
namespace error {
using Code = absl::StatusCode;
inline constexpr Code OK = absl::StatusCode::kOk;
inline constexpr Code CANCELLED = absl::StatusCode::kCancelled;
inline constexpr Code UNKNOWN = absl::StatusCode::kUnknown;
inline constexpr Code INVALID_ARGUMENT = absl::StatusCode::kInvalidArgument;
inline constexpr Code DEADLINE_EXCEEDED = absl::StatusCode::kDeadlineExceeded;
inline constexpr Code NOT_FOUND = absl::StatusCode::kNotFound;
inline constexpr Code ALREADY_EXISTS = absl::StatusCode::kAlreadyExists;
inline constexpr Code PERMISSION_DENIED = absl::StatusCode::kPermissionDenied;
inline constexpr Code UNAUTHENTICATED = absl::StatusCode::kUnauthenticated;
inline constexpr Code RESOURCE_EXHAUSTED = absl::StatusCode::kResourceExhausted;
inline constexpr Code FAILED_PRECONDITION =
    absl::StatusCode::kFailedPrecondition;
inline constexpr Code ABORTED = absl::StatusCode::kAborted;
inline constexpr Code OUT_OF_RANGE = absl::StatusCode::kOutOfRange;
inline constexpr Code UNIMPLEMENTED = absl::StatusCode::kUnimplemented;
inline constexpr Code INTERNAL = absl::StatusCode::kInternal;
inline constexpr Code UNAVAILABLE = absl::StatusCode::kUnavailable;
inline constexpr Code DATA_LOSS = absl::StatusCode::kDataLoss;
}  // namespace error

// A value type; an OK status is one word and never allocates.  Converts to and
// from absl::Status without a word, because that class is final and cannot be
// derived from.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(absl::Status s) : rep_(std::move(s)) {}  // NOLINT: see above.
  Status(error::Code code, absl::string_view message) : rep_(code, message) {}

  static Status OK() { return Status(); }

  operator const absl::Status&() const& { return rep_; }  // NOLINT
  operator absl::Status() && { return std::move(rep_); }  // NOLINT
  const absl::Status& absl_status() const { return rep_; }

  bool ok() const { return rep_.ok(); }
  error::Code code() const { return rep_.code(); }
  int raw_code() const { return rep_.raw_code(); }
  absl::string_view message() const { return rep_.message(); }
  std::string error_message() const { return std::string(rep_.message()); }
  // "OK" or "CODE: message".
  std::string ToString() const;

  // Keeps the first failure: does nothing if this status has failed already.
  void Update(const Status& s) {
    if (ok()) rep_ = s.rep_;
  }
  // Says that a failure is of no interest here.
  void IgnoreError() const {}

  void SetPayload(absl::string_view type_url, absl::string_view payload);
  // Empty if there is none.
  std::string GetPayload(absl::string_view type_url) const;

  friend bool operator==(const Status& a, const Status& b) {
    return a.rep_ == b.rep_;
  }
  friend bool operator!=(const Status& a, const Status& b) {
    return a.rep_ != b.rep_;
  }
  friend std::ostream& operator<<(std::ostream& os, const Status& s) {
    return os << s.ToString();
  }

 private:
  absl::Status rep_;
};

inline Status OkStatus() { return Status(); }

template <typename T>
using StatusOr = absl::StatusOr<T>;

// What asynchronous work calls once, when it has ended.
using StatusCallback = std::function<void(const Status&)>;

// Ends the process, with the place and the status, if `status` failed; behind
// TF_CHECK_OK.
void CheckOkOrDie(const Status& status, const char* expression,
                  const char* file, int line);

#define TF_CHECK_OK(...) \
  ::tensorwright::CheckOkOrDie((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#ifdef NDEBUG
#define TF_DCHECK_OK(...) \
  while (false) TF_CHECK_OK(__VA_ARGS__)
#else
#define TF_DCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#endif
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_
