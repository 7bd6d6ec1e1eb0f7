// SPDX-License-Identifier: Apache-2.0
// RestrictedEnv.
#include "core/common_runtime/restricted_env.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/lib/core/errors.h"
#include "core/platform/file_system.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

// As many as the system follows in a path.
constexpr int kMaxLinks = 40;

std::string WorkingDirectory() {
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof(buffer)) == nullptr ? "/" : buffer;
}

// "/a/b" of {a, b}.
std::string PathOf(const std::vector<std::string>& parts) {
  return absl::StrCat("/", absl::StrJoin(parts, "/"));
}

// False if the path is no symbolic link.
bool ReadLink(const std::string& path, std::string* target) {
  char buffer[PATH_MAX];
  const ssize_t n = readlink(path.c_str(), buffer, sizeof(buffer));
  if (n < 0) return false;
  target->assign(buffer, static_cast<size_t>(n));
  return true;
}

// Without "." and "..", as text alone.
std::string WithoutDots(absl::string_view path) {
  std::vector<std::string> parts;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part != "..") {
      parts.emplace_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  return PathOf(parts);
}

Status ResolveLocal(const std::string& path, std::string* resolved) {
  const std::string whole = absl::StartsWith(path, "/")
                                ? path
                                : absl::StrCat(WorkingDirectory(), "/", path);
  std::deque<std::string> left = absl::StrSplit(whole, '/', absl::SkipEmpty());
  std::vector<std::string> done;  // Has no links.
  int links = 0;
  while (!left.empty()) {
    const std::string part = std::move(left.front());
    left.pop_front();
    if (part == ".") continue;
    if (part == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    done.push_back(part);
    std::string target;
    if (!ReadLink(PathOf(done), &target)) continue;
    if (++links > kMaxLinks) {
      return errors::InvalidArgument(path, " has more than ", kMaxLinks,
                                     " symbolic links");
    }
    done.pop_back();
    if (absl::StartsWith(target, "/")) done.clear();
    const std::vector<std::string> parts =
        absl::StrSplit(target, '/', absl::SkipEmpty());
    left.insert(left.begin(), parts.begin(), parts.end());
  }
  *resolved = PathOf(done);
  return OkStatus();
}

bool IsInside(absl::string_view path, absl::string_view folder) {
  if (absl::EndsWith(folder, "/")) return absl::StartsWith(path, folder);
  return absl::StartsWith(path, folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

// Tells rules apart; no path has a zero byte.
std::string KeyOf(const FileRules& rules) {
  std::string key = rules.policy;
  for (const FolderRule* rule : {&rules.read, &rules.write}) {
    absl::StrAppend(&key, absl::string_view("\0", 1), rule->all ? "all" : "",
                    rule->line);
    for (const std::string& folder : rule->folders) {
      absl::StrAppend(&key, absl::string_view("\0", 1), folder);
    }
  }
  return key;
}

}  // namespace

Status ResolvePath(const std::string& path, std::string* resolved) {
  const absl::string_view scheme = SchemeOfPath(path);
  if (scheme.empty()) return ResolveLocal(path, resolved);
  const std::string rest = path.substr(scheme.size() + 3);
  if (scheme != "file") {
    *resolved = absl::StrCat(scheme, "://", WithoutDots(rest).substr(1));
    return OkStatus();
  }
  // The part before the slash stands for a host.
  const size_t slash = rest.find('/');
  return ResolveLocal(slash == std::string::npos ? "/" : rest.substr(slash),
                      resolved);
}

Status RestrictedEnv::For(const FileRules& rules, Env** env) {
  *env = Env::Default();
  if (rules.read.all && rules.write.all) return OkStatus();
  FileRules made = rules;
  for (FolderRule* rule : {&made.read, &made.write}) {
    for (std::string& folder : rule->folders) {
      std::string resolved;
      TF_RETURN_IF_ERROR(ResolvePath(folder, &resolved));
      folder = std::move(resolved);
    }
  }
  static mutex mu;
  static auto* const known = new std::map<std::string, Env*>;
  mutex_lock lock(mu);
  Env*& one = (*known)[KeyOf(made)];
  if (one == nullptr) one = new RestrictedEnv(std::move(made));
  *env = one;
  return OkStatus();
}

Status RestrictedEnv::Check(const FolderRule& rule, absl::string_view verb,
                            const std::string& path) const {
  // The file system refuses a path with a zero byte.
  if (rule.all || absl::StrContains(path, '\0')) return OkStatus();
  std::string resolved;
  const Status found = ResolvePath(path, &resolved);
  if (found.ok()) {
    for (const std::string& folder : rule.folders) {
      if (IsInside(resolved, folder)) return OkStatus();
    }
  }
  const std::string same =
      !found.ok() || resolved == path ? "" : absl::StrCat(" (", resolved, ")");
  return errors::PermissionDenied(
      "the policy '", rules_.policy, "' does not let the session ", verb, " ",
      path, same, ": its line is '", rule.line, "'");
}

Status RestrictedEnv::MayRead(const std::string& path) const {
  return Check(rules_.read, "read", path);
}

Status RestrictedEnv::MayWrite(const std::string& path) const {
  return Check(rules_.write, "write", path);
}

Status RestrictedEnv::MayReadOrWrite(const std::string& path) const {
  const Status read = MayRead(path);
  return read.ok() || MayWrite(path).ok() ? OkStatus() : read;
}

Status RestrictedEnv::NewRandomAccessFile(
    const std::string& name, std::unique_ptr<RandomAccessFile>* result) {
  TF_RETURN_IF_ERROR(MayRead(name));
  return Env::NewRandomAccessFile(name, result);
}

Status RestrictedEnv::NewWritableFile(const std::string& name,
                                      std::unique_ptr<WritableFile>* result) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::NewWritableFile(name, result);
}

Status RestrictedEnv::NewAppendableFile(const std::string& name,
                                        std::unique_ptr<WritableFile>* result) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::NewAppendableFile(name, result);
}

