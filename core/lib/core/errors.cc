// SPDX-License-Identifier: Apache-2.0
// Makes errors from errno, and notes nodes on errors.
#include "core/lib/core/errors.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tensorwright {
namespace errors {
namespace {

constexpr absl::string_view kNodePayload = "tensorwright/node";
constexpr absl::string_view kSourcePayload = "tensorwright/source";

error::Code CodeOfErrno(int err) {
  switch (err) {
    case 0:
      return error::OK;
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOTTY:
    case ESPIPE:
      return error::INVALID_ARGUMENT;
    case ETIMEDOUT:
    case ETIME:
      return error::DEADLINE_EXCEEDED;
    case ENODEV:
    case ENOENT:
    case ENXIO:
    case ESRCH:
      return error::NOT_FOUND;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY:
      return error::ALREADY_EXISTS;
    case EPERM:
    case EACCES:
    case EROFS:
      return error::PERMISSION_DENIED;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EADDRINUSE:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTBLK:
    case ENOTCONN:
    case EPIPE:
    case ETXTBSY:
      return error::FAILED_PRECONDITION;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EUSERS:
      return error::RESOURCE_EXHAUSTED;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE:
      return error::OUT_OF_RANGE;
    case ENOSYS:
    case ENOTSUP:
    case EPFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EXDEV:
      return error::UNIMPLEMENTED;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNABORTED:
    case ECONNRESET:
    case EINTR:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLCK:
      return error::UNAVAILABLE;
    case EDEADLK:
    case ESTALE:
      return error::ABORTED;
    case ECANCELED:
      return error::CANCELLED;
    default:
      return error::UNKNOWN;
  }
}

}  // namespace

Status IOError(absl::string_view context, int err) {
  const error::Code code = CodeOfErrno(err);
  if (context.empty()) return Status(code, std::strerror(err));
  return Status(code, absl::StrCat(context, "; ", std::strerror(err)));
}

Status WithMessage(const Status& status, absl::string_view message) {
  if (status.ok()) return status;
  Status out(status.code(), message);
  status.ForEachPayload(
      [&out](absl::string_view url, absl::string_view payload) {
        out.SetPayload(url, payload);
      });
  return out;
}

void AppendMessage(Status* status, absl::string_view words) {
  *status =
      WithMessage(*status, absl::StrCat(status->message(), "\n\t", words));
}

Status AttachNode(Status status, absl::string_view node_name) {
  if (!status.ok() && FailedNode(status).empty()) {
    status.SetPayload(kNodePayload, node_name);
  }
  return status;
}

std::string FailedNode(const Status& status) {
  return status.GetPayload(kNodePayload).value_or("");
}

Status AttachSource(Status status, const char* file, int line) {
  if (!status.ok() && FailedSource(status).empty()) {
    status.SetPayload(kSourcePayload, absl::StrCat(file, ":", line));
  }
  return status;
}

std::string FailedSource(const Status& status) {
  return status.GetPayload(kSourcePayload).value_or("");
}

std::string FormatNodeNameForError(absl::string_view name) {
  return absl::StrCat("{{node ", name, "}}");
}

}  // namespace errors
}  // namespace tensorwright
