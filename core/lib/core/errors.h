// SPDX-License-Identifier: Apache-2.0
// A function for each canonical error code, and the macros that pass errors on.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_ERRORS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_ERRORS_H_

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/lib/core/status.h"

// Returns the Status from the enclosing function if it is not OK.
#define TF_RETURN_IF_ERROR(...)                               \
  do {                                                        \
    ::tensorwright::Status tf_return_status_ = (__VA_ARGS__); \
    if (!tf_return_status_.ok()) [[unlikely]]                 \
      return tf_return_status_;                               \
  } while (false)

// The same, with words added to the end of the message.
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expr, ...)                \
  do {                                                            \
    ::tensorwright::Status tf_return_status_ = (expr);            \
    if (!tf_return_status_.ok()) [[unlikely]] {                   \
      ::tensorwright::errors::AppendToMessage(&tf_return_status_, \
                                              __VA_ARGS__);       \
      return tf_return_status_;                                   \
    }                                                             \
  } while (false)

#define TF_ASSIGN_OR_RETURN_JOIN2(a, b) a##b
#define TF_ASSIGN_OR_RETURN_JOIN(a, b) TF_ASSIGN_OR_RETURN_JOIN2(a, b)
#define TF_ASSIGN_OR_RETURN_IMPL(statusor, lhs, expr) \
  auto statusor = (expr);                             \
  if (!statusor.ok()) [[unlikely]]                    \
    return ::tensorwright::Status(statusor.status()); \
  lhs = std::move(statusor).value()

// TF_ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the function returns
// its error.
#define TF_ASSIGN_OR_RETURN(lhs, ...)                                  \
  TF_ASSIGN_OR_RETURN_IMPL(                                            \
      TF_ASSIGN_OR_RETURN_JOIN(tf_status_or_value_, __COUNTER__), lhs, \
      (__VA_ARGS__))

namespace tensorwright {
namespace errors {

using Code = ::tensorwright::error::Code;

namespace internal {

// Arguments that StrCat takes stay as they are; others are printed with their
// operator<<.  Also compiles as C++11, which build files of custom ops ask for.
template <typename T>
using TakenByStrCat = std::is_convertible<const T&, const absl::AlphaNum&>;
template <typename T>
const std::enable_if_t<TakenByStrCat<T>::value, T>& Printable(const T& value) {
  return value;
}
template <typename T>
std::enable_if_t<!TakenByStrCat<T>::value, std::string> Printable(
    const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

}  // namespace internal

#define TENSORWRIGHT_DECLARE_ERROR(Func, CODE)                              \
  template <typename... Args>                                               \
  Status Func(const Args&... args) {                                        \
    return Status(error::CODE, absl::StrCat(internal::Printable(args)...)); \
  }                                                                         \
  inline bool Is##Func(const Status& s) { return s.code() == error::CODE; }

// InvalidArgument("x must be >= 0, got ", x) and IsInvalidArgument(status), and
// so on.  A macro, because C++ has no other way to make two functions' names
// from one word.
TENSORWRIGHT_DECLARE_ERROR(Cancelled, CANCELLED)
TENSORWRIGHT_DECLARE_ERROR(Unknown, UNKNOWN)
TENSORWRIGHT_DECLARE_ERROR(InvalidArgument, INVALID_ARGUMENT)
TENSORWRIGHT_DECLARE_ERROR(DeadlineExceeded, DEADLINE_EXCEEDED)
TENSORWRIGHT_DECLARE_ERROR(NotFound, NOT_FOUND)
TENSORWRIGHT_DECLARE_ERROR(AlreadyExists, ALREADY_EXISTS)
TENSORWRIGHT_DECLARE_ERROR(PermissionDenied, PERMISSION_DENIED)
TENSORWRIGHT_DECLARE_ERROR(Unauthenticated, UNAUTHENTICATED)
TENSORWRIGHT_DECLARE_ERROR(ResourceExhausted, RESOURCE_EXHAUSTED)
TENSORWRIGHT_DECLARE_ERROR(FailedPrecondition, FAILED_PRECONDITION)
TENSORWRIGHT_DECLARE_ERROR(Aborted, ABORTED)
TENSORWRIGHT_DECLARE_ERROR(OutOfRange, OUT_OF_RANGE)
TENSORWRIGHT_DECLARE_ERROR(Unimplemented, UNIMPLEMENTED)
TENSORWRIGHT_DECLARE_ERROR(Internal, INTERNAL)
TENSORWRIGHT_DECLARE_ERROR(Unavailable, UNAVAILABLE)
TENSORWRIGHT_DECLARE_ERROR(DataLoss, DATA_LOSS)

#undef TENSORWRIGHT_DECLARE_ERROR

// The error that `errno` value `err` stands for: "context; No such file or
// directory".
Status IOError(absl::string_view context, int err);

// Appends "\n\t<words>" to the message of a failed status; code and payloads
// stay.
void AppendMessage(Status* status, absl::string_view words);
template <typename... Args>
void AppendToMessage(Status* status, const Args&... args) {
  AppendMessage(status, absl::StrCat(internal::Printable(args)...));
}

// The same failure with another text; code and payloads stay.
Status WithMessage(const Status& status, absl::string_view message);

// AttachNode notes on a failed status which node failed (the first note stays);
// FailedNode reads it: "" if there is none.
Status AttachNode(Status status, absl::string_view node_name);
std::string FailedNode(const Status& status);

// The same for the line of code that failed, as "file:line".  A line is
// attached only if it is the user's business: an OP_REQUIRES of a kernel.
Status AttachSource(Status status, const char* file, int line);
std::string FailedSource(const Status& status);

// The forms in which TensorFlow's messages name nodes: {{node x}}, {{node a}},
// {{node b}}.
std::string FormatNodeNameForError(absl::string_view name);
template <typename Names>
std::string FormatNodeNamesForError(const Names& names) {
  return absl::StrJoin(names, ", ",
                       [](std::string* out, absl::string_view name) {
                         out->append(FormatNodeNameForError(name));
                       });
}

}  // namespace errors
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_ERRORS_H_
