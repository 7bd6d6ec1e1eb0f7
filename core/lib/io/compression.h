// SPDX-License-Identifier: Apache-2.0
// Names of the compressions of files, and the one check of a name.
#ifndef TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_
#define TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace io {
namespace compression {

inline constexpr char kNone[] = "";
inline constexpr char kZlib[] = "ZLIB";
inline constexpr char kGzip[] = "GZIP";

}  // namespace compression

// InvalidArgument unless `name`, the value of argument or attr `argument` of op
// `op`, is one of the three names.
Status CheckCompression(absl::string_view op, absl::string_view argument,
                        absl::string_view name);

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_
