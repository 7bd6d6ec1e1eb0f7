// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's path.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_IO_PATH_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_IO_PATH_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/stringpiece.h"
#include "core/lib/io/path.h"

namespace tensorwright {
namespace io {

// "c" of "/a/b/c.txt".
absl::string_view BasenamePrefix(absl::string_view path);

// The path without "." and "..", and with one slash between names: "a/c" for
// "a//b/../c".
std::string CleanPath(absl::string_view path);

// Splits "scheme://host/path" into its parts; without a scheme all of it is the
// path.
void ParseURI(absl::string_view uri, absl::string_view* scheme,
              absl::string_view* host, absl::string_view* path);
void ParseURI(absl::string_view uri, StringPiece* scheme, StringPiece* host,
              StringPiece* path);
std::string CreateURI(absl::string_view scheme, absl::string_view host,
                      absl::string_view path);

// A name in the folder for temporary files; the file does not exist yet.
std::string GetTempFilename(const std::string& extension);

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_IO_PATH_H_
