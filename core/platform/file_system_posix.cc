// SPDX-License-Identifier: Apache-2.0
// The machine's files, over POSIX.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/platform/file_system.h"

namespace tensorwright {
namespace {

// The path without "file://" and the part that stands for a host.
std::string Local(const std::string& name) {
  const absl::string_view scheme = SchemeOfPath(name);
  if (scheme.empty()) return name;
  const size_t slash = name.find('/', scheme.size() + 3);
  return slash == std::string::npos ? "" : name.substr(slash);
}

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(std::string name, int fd)
      : name_(std::move(name)), fd_(fd) {}
  ~PosixRandomAccessFile() override { close(fd_); }

  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }

  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    size_t got = 0;
    Status status;
    while (got < n && status.ok()) {
      const ssize_t r =
          pread(fd_, scratch + got, n - got, static_cast<off_t>(offset + got));
      if (r > 0) {
        got += static_cast<size_t>(r);
      } else if (r == 0) {
        status = errors::OutOfRange("Read fewer bytes than requested");
      } else if (errno != EINTR && errno != EAGAIN) {
        status = errors::IOError(name_, errno);
      }
    }
    *result = absl::string_view(scratch, got);
    return status;
  }

 private:
  const std::string name_;
  const int fd_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string name, FILE* file)
      : name_(std::move(name)), file_(file) {}
  ~PosixWritableFile() override {
    if (file_ != nullptr) fclose(file_);
  }

  Status Append(absl::string_view data) override {
    if (file_ == nullptr) return Closed();
    return Check(fwrite(data.data(), 1, data.size(), file_) == data.size());
  }
  Status Close() override {
    if (file_ == nullptr) return Closed();
    return Check(fclose(std::exchange(file_, nullptr)) == 0);
  }
  Status Flush() override {
    if (file_ == nullptr) return Closed();
    return Check(fflush(file_) == 0);
  }
  Status Sync() override {
    TF_RETURN_IF_ERROR(Flush());
    return Check(fsync(fileno(file_)) == 0);
  }
  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }
  Status Tell(int64_t* position) override {
    if (file_ == nullptr) return Closed();
    *position = ftello(file_);
    return Check(*position >= 0);
  }

 private:
  Status Check(bool ok) const {
    return ok ? OkStatus() : errors::IOError(name_, errno);
  }
  Status Closed() const {
    return errors::FailedPrecondition(name_, " is closed already");
  }

  const std::string name_;
  FILE* file_;
};

class MappedRegion final : public ReadOnlyMemoryRegion {
 public:
  MappedRegion(void* data, uint64_t length) : data_(data), length_(length) {}
  ~MappedRegion() override {
    if (length_ > 0) munmap(data_, length_);
  }
  const void* data() override { return data_; }
  uint64_t length() override { return length_; }

 private:
  void* const data_;
  const uint64_t length_;
};

Status OpenForWriting(const std::string& name, const char* mode,
                      std::unique_ptr<WritableFile>* result) {
  FILE* file = fopen(Local(name).c_str(), mode);
  if (file == nullptr) return errors::IOError(name, errno);
  *result = std::make_unique<PosixWritableFile>(name, file);
  return OkStatus();
}

Status CheckPosix(int result, const std::string& name) {
  return result == 0 ? OkStatus() : errors::IOError(name, errno);
}

class PosixFileSystem final : public FileSystem {
 public:
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
  Status Stat(const std::string& name, FileStatistics* stat) override;
  Status DeleteFile(const std::string& name) override;
  Status CreateDir(const std::string& name) override;
  Status DeleteDir(const std::string& name) override;
  Status RecursivelyCreateDir(const std::string& name) override;
  Status DeleteRecursively(const std::string& name, int64_t* undeleted_files,
                           int64_t* undeleted_dirs) override;
  Status GetFileSize(const std::string& name, uint64_t* size) override;
  Status RenameFile(const std::string& source,
                    const std::string& target) override;
  std::string TranslateName(const std::string& name) const override;
};

