// SPDX-License-Identifier: Apache-2.0
// Env: files, time, threads and shared libraries of the machine.
#ifndef TENSORWRIGHT_CORE_PLATFORM_ENV_H_
#define TENSORWRIGHT_CORE_PLATFORM_ENV_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace google {
namespace protobuf {
class Message;
class MessageLite;
}  // namespace protobuf
}  // namespace google

namespace tensorwright {

struct FileStatistics {
  int64_t length = -1;
  int64_t mtime_nsec = 0;
  bool is_directory = false;
};

// Reads anywhere in a file; thread-safe.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // The name it was opened with; Unimplemented unless a kind of file overrides
  // it.
  virtual Status Name(absl::string_view* result) const;
  // Reads up to `n` bytes from `offset`; `result` points into `scratch` (n
  // bytes) or memory of the file. OutOfRange if there are fewer than `n`;
  // `result` then has those.
  virtual Status Read(uint64_t offset, size_t n, absl::string_view* result,
                      char* scratch) const = 0;
};

// Writes at the end.  Not thread-safe.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(absl::string_view data) = 0;
  virtual Status Close() = 0;
  // Hands the bytes written so far to the operating system; Sync also waits for
  // the disk.
  virtual Status Flush() = 0;
  virtual Status Sync() = 0;
  // The name it was opened with; the number of bytes it has, with those
  // appended. Unimplemented unless a kind of file overrides it.
  virtual Status Name(absl::string_view* result) const;
  virtual Status Tell(int64_t* position);
};

class ReadOnlyMemoryRegion {
 public:
  virtual ~ReadOnlyMemoryRegion() = default;
  virtual const void* data() = 0;
  virtual uint64_t length() = 0;
};

// A running thread; the destructor waits for it.
class Thread {
 public:
  virtual ~Thread() = default;
};

struct ThreadOptions {
  size_t stack_size = 0;  // 0: the system's default.
  size_t guard_size = 0;
  int numa_node = -1;
};

// Thread-safe.  Errors name the file: NotFound, PermissionDenied,
// AlreadyExists, FailedPrecondition, ...
class Env {
 public:
  virtual ~Env() = default;

  // The machine's Env; never destroyed.
  static Env* Default();

  // ---- Files ----------------------------------------------------------------
  virtual Status NewRandomAccessFile(const std::string& name,
                                     std::unique_ptr<RandomAccessFile>* result);
  virtual Status NewWritableFile(const std::string& name,
                                 std::unique_ptr<WritableFile>* result);
  virtual Status NewAppendableFile(const std::string& name,
                                   std::unique_ptr<WritableFile>* result);
  virtual Status NewReadOnlyMemoryRegionFromFile(
      const std::string& name, std::unique_ptr<ReadOnlyMemoryRegion>* result);
  // OK if there is such a file or folder, NotFound if not.
  virtual Status FileExists(const std::string& name);
  // Names in a folder, without "." and "..", in no order.
  virtual Status GetChildren(const std::string& dir,
                             std::vector<std::string>* names);
  // Paths that match a shell pattern, sorted; no match is no error.
  virtual Status GetMatchingPaths(const std::string& pattern,
                                  std::vector<std::string>* paths);
  virtual Status DeleteFile(const std::string& name);
  virtual Status CreateDir(const std::string& name);
  virtual Status RecursivelyCreateDir(const std::string& name);
  virtual Status DeleteDir(const std::string& name);
  // Deletes what it can and counts what it cannot.
  virtual Status DeleteRecursively(const std::string& name,
                                   int64_t* undeleted_files,
                                   int64_t* undeleted_dirs);
  virtual Status Stat(const std::string& name, FileStatistics* stat);
  virtual Status IsDirectory(const std::string& name);
  virtual Status GetFileSize(const std::string& name, uint64_t* size);
  // Replaces `target` if it exists.
  virtual Status RenameFile(const std::string& source,
                            const std::string& target);
  virtual Status CopyFile(const std::string& source, const std::string& target);
  // Sets *name to a path in the temporary folder that no file has yet.
  bool LocalTempFilename(std::string* name);

  // ---- Time -----------------------------------------------------------------
  // Counted from the epoch.
  virtual uint64_t NowNanos();
  uint64_t NowMicros() { return NowNanos() / 1000; }
  uint64_t NowSeconds() { return NowNanos() / 1000000000; }
  virtual void SleepForMicroseconds(int64_t us);

  // ---- Threads --------------------------------------------------------------
  // The caller owns the thread; deleting it joins.  These throw
  // std::system_error if the system has no thread to give, for a second.
  virtual Thread* StartThread(const ThreadOptions& options,
                              const std::string& name,
                              std::function<void()> fn);
  // Runs `fn` on a thread of its own, now or after a time.
  virtual void SchedClosure(std::function<void()> fn);
  virtual void SchedClosureAfter(int64_t us, std::function<void()> fn);
  virtual int32_t GetCurrentThreadId();
  virtual bool GetCurrentThreadName(std::string* name);

  // ---- Shared libraries -----------------------------------------------------
  virtual Status LoadLibrary(const char* path, void** handle);
  virtual Status GetSymbolFromLibrary(void* handle, const char* symbol,
                                      void** address);
};

// Read and write whole files at once.
Status ReadFileToString(Env* env, const std::string& name, std::string* data);
Status WriteStringToFile(Env* env, const std::string& name,
                         absl::string_view data);

// Protos in files: as bytes, and in text form.  DataLoss if the file has other
// contents.
Status ReadBinaryProto(Env* env, const std::string& name,
                       google::protobuf::MessageLite* proto);
Status WriteBinaryProto(Env* env, const std::string& name,
                        const google::protobuf::MessageLite& proto);
Status ReadTextProto(Env* env, const std::string& name,
                     google::protobuf::Message* proto);
Status WriteTextProto(Env* env, const std::string& name,
                      const google::protobuf::Message& proto);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_ENV_H_
