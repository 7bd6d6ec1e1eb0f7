// SPDX-License-Identifier: Apache-2.0
// Paths of files as text.
#include "core/lib/io/path.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tensorwright {
namespace io {

std::string internal::JoinPathImpl(
    std::initializer_list<absl::string_view> parts) {
  std::string out;
  for (absl::string_view part : parts) {
    if (part.empty()) continue;
    if (out.empty()) {
      out = std::string(part);
      continue;
    }
    if (out.back() != '/') out.push_back('/');
    absl::StrAppend(&out, absl::StripPrefix(part, "/"));
  }
  return out;
}

bool IsAbsolutePath(absl::string_view path) {
  return absl::StartsWith(path, "/");
}

absl::string_view Dirname(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return path.substr(0, 0);
  return path.substr(0, slash == 0 ? 1 : slash);
}

absl::string_view Basename(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

absl::string_view Extension(absl::string_view path) {
  const absl::string_view name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? name.substr(name.size())
                                        : name.substr(dot + 1);
}

}  // namespace io
}  // namespace tensorwright