Status RestrictedEnv::NewReadOnlyMemoryRegionFromFile(
    const std::string& name, std::unique_ptr<ReadOnlyMemoryRegion>* result) {
  TF_RETURN_IF_ERROR(MayRead(name));
  return Env::NewReadOnlyMemoryRegionFromFile(name, result);
}

Status RestrictedEnv::FileExists(const std::string& name) {
  TF_RETURN_IF_ERROR(MayReadOrWrite(name));
  return Env::FileExists(name);
}

Status RestrictedEnv::GetChildren(const std::string& dir,
                                  std::vector<std::string>* names) {
  TF_RETURN_IF_ERROR(MayRead(dir));
  return Env::GetChildren(dir, names);
}

Status RestrictedEnv::GetMatchingPaths(const std::string& pattern,
                                       std::vector<std::string>* paths) {
  paths->clear();
  const size_t wildcard = pattern.find_first_of("*?[\\");
  if (wildcard == std::string::npos) {
    TF_RETURN_IF_ERROR(MayRead(pattern));
    return Env::GetMatchingPaths(pattern, paths);
  }
  // The folders are listed from here on down.
  const size_t slash = pattern.rfind('/', wildcard);
  const std::string root =
      slash == std::string::npos ? "." : pattern.substr(0, slash + 1);
  TF_RETURN_IF_ERROR(MayRead(root));
  const absl::string_view rest = absl::string_view(pattern).substr(
      slash == std::string::npos ? 0 : slash + 1);
  for (absl::string_view part : absl::StrSplit(rest, '/')) {
    if (part != "..") continue;
    return errors::PermissionDenied(
        "the policy '", rules_.policy,
        "' does not let a pattern go up behind a wildcard: ", pattern);
  }
  std::vector<std::string> found;
  TF_RETURN_IF_ERROR(Env::GetMatchingPaths(pattern, &found));
  // A link leads out of the folder.
  for (const std::string& path : found) TF_RETURN_IF_ERROR(MayRead(path));
  *paths = std::move(found);
  return OkStatus();
}

Status RestrictedEnv::DeleteFile(const std::string& name) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::DeleteFile(name);
}

Status RestrictedEnv::CreateDir(const std::string& name) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::CreateDir(name);
}

Status RestrictedEnv::RecursivelyCreateDir(const std::string& name) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::RecursivelyCreateDir(name);
}

Status RestrictedEnv::DeleteDir(const std::string& name) {
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::DeleteDir(name);
}

Status RestrictedEnv::DeleteRecursively(const std::string& name,
                                        int64_t* undeleted_files,
                                        int64_t* undeleted_dirs) {
  *undeleted_files = *undeleted_dirs = 0;
  TF_RETURN_IF_ERROR(MayWrite(name));
  return Env::DeleteRecursively(name, undeleted_files, undeleted_dirs);
}

Status RestrictedEnv::Stat(const std::string& name, FileStatistics* stat) {
  TF_RETURN_IF_ERROR(MayReadOrWrite(name));
  return Env::Stat(name, stat);
}

Status RestrictedEnv::IsDirectory(const std::string& name) {
  TF_RETURN_IF_ERROR(MayReadOrWrite(name));
  return Env::IsDirectory(name);
}

Status RestrictedEnv::GetFileSize(const std::string& name, uint64_t* size) {
  TF_RETURN_IF_ERROR(MayReadOrWrite(name));
  return Env::GetFileSize(name, size);
}

Status RestrictedEnv::RenameFile(const std::string& source,
                                 const std::string& target) {
  TF_RETURN_IF_ERROR(MayWrite(source));
  TF_RETURN_IF_ERROR(MayWrite(target));
  return Env::RenameFile(source, target);
}

Status RestrictedEnv::CopyFile(const std::string& source,
                               const std::string& target) {
  TF_RETURN_IF_ERROR(MayRead(source));
  TF_RETURN_IF_ERROR(MayWrite(target));
  return Env::CopyFile(source, target);
}

}  // namespace tensorwright
