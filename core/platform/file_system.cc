// SPDX-License-Identifier: Apache-2.0
// The registry, and the functions that file systems have in common.
#include "core/platform/file_system.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

struct Registry {
  mutex mu;
  std::map<std::string, std::unique_ptr<FileSystem>> file_systems
      ABSL_GUARDED_BY(mu);
};

// Never destroyed: files may be open when the process ends.
Registry& GlobalRegistry() {
  static Registry* const registry = [] {
    auto* made = new Registry;
    mutex_lock l(made->mu);
    made->file_systems[""] = NewPosixFileSystem();
    made->file_systems["file"] = NewPosixFileSystem();
    made->file_systems["ram"] = NewRamFileSystem();
    return made;
  }();
  return *registry;
}

bool HasWildcard(absl::string_view s) {
  return s.find_first_of("*?[\\") != absl::string_view::npos;
}

// A folder's path with one slash before a name in it.
std::string Inside(absl::string_view folder, absl::string_view name) {
  if (folder.empty()) return std::string(name);
  return absl::StrCat(folder, absl::EndsWith(folder, "/") ? "" : "/", name);
}

// "scheme://" or "/", the part that no pattern covers; empty for a relative
// path.
absl::string_view RootOf(absl::string_view path) {
  const absl::string_view scheme = SchemeOfPath(path);
  if (!scheme.empty()) return path.substr(0, scheme.size() + 3);
  return path.substr(0, absl::StartsWith(path, "/") ? 1 : 0);
}

}  // namespace

Status RegisterFileSystem(const std::string& scheme,
                          std::unique_ptr<FileSystem> file_system) {
  Registry& registry = GlobalRegistry();
  mutex_lock l(registry.mu);
  if (!registry.file_systems.emplace(scheme, std::move(file_system)).second) {
    return errors::AlreadyExists("There is a file system for '", scheme,
                                 "://' already");
  }
  return OkStatus();
}

std::vector<std::string> RegisteredFileSystemSchemes() {
  Registry& registry = GlobalRegistry();
  mutex_lock l(registry.mu);
  std::vector<std::string> schemes;
  for (const auto& [scheme, unused] : registry.file_systems) {
    schemes.push_back(scheme);
  }
  return schemes;
}

Status FileSystemOfPath(const std::string& path, FileSystem** result) {
  // The operating system would take the part before it as the path.
  if (absl::StrContains(path, '\0')) {
    return errors::InvalidArgument("A path must not have a zero byte, got '",
                                   absl::CHexEscape(path), "'");
  }
  const std::string scheme(SchemeOfPath(path));
  {
    Registry& registry = GlobalRegistry();
    mutex_lock l(registry.mu);
    const auto found = registry.file_systems.find(scheme);
    if (found != registry.file_systems.end()) {
      *result = found->second.get();
      return OkStatus();
    }
  }
  return errors::Unimplemented(
      "No file system for '", scheme, "://' of ", path,
      "; there are: ", absl::StrJoin(RegisteredFileSystemSchemes(), " "));
}

absl::string_view SchemeOfPath(absl::string_view path) {
  const absl::string_view none = path.substr(0, 0);
  const size_t colon = path.find("://");
  if (colon == absl::string_view::npos || colon == 0 ||
      !std::isalpha(static_cast<unsigned char>(path[0]))) {
    return none;
  }
  for (char c : path.substr(0, colon)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.') return none;
  }
  return path.substr(0, colon);
}

Status RandomAccessFile::Name(absl::string_view* /*result*/) const {
  return errors::Unimplemented("This kind of file does not say its name");
}

Status WritableFile::Name(absl::string_view* /*result*/) const {
  return errors::Unimplemented("This kind of file does not say its name");
}

Status WritableFile::Tell(int64_t* /*position*/) {
  return errors::Unimplemented("This kind of file does not say its position");
}

bool FileSystem::FilesExist(const std::vector<std::string>& names,
                            std::vector<Status>* statuses) {
  bool all = true;
  if (statuses != nullptr) statuses->clear();
  for (const std::string& name : names) {
    const Status s = FileExists(name);
    all = all && s.ok();
    if (statuses != nullptr) statuses->push_back(s);
    if (statuses == nullptr && !all) break;
  }
  return all;
}

