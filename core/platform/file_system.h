// SPDX-License-Identifier: Apache-2.0
// FileSystem: the interface of a kind of files, and the registry of them by
// scheme.
//
// A path "ram://a/b" belongs to the file system registered as "ram", a path
// without "://" to that of the machine, registered as "".  Programs ask Env,
// which finds the file system of each path.  To add a kind of files:
//
//   class RowStore : public FileSystem { ... };
//   REGISTER_FILE_SYSTEM("rows", RowStore);
#ifndef TENSORWRIGHT_CORE_PLATFORM_FILE_SYSTEM_H_
#define TENSORWRIGHT_CORE_PLATFORM_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"

namespace tensorwright {

// Thread-safe.  Paths come with their scheme.  Errors name the path: NotFound,
// AlreadyExists, PermissionDenied, FailedPrecondition (a folder that is not
// empty, a file in the place of a folder), Unimplemented (this kind lacks it);
// a failed call changes nothing unless its comment says so.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // ---- Functions that every kind has ---------------------------------------
  virtual Status NewRandomAccessFile(
      const std::string& name, std::unique_ptr<RandomAccessFile>* result) = 0;
  // Replaces a file of that name.
  virtual Status NewWritableFile(const std::string& name,
                                 std::unique_ptr<WritableFile>* result) = 0;
  virtual Status NewAppendableFile(const std::string& name,
                                   std::unique_ptr<WritableFile>* result) = 0;
  virtual Status NewReadOnlyMemoryRegionFromFile(
      const std::string& name,
      std::unique_ptr<ReadOnlyMemoryRegion>* result) = 0;
  // OK if there is such a file or folder, NotFound if not.
  virtual Status FileExists(const std::string& name) = 0;
  // Names in a folder, without "." and "..", in no order.
  virtual Status GetChildren(const std::string& dir,
                             std::vector<std::string>* names) = 0;
  virtual Status Stat(const std::string& name, FileStatistics* stat) = 0;
  virtual Status DeleteFile(const std::string& name) = 0;
  virtual Status CreateDir(const std::string& name) = 0;
  virtual Status DeleteDir(const std::string& name) = 0;
  virtual Status GetFileSize(const std::string& name, uint64_t* size) = 0;
  // Replaces `target` if it exists.  Both belong to this file system.
  virtual Status RenameFile(const std::string& source,
                            const std::string& target) = 0;

  // ---- Functions made of these, unless a kind does better -------------------
  // Do all exist? `statuses`, if not null, gets one for each.
  virtual bool FilesExist(const std::vector<std::string>& names,
                          std::vector<Status>* statuses);
  // Paths that match a shell pattern, sorted; no match is no error.  Wildcards
  // do not match a slash.
  virtual Status GetMatchingPaths(const std::string& pattern,
                                  std::vector<std::string>* paths);
  // Makes the folders above it, too; OK if it exists.
  virtual Status RecursivelyCreateDir(const std::string& name);
  // Deletes what it can and counts what it cannot.
  virtual Status DeleteRecursively(const std::string& name,
                                   int64_t* undeleted_files,
                                   int64_t* undeleted_dirs);
  virtual Status IsDirectory(const std::string& name);
  // Copies within this file system; replaces `target`.
  virtual Status CopyFile(const std::string& source, const std::string& target);
  // The form of the path that this file system's own functions use.
  virtual std::string TranslateName(const std::string& name) const;
  // Is a renamed file never seen in part?  Code that writes atomically renames
  // only if so.
  virtual Status HasAtomicMove(const std::string& path, bool* has_atomic_move);
  virtual void FlushCaches() {}
};

// Gives a scheme its file system, in this process.  Thread-safe; registrations
// stay.  AlreadyExists for a scheme that is taken.
Status RegisterFileSystem(const std::string& scheme,
                          std::unique_ptr<FileSystem> file_system);
std::vector<std::string> RegisteredFileSystemSchemes();
// The file system of a path; Unimplemented, with the schemes there are, if
// there is none.  Owned by the registry.
Status FileSystemOfPath(const std::string& path, FileSystem** result);

// The machine's own files, and files in the memory of the process, which end
// with it.  A file in memory needs no folders made above it.
std::unique_ptr<FileSystem> NewPosixFileSystem();
std::unique_ptr<FileSystem> NewRamFileSystem();

// Copies all of a file, a piece at a time; closes `to`.
Status CopyContents(const RandomAccessFile& from, WritableFile* to);

// "ram" of "ram://a/b", "" of "/a/b".  A scheme consists of letters, digits and
// dots, a letter first.
absl::string_view SchemeOfPath(absl::string_view path);

// Later versions of TensorFlow give each function one more argument; a file
// system with this line has the functions without it.
#define TF_USE_FILESYSTEM_METHODS_WITH_NO_TRANSACTION_SUPPORT \
  static_assert(true, "the functions have no such argument here")

namespace register_file_system {

// Registers `Factory`, a FileSystem, for as long as the process lives.
template <typename Factory>
struct Register {
  Register(Env* /*env*/, const std::string& scheme) {
    RegisterFileSystem(scheme, std::make_unique<Factory>()).IgnoreError();
  }
};

}  // namespace register_file_system
}  // namespace tensorwright

// Registration at file scope; macros, as TensorFlow's are.
#define REGISTER_FILE_SYSTEM_ENV(env, scheme, factory) \
  REGISTER_FILE_SYSTEM_UNIQUE_HELPER(__COUNTER__, env, scheme, factory)
#define REGISTER_FILE_SYSTEM_UNIQUE_HELPER(ctr, env, scheme, factory) \
  REGISTER_FILE_SYSTEM_UNIQUE(ctr, env, scheme, factory)
#define REGISTER_FILE_SYSTEM_UNIQUE(ctr, env, scheme, factory)   \
  static ::tensorwright::register_file_system::Register<factory> \
      register_file_system_##ctr [[maybe_unused]] (env, scheme)
#define REGISTER_FILE_SYSTEM(scheme, factory) \
  REGISTER_FILE_SYSTEM_ENV(::tensorwright::Env::Default(), scheme, factory)

#endif  // TENSORWRIGHT_CORE_PLATFORM_FILE_SYSTEM_H_
