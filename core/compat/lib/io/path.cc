// SPDX-License-Identifier: Apache-2.0
#include "core/compat/lib/io/path.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/lib/random/random.h"

namespace tensorwright {
namespace io {

absl::string_view BasenamePrefix(absl::string_view path) {
  const absl::string_view name = Basename(path);
  return name.substr(0, name.rfind('.'));
}

std::string CleanPath(absl::string_view path) {
  const bool is_absolute = IsAbsolutePath(path);
  std::vector<absl::string_view> kept;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!is_absolute) {
      kept.push_back(part);
    }
  }
  const std::string joined = absl::StrJoin(kept, "/");
  if (is_absolute) return absl::StrCat("/", joined);
  return joined.empty() ? "." : joined;
}

void ParseURI(absl::string_view uri, absl::string_view* scheme,
              absl::string_view* host, absl::string_view* path) {
  *scheme = *host = absl::string_view();
  *path = uri;
  const size_t colon = uri.find("://");
  if (colon == absl::string_view::npos || colon == 0 ||
      !std::isalpha(static_cast<unsigned char>(uri[0]))) {
    return;
  }
  for (char c : uri.substr(0, colon)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.') return;
  }
  *scheme = uri.substr(0, colon);
  const absl::string_view rest = uri.substr(colon + 3);
  const size_t slash = rest.find('/');
  *host = rest.substr(0, slash);
  *path = slash == absl::string_view::npos ? absl::string_view()
                                           : rest.substr(slash);
}

void ParseURI(absl::string_view uri, StringPiece* scheme, StringPiece* host,
              StringPiece* path) {
  absl::string_view parts[3];
  ParseURI(uri, &parts[0], &parts[1], &parts[2]);
  *scheme = parts[0];
  *host = parts[1];
  *path = parts[2];
}

std::string CreateURI(absl::string_view scheme, absl::string_view host,
                      absl::string_view path) {
  if (scheme.empty()) return std::string(path);
  return absl::StrCat(scheme, "://", host, path);
}

std::string GetTempFilename(const std::string& extension) {
  const char* folder = std::getenv("TMPDIR");
  std::string name =
      JoinPath(folder == nullptr || *folder == '\0' ? "/tmp" : folder,
               absl::StrCat("tmp_", getpid(), "_", random::New64()));
  if (!extension.empty()) absl::StrAppend(&name, ".", extension);
  return name;
}

}  // namespace io
}  // namespace tensorwright
