// SPDX-License-Identifier: Apache-2.0
// Status: the outcome of something that can fail, with the spellings of
// TensorFlow 1.x, TensorFlow 2.x and abseil.
//
// Not absl::Status: shape functions are lambdas whose return type is deduced,
// and in custom ops they mix Status::OK(), errors::X(), absl::OkStatus() and
// TF_RETURN_IF_ERROR.  All of that has to be one type, and abseil's is final
// and lacks OK().  So users' sources get this class as absl::Status
// (core/lib/core/absl_status.h).  It also spares every file abseil's Cord.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/string_view.h"
#include "core/platform/logging.h"

#if __cplusplus >= 201703L
#include <optional>
#endif

namespace absl {
ABSL_NAMESPACE_BEGIN
class Cord;
ABSL_NAMESPACE_END
}  // namespace absl

namespace tensorwright {

// The canonical codes; numbers equal those of core/lib/core/error_codes.proto.
namespace error {
// Unscoped, like protobuf's in TensorFlow 1.x: there it is error::INTERNAL, in
// 2.x absl::StatusCode::kInternal.
enum StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
  // TensorFlow 1.x's spellings.
  OK = kOk,
  CANCELLED = kCancelled,
  UNKNOWN = kUnknown,
  INVALID_ARGUMENT = kInvalidArgument,
  DEADLINE_EXCEEDED = kDeadlineExceeded,
  NOT_FOUND = kNotFound,
  ALREADY_EXISTS = kAlreadyExists,
  PERMISSION_DENIED = kPermissionDenied,
  RESOURCE_EXHAUSTED = kResourceExhausted,
  FAILED_PRECONDITION = kFailedPrecondition,
  ABORTED = kAborted,
  OUT_OF_RANGE = kOutOfRange,
  UNIMPLEMENTED = kUnimplemented,
  INTERNAL = kInternal,
  UNAVAILABLE = kUnavailable,
  DATA_LOSS = kDataLoss,
  UNAUTHENTICATED = kUnauthenticated,
};
using Code = StatusCode;

// "INVALID_ARGUMENT"; "" for a number that is no code.
absl::string_view CodeName(Code code);
std::ostream& operator<<(std::ostream& os, Code code);
}  // namespace error

// A value type; an OK status is one null pointer and never allocates.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // OK, whatever the message, if `code` is OK.
  Status(error::Code code, absl::string_view message);
  Status(const Status& other)
      : rep_(other.ok() ? nullptr : Copy(*other.rep_)) {}
  Status(Status&&) noexcept = default;
  Status& operator=(const Status& other) {
    if (this != &other) {
      rep_ = other.ok() ? nullptr : Copy(*other.rep_);
    }
    return *this;
  }
  Status& operator=(Status&&) noexcept = default;

  static Status OK() { return Status(); }

  bool ok() const { return rep_ == nullptr; }
  error::Code code() const { return ok() ? error::OK : rep_->code; }
  int raw_code() const { return static_cast<int>(code()); }
  absl::string_view message() const {
    return ok() ? absl::string_view() : absl::string_view(rep_->message);
  }
  std::string error_message() const { return std::string(message()); }
  // "OK" or "Invalid argument: message".
  std::string ToString() const;

  // Keeps the first failure: does nothing if this status has failed already.
  void Update(const Status& s) {
    if (ok()) *this = s;
  }
  void Update(Status&& s) {
    if (ok()) *this = std::move(s);
  }
  // Marks that a failure is of no interest here.
  void IgnoreError() const {}

  // Data that a failure carries besides its text.  An OK status carries none.
  void SetPayload(absl::string_view type_url, absl::string_view payload);
  void SetPayload(absl::string_view type_url, const absl::Cord& payload);
  // Sets *payload and returns true; false if there is no such payload.
  bool ReadPayload(absl::string_view type_url, std::string* payload) const;
#if __cplusplus >= 201703L
  std::optional<std::string> GetPayload(absl::string_view type_url) const {
    std::string payload;
    if (!ReadPayload(type_url, &payload)) return std::nullopt;
    return payload;
  }
#endif
  bool ErasePayload(absl::string_view type_url);
  void ForEachPayload(
      const std::function<void(absl::string_view, absl::string_view)>& visit)
      const;

  // Compares the payloads, too.
  friend bool operator==(const Status& a, const Status& b) {
    return a.rep_ == b.rep_ || (!a.ok() && !b.ok() && *a.rep_ == *b.rep_);
  }
  friend bool operator!=(const Status& a, const Status& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& os, const Status& s) {
    return s.Print(os);
  }
  friend void swap(Status& a, Status& b) noexcept { a.rep_.swap(b.rep_); }

 private:
  std::ostream& Print(std::ostream& os) const;

  struct Rep {
    error::Code code;
    std::string message;
    std::vector<std::pair<std::string, std::string>> payloads;
    bool operator==(const Rep& other) const {
      return code == other.code && message == other.message &&
             payloads == other.payloads;
    }
  };
  // Out of line, since failures are rare and statuses are everywhere.
  struct FreeRep {
    void operator()(Rep* rep) const;
  };
  using RepPtr = std::unique_ptr<Rep, FreeRep>;
  static RepPtr Copy(const Rep& rep);

  RepPtr rep_;
};

inline Status OkStatus() { return Status(); }

// Asynchronous work calls this once, when it has ended.
using StatusCallback = std::function<void(const Status&)>;

// The text of TF_CHECK_OK about a failure; null if there is none.
std::unique_ptr<std::string> DescribeFailure(const Status& status,
                                             const char* expression);

// If the status failed, ends the process, printing the place, the status and
// the words streamed after it.
#define TF_CHECK_OK(...)                                                     \
  while (std::unique_ptr<std::string> failure_ =                             \
             ::tensorwright::DescribeFailure((__VA_ARGS__), #__VA_ARGS__))   \
  [[unlikely]] ::tensorwright::internal::LogMessageFatal(__FILE__, __LINE__) \
      << *failure_ << " "
#ifdef NDEBUG
#define TF_DCHECK_OK(...) \
  while (false) TF_CHECK_OK(__VA_ARGS__)
#else
#define TF_DCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#endif
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)

}  // namespace tensorwright

#include "core/lib/core/statusor.h"  // IWYU pragma: export

#endif  // TENSORWRIGHT_CORE_LIB_CORE_STATUS_H_