Status PosixFileSystem::NewRandomAccessFile(
    const std::string& name, std::unique_ptr<RandomAccessFile>* result) {
  const int fd = open(Local(name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errors::IOError(name, errno);
  *result = std::make_unique<PosixRandomAccessFile>(name, fd);
  return OkStatus();
}

Status PosixFileSystem::NewWritableFile(const std::string& name,
                                        std::unique_ptr<WritableFile>* result) {
  return OpenForWriting(name, "we", result);
}

Status PosixFileSystem::NewAppendableFile(
    const std::string& name, std::unique_ptr<WritableFile>* result) {
  return OpenForWriting(name, "ae", result);
}

Status PosixFileSystem::NewReadOnlyMemoryRegionFromFile(
    const std::string& name, std::unique_ptr<ReadOnlyMemoryRegion>* result) {
  const int fd = open(Local(name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errors::IOError(name, errno);
  struct stat st;
  Status status = CheckPosix(fstat(fd, &st), name);
  void* data = nullptr;
  if (status.ok() && st.st_size > 0) {
    data = mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ,
                MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) status = errors::IOError(name, errno);
  }
  close(fd);
  TF_RETURN_IF_ERROR(status);
  *result = std::make_unique<MappedRegion>(data, st.st_size);
  return OkStatus();
}

Status PosixFileSystem::FileExists(const std::string& name) {
  if (access(Local(name).c_str(), F_OK) == 0) return OkStatus();
  return errors::NotFound(name, " not found");
}

Status PosixFileSystem::GetChildren(const std::string& dir,
                                    std::vector<std::string>* names) {
  names->clear();
  DIR* d = opendir(Local(dir).c_str());
  if (d == nullptr) return errors::IOError(dir, errno);
  // At the end of the folder readdir leaves errno as it is.
  errno = 0;
  while (const dirent* entry = readdir(d)) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names->emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  closedir(d);
  return error == 0 ? OkStatus() : errors::IOError(dir, error);
}

Status PosixFileSystem::GetMatchingPaths(const std::string& pattern,
                                         std::vector<std::string>* paths) {
  paths->clear();
  glob_t found;
  // A folder that may not be read, or is gone meanwhile, has nothing that
  // matches; what has failed may have.
  const auto go_on = [](const char*, int error) {
    return static_cast<int>(error == EIO || error == ENOMEM ||
                            error == EMFILE || error == ENFILE);
  };
  const int r = glob(Local(pattern).c_str(), 0, go_on, &found);
  if (r == 0) {
    paths->assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  if (r == 0 || r == GLOB_NOMATCH) return OkStatus();
  return errors::IOError(pattern, r == GLOB_NOSPACE ? ENOMEM : EIO);
}

Status PosixFileSystem::DeleteFile(const std::string& name) {
  return CheckPosix(unlink(Local(name).c_str()), name);
}

Status PosixFileSystem::CreateDir(const std::string& name) {
  return CheckPosix(mkdir(Local(name).c_str(), 0755), name);
}

Status PosixFileSystem::RecursivelyCreateDir(const std::string& path) {
  const std::string name = Local(path);
  for (size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) {
      return errors::IOError(part, errno);
    }
    if (end == std::string::npos) return IsDirectory(name);
  }
}

Status PosixFileSystem::DeleteDir(const std::string& name) {
  return CheckPosix(rmdir(Local(name).c_str()), name);
}

Status PosixFileSystem::DeleteRecursively(const std::string& name,
                                          int64_t* undeleted_files,
                                          int64_t* undeleted_dirs) {
  *undeleted_files = *undeleted_dirs = 0;
  struct stat st;
  if (lstat(Local(name).c_str(), &st) != 0) {
    ++*undeleted_dirs;
    return errors::IOError(name, errno);
  }
  // A link is deleted, not followed.
  if (!S_ISDIR(st.st_mode)) {
    const Status s = DeleteFile(name);
    if (!s.ok()) ++*undeleted_files;
    return s;
  }
  Status first;
  std::vector<std::string> names;
  first.Update(GetChildren(name, &names));
  for (const std::string& child : names) {
    int64_t files, dirs;
    first.Update(
        DeleteRecursively(absl::StrCat(name, "/", child), &files, &dirs));
    *undeleted_files += files;
    *undeleted_dirs += dirs;
  }
  const Status s = DeleteDir(name);
  if (!s.ok()) ++*undeleted_dirs;
  first.Update(s);
  return first;
}

Status PosixFileSystem::Stat(const std::string& name,
                             FileStatistics* stat_out) {
  struct stat st;
  TF_RETURN_IF_ERROR(CheckPosix(stat(Local(name).c_str(), &st), name));
  stat_out->length = st.st_size;
  stat_out->mtime_nsec =
      int64_t{st.st_mtim.tv_sec} * 1000000000 + st.st_mtim.tv_nsec;
  stat_out->is_directory = S_ISDIR(st.st_mode);
  return OkStatus();
}

Status PosixFileSystem::GetFileSize(const std::string& name, uint64_t* size) {
  FileStatistics st;
  TF_RETURN_IF_ERROR(Stat(name, &st));
  *size = static_cast<uint64_t>(st.length);
  return OkStatus();
}

Status PosixFileSystem::RenameFile(const std::string& source,
                                   const std::string& target) {
  return CheckPosix(rename(Local(source).c_str(), Local(target).c_str()),
                    source);
}

std::string PosixFileSystem::TranslateName(const std::string& name) const {
  return Local(name);
}

}  // namespace

std::unique_ptr<FileSystem> NewPosixFileSystem() {
  return std::make_unique<PosixFileSystem>();
}

}  // namespace tensorwright
