// SPDX-License-Identifier: Apache-2.0
// Paths of files as text: joining and taking apart.
#ifndef TENSORWRIGHT_CORE_LIB_IO_PATH_H_
#define TENSORWRIGHT_CORE_LIB_IO_PATH_H_

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace io {
namespace internal {
std::string JoinPathImpl(std::initializer_list<absl::string_view> parts);
}  // namespace internal

// JoinPath("a", "b/", "/c") is "a/b/c": one slash between parts, empty parts
// left out.
template <typename... T>
std::string JoinPath(const T&... parts) {
  return internal::JoinPathImpl({parts...});
}
// Does the path start with a slash?
bool IsAbsolutePath(absl::string_view path);
// "/a" of "/a/b"; "/" of "/b", "" of "b".
absl::string_view Dirname(absl::string_view path);
// "b" of "/a/b"; "" of "/a/".
absl::string_view Basename(absl::string_view path);
// "gz" of "/a/b.tar.gz"; "" if there is no dot in the last part.
absl::string_view Extension(absl::string_view path);

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_PATH_H_
