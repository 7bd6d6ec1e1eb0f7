// SPDX-License-Identifier: Apache-2.0
// abseil's names of Status and StatusOr, for sources written against TensorFlow
// 2.x, where they are the same classes.  Such sources get this header as
// "absl/status/status.h"; code of this tree includes core/lib/core/status.h,
// and neither.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_ABSL_STATUS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_ABSL_STATUS_H_

#ifdef ABSL_STATUS_STATUS_H_
#error \
    "abseil's own absl/status/status.h came first: put the include folder \
of this package before abseil's"
#endif
// Abseil's headers would define other classes by these names.
#define ABSL_STATUS_STATUS_H_
#define ABSL_STATUS_STATUSOR_H_

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace absl {

using ::tensorwright::OkStatus;
using ::tensorwright::Status;
using ::tensorwright::StatusOr;
using StatusCode = ::tensorwright::error::StatusCode;

inline std::string StatusCodeToString(StatusCode code) {
  return std::string(::tensorwright::error::CodeName(code));
}

// A macro, because each code comes with a function that makes it and one that
// asks for it.
#define TENSORWRIGHT_ABSL_ERROR(Name)                        \
  inline Status Name##Error(absl::string_view message) {     \
    return Status(StatusCode::k##Name, message);             \
  }                                                          \
  [[nodiscard]] inline bool Is##Name(const Status& status) { \
    return status.code() == StatusCode::k##Name;             \
  }

TENSORWRIGHT_ABSL_ERROR(Aborted)
TENSORWRIGHT_ABSL_ERROR(AlreadyExists)
TENSORWRIGHT_ABSL_ERROR(Cancelled)
TENSORWRIGHT_ABSL_ERROR(DataLoss)
TENSORWRIGHT_ABSL_ERROR(DeadlineExceeded)
TENSORWRIGHT_ABSL_ERROR(FailedPrecondition)
TENSORWRIGHT_ABSL_ERROR(Internal)
TENSORWRIGHT_ABSL_ERROR(InvalidArgument)
TENSORWRIGHT_ABSL_ERROR(NotFound)
TENSORWRIGHT_ABSL_ERROR(OutOfRange)
TENSORWRIGHT_ABSL_ERROR(PermissionDenied)
TENSORWRIGHT_ABSL_ERROR(ResourceExhausted)
TENSORWRIGHT_ABSL_ERROR(Unauthenticated)
TENSORWRIGHT_ABSL_ERROR(Unavailable)
TENSORWRIGHT_ABSL_ERROR(Unimplemented)
TENSORWRIGHT_ABSL_ERROR(Unknown)

#undef TENSORWRIGHT_ABSL_ERROR

}  // namespace absl

#endif  // TENSORWRIGHT_CORE_LIB_CORE_ABSL_STATUS_H_
