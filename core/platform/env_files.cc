// SPDX-License-Identifier: Apache-2.0
// Env's files: asks the file system of each path.
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/platform/file_system.h"

namespace tensorwright {
namespace {

// Calls f(arguments) of the file system of `name`.
template <typename... Parameters, typename... Arguments>
Status Ask(const std::string& name, Status (FileSystem::*f)(Parameters...),
           Arguments&&... arguments) {
  FileSystem* fs;
  TF_RETURN_IF_ERROR(FileSystemOfPath(name, &fs));
  return (fs->*f)(std::forward<Arguments>(arguments)...);
}

}  // namespace

Status Env::NewRandomAccessFile(const std::string& name,
                                std::unique_ptr<RandomAccessFile>* result) {
  return Ask(name, &FileSystem::NewRandomAccessFile, name, result);
}

Status Env::NewWritableFile(const std::string& name,
                            std::unique_ptr<WritableFile>* result) {
  return Ask(name, &FileSystem::NewWritableFile, name, result);
}

Status Env::NewAppendableFile(const std::string& name,
                              std::unique_ptr<WritableFile>* result) {
  return Ask(name, &FileSystem::NewAppendableFile, name, result);
}

Status Env::NewReadOnlyMemoryRegionFromFile(
    const std::string& name, std::unique_ptr<ReadOnlyMemoryRegion>* result) {
  return Ask(name, &FileSystem::NewReadOnlyMemoryRegionFromFile, name, result);
}

Status Env::FileExists(const std::string& name) {
  return Ask(name, &FileSystem::FileExists, name);
}

Status Env::GetChildren(const std::string& dir,
                        std::vector<std::string>* names) {
  return Ask(dir, &FileSystem::GetChildren, dir, names);
}

Status Env::GetMatchingPaths(const std::string& pattern,
                             std::vector<std::string>* paths) {
  return Ask(pattern, &FileSystem::GetMatchingPaths, pattern, paths);
}

Status Env::DeleteFile(const std::string& name) {
  return Ask(name, &FileSystem::DeleteFile, name);
}

Status Env::CreateDir(const std::string& name) {
  return Ask(name, &FileSystem::CreateDir, name);
}

Status Env::RecursivelyCreateDir(const std::string& name) {
  return Ask(name, &FileSystem::RecursivelyCreateDir, name);
}

Status Env::DeleteDir(const std::string& name) {
  return Ask(name, &FileSystem::DeleteDir, name);
}

Status Env::DeleteRecursively(const std::string& name, int64_t* undeleted_files,
                              int64_t* undeleted_dirs) {
  *undeleted_files = *undeleted_dirs = 0;
  return Ask(name, &FileSystem::DeleteRecursively, name, undeleted_files,
             undeleted_dirs);
}

Status Env::Stat(const std::string& name, FileStatistics* stat) {
  return Ask(name, &FileSystem::Stat, name, stat);
}

Status Env::IsDirectory(const std::string& name) {
  return Ask(name, &FileSystem::IsDirectory, name);
}

Status Env::GetFileSize(const std::string& name, uint64_t* size) {
  return Ask(name, &FileSystem::GetFileSize, name, size);
}

Status Env::RenameFile(const std::string& source, const std::string& target) {
  FileSystem *from, *to;
  TF_RETURN_IF_ERROR(FileSystemOfPath(source, &from));
  TF_RETURN_IF_ERROR(FileSystemOfPath(target, &to));
  if (from != to) {
    return errors::Unimplemented("Cannot rename ", source, " to ", target,
                                 ", which is of another file system");
  }
  return from->RenameFile(source, target);
}

Status Env::CopyFile(const std::string& source, const std::string& target) {
  FileSystem *from_fs, *to_fs;
  TF_RETURN_IF_ERROR(FileSystemOfPath(source, &from_fs));
  TF_RETURN_IF_ERROR(FileSystemOfPath(target, &to_fs));
  if (from_fs == to_fs) return from_fs->CopyFile(source, target);
  std::unique_ptr<RandomAccessFile> from;
  TF_RETURN_IF_ERROR(from_fs->NewRandomAccessFile(source, &from));
  std::unique_ptr<WritableFile> to;
  TF_RETURN_IF_ERROR(to_fs->NewWritableFile(target, &to));
  return CopyContents(*from, to.get());
}

bool Env::LocalTempFilename(std::string* name) {
  const char* dir = getenv("TMPDIR");
  std::string pattern =
      absl::StrCat(dir == nullptr ? "/tmp" : dir, "/tensorwright_XXXXXX");
  const int fd = mkstemp(pattern.data());
  if (fd < 0) return false;
  close(fd);
  unlink(pattern.c_str());
  *name = pattern;
  return true;
}

}  // namespace tensorwright
