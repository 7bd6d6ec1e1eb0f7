// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/compression.h"

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace io {

Status CheckCompression(absl::string_view op, absl::string_view argument,
                        absl::string_view name) {
  if (name == compression::kNone || name == compression::kZlib ||
      name == compression::kGzip) {
    return Status();
  }
  return errors::InvalidArgument(
      op, ": ", argument, " must be '', 'ZLIB' or 'GZIP', got '", name, "'");
}

}  // namespace io
}  // namespace tensorwright