// Goes through the names of the pattern and collects the paths that match so
// far.
Status FileSystem::GetMatchingPaths(const std::string& pattern,
                                    std::vector<std::string>* paths) {
  paths->clear();
  const absl::string_view root = RootOf(pattern);
  std::vector<std::string> found = {std::string(root)};
  const absl::string_view rest = absl::string_view(pattern).substr(root.size());
  for (absl::string_view part : absl::StrSplit(rest, '/', absl::SkipEmpty())) {
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (!HasWildcard(part)) {
        next.push_back(Inside(folder, part));
        continue;
      }
      std::vector<std::string> names;
      // A file has no children, nor has a folder that we may not read.
      if (!GetChildren(folder.empty() ? "." : folder, &names).ok()) continue;
      for (const std::string& name : names) {
        if (fnmatch(std::string(part).c_str(), name.c_str(),
                    FNM_PATHNAME | FNM_PERIOD) == 0) {
          next.push_back(Inside(folder, name));
        }
      }
    }
    found = std::move(next);
  }
  for (std::string& path : found) {
    if (FileExists(path).ok()) paths->push_back(std::move(path));
  }
  std::sort(paths->begin(), paths->end());
  return OkStatus();
}

Status FileSystem::RecursivelyCreateDir(const std::string& name) {
  size_t end = RootOf(name).size();
  while (end < name.size()) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    // A folder that is there need not be one that could be made.
    const Status s = FileExists(part).ok() ? OkStatus() : CreateDir(part);
    if (!s.ok() && !errors::IsAlreadyExists(s)) return s;
    if (end == std::string::npos) break;
  }
  return IsDirectory(name);
}

Status FileSystem::DeleteRecursively(const std::string& name,
                                     int64_t* undeleted_files,
                                     int64_t* undeleted_dirs) {
  *undeleted_files = *undeleted_dirs = 0;
  const Status exists = FileExists(name);
  if (!exists.ok()) {
    ++*undeleted_dirs;
    return exists;
  }
  if (!IsDirectory(name).ok()) {
    const Status s = DeleteFile(name);
    if (!s.ok()) ++*undeleted_files;
    return s;
  }
  Status first;
  std::vector<std::string> names;
  first.Update(GetChildren(name, &names));
  for (const std::string& child : names) {
    int64_t files, dirs;
    first.Update(DeleteRecursively(Inside(name, child), &files, &dirs));
    *undeleted_files += files;
    *undeleted_dirs += dirs;
  }
  const Status s = DeleteDir(name);
  // In a store of objects a folder disappears with its last object.
  if (s.ok() || errors::IsNotFound(s)) return first;
  ++*undeleted_dirs;
  first.Update(s);
  return first;
}

Status FileSystem::IsDirectory(const std::string& name) {
  FileStatistics st;
  TF_RETURN_IF_ERROR(Stat(name, &st));
  if (st.is_directory) return OkStatus();
  return errors::FailedPrecondition(name, " is not a directory");
}

Status FileSystem::CopyFile(const std::string& source,
                            const std::string& target) {
  std::unique_ptr<RandomAccessFile> from;
  TF_RETURN_IF_ERROR(NewRandomAccessFile(source, &from));
  std::unique_ptr<WritableFile> to;
  TF_RETURN_IF_ERROR(NewWritableFile(target, &to));
  return CopyContents(*from, to.get());
}

Status CopyContents(const RandomAccessFile& from, WritableFile* to) {
  constexpr size_t kPiece = 1 << 20;
  std::string scratch(kPiece, '\0');
  for (uint64_t offset = 0;;) {
    absl::string_view piece;
    const Status s = from.Read(offset, kPiece, &piece, scratch.data());
    if (!s.ok() && !errors::IsOutOfRange(s)) return s;
    TF_RETURN_IF_ERROR(to->Append(piece));
    offset += piece.size();
    if (!s.ok()) return to->Close();
  }
}

std::string FileSystem::TranslateName(const std::string& name) const {
  return name;
}

Status FileSystem::HasAtomicMove(const std::string& /*path*/,
                                 bool* has_atomic_move) {
  *has_atomic_move = true;
  return OkStatus();
}

}  // namespace tensorwright
