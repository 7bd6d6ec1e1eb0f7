// SPDX-License-Identifier: Apache-2.0
// RestrictedEnv: an Env that reaches the files in some folders only, for
// sessions whose policy says so.
//
// Kernels open files by their context's env(), which is their device's.  So a
// session that gives its devices a RestrictedEnv has one place that every path
// passes, whatever op, function or dataset it comes from.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_RESTRICTED_ENV_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_RESTRICTED_ENV_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"

namespace tensorwright {

// The files that may be read, or written.
struct FolderRule {
  bool all = true;
  // If not all: those in these folders, and the folders themselves.  Paths as a
  // program gives them, perhaps with a scheme; relative ones begin at the
  // working directory of the moment.
  std::vector<std::string> folders;
  // For messages: "read: /models".
  std::string line;
};

struct FileRules {
  FolderRule read;
  FolderRule write;
  std::string policy;  // Its name, for messages.
};

// Sets *resolved to the path that the machine would open: absolute, without
// symbolic links, "." and "..".  Parts that do not exist stay as they are.  A
// path with a scheme other than "file" has no links and keeps its scheme.
// InvalidArgument for a circle of links.
Status ResolvePath(const std::string& path, std::string* resolved);

// Each function of Env that takes a path fails with PermissionDenied, which
// names the path and the rule, unless the resolved path lies in one of the
// folders; then nothing has been looked at, not even whether the file exists.
// Deleting, moving and making folders is writing.  FileExists, Stat and the
// like pass if the path may be read or written.  Who can move folders, or make
// links in them, while a path is used can still lead it elsewhere.
class RestrictedEnv final : public Env {
 public:
  // One for all callers with the same rules, never destroyed: what a kernel
  // leaves behind in a device's resources may use it late.  Env::Default() if
  // there is nothing to restrict.  InvalidArgument for a folder that cannot be
  // resolved.
  static Status For(const FileRules& rules, Env** env);

  Status MayRead(const std::string& path) const;
  Status MayWrite(const std::string& path) const;

  Status NewRandomAccessFile(
      const std::string& name,
      std::unique_ptr<RandomAccessFile>* result) override;
  Status NewWritableFile(const std::string& name,
                         std::unique_ptr<WritableFile>* result) override;
  Status NewAppendableFile(const std::string& name,
                           std::unique_ptr<WritableFile>* result) override;
  Status NewReadOnlyMemoryRegionFromFile(
      const std::string& name,
      std::unique_ptr<ReadOnlyMemoryRegion>* result) override;
  Status FileExists(const std::string& name) override;
  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* names) override;
  Status GetMatchingPaths(const std::string& pattern,
                          std::vector<std::string>* paths) override;
  Status DeleteFile(const std::string& name) override;
  Status CreateDir(const std::string& name) override;
  Status RecursivelyCreateDir(const std::string& name) override;
  Status DeleteDir(const std::string& name) override;
  Status DeleteRecursively(const std::string& name, int64_t* undeleted_files,
                           int64_t* undeleted_dirs) override;
  Status Stat(const std::string& name, FileStatistics* stat) override;
  Status IsDirectory(const std::string& name) override;
  Status GetFileSize(const std::string& name, uint64_t* size) override;
  Status RenameFile(const std::string& source,
                    const std::string& target) override;
  Status CopyFile(const std::string& source,
                  const std::string& target) override;

 private:
  explicit RestrictedEnv(FileRules rules) : rules_(std::move(rules)) {}

  Status MayReadOrWrite(const std::string& path) const;
  Status Check(const FolderRule& rule, absl::string_view verb,
               const std::string& path) const;

  const FileRules rules_;  // With resolved folders.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_RESTRICTED_ENV_H_
