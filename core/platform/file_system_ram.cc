// SPDX-License-Identifier: Apache-2.0
// Files in the memory of the process, "ram://...", for tests and for data that
// need not outlive it.
#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/platform/file_system.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

int64_t Now() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

FileStatistics MakeStatistics(int64_t length, int64_t mtime_nsec,
                              bool is_directory) {
  FileStatistics stat;
  stat.length = length;
  stat.mtime_nsec = mtime_nsec;
  stat.is_directory = is_directory;
  return stat;
}

// The bytes of one file.  Code that opened it keeps them, even when its name is
// gone.
struct RamBytes {
  mutex mu;
  std::string data ABSL_GUARDED_BY(mu);
  int64_t mtime_nsec ABSL_GUARDED_BY(mu) = Now();
};

class RamRandomAccessFile final : public RandomAccessFile {
 public:
  RamRandomAccessFile(std::string name, std::shared_ptr<RamBytes> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }

  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    mutex_lock l(bytes_->mu);
    const std::string& data = bytes_->data;
    const size_t begin = std::min<uint64_t>(offset, data.size());
    const size_t got = std::min(n, data.size() - begin);
    // Copied, since the writer may move the bytes.
    std::copy_n(data.data() + begin, got, scratch);
    *result = absl::string_view(scratch, got);
    if (got == n) return OkStatus();
    return errors::OutOfRange("Read fewer bytes than requested");
  }

 private:
  const std::string name_;
  const std::shared_ptr<RamBytes> bytes_;
};

class RamWritableFile final : public WritableFile {
 public:
  RamWritableFile(std::string name, std::shared_ptr<RamBytes> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  Status Append(absl::string_view data) override {
    TF_RETURN_IF_ERROR(CheckOpen());
    mutex_lock l(bytes_->mu);
    bytes_->data.append(data.data(), data.size());
    bytes_->mtime_nsec = Now();
    return OkStatus();
  }
  Status Close() override {
    TF_RETURN_IF_ERROR(CheckOpen());
    open_ = false;
    return OkStatus();
  }
  Status Flush() override { return CheckOpen(); }
  Status Sync() override { return CheckOpen(); }
  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }
  Status Tell(int64_t* position) override {
    TF_RETURN_IF_ERROR(CheckOpen());
    mutex_lock l(bytes_->mu);
    *position = static_cast<int64_t>(bytes_->data.size());
    return OkStatus();
  }

 private:
  Status CheckOpen() const {
    if (open_) return OkStatus();
    return errors::FailedPrecondition(name_, " is closed already");
  }

  const std::string name_;
  const std::shared_ptr<RamBytes> bytes_;
  bool open_ = true;
};

// A copy of the bytes as they were.
class RamRegion final : public ReadOnlyMemoryRegion {
 public:
  explicit RamRegion(std::string data) : data_(std::move(data)) {}
  const void* data() override { return data_.data(); }
  uint64_t length() override { return data_.size(); }

 private:
  const std::string data_;
};

// Keeps names as "a/b", without scheme and outer slashes; "" is the root, which
// is always there.  A null entry is a folder.
class RamFileSystem final : public FileSystem {
 public:
  Status NewRandomAccessFile(
      const std::string& name,
      std::unique_ptr<RandomAccessFile>* result) override {
    mutex_lock l(mu_);
    std::shared_ptr<RamBytes> bytes;
    TF_RETURN_IF_ERROR(FindFile(name, &bytes));
    *result = std::make_unique<RamRandomAccessFile>(name, std::move(bytes));
    return OkStatus();
  }

  Status NewWritableFile(const std::string& name,
                         std::unique_ptr<WritableFile>* result) override {
    return OpenForWriting(name, /*append=*/false, result);
  }

  Status NewAppendableFile(const std::string& name,
                           std::unique_ptr<WritableFile>* result) override {
    return OpenForWriting(name, /*append=*/true, result);
  }

  Status NewReadOnlyMemoryRegionFromFile(
      const std::string& name,
      std::unique_ptr<ReadOnlyMemoryRegion>* result) override {
    mutex_lock l(mu_);
    std::shared_ptr<RamBytes> bytes;
    TF_RETURN_IF_ERROR(FindFile(name, &bytes));
    mutex_lock bytes_lock(bytes->mu);
    *result = std::make_unique<RamRegion>(bytes->data);
    return OkStatus();
  }

  Status FileExists(const std::string& name) override {
    mutex_lock l(mu_);
    if (entries_.count(Key(name)) > 0) return OkStatus();
    return errors::NotFound(name, " not found");
  }

  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* names) override {
    mutex_lock l(mu_);
    names->clear();
    TF_RETURN_IF_ERROR(CheckFolder(dir));
    const std::string before = Before(Key(dir));
    for (auto it = entries_.lower_bound(before);
         it != entries_.end() && absl::StartsWith(it->first, before); ++it) {
      const std::string child = it->first.substr(before.size());
      if (!child.empty() && child.find('/') == std::string::npos) {
        names->push_back(child);
      }
    }
    return OkStatus();
  }

  Status Stat(const std::string& name, FileStatistics* stat) override {
    mutex_lock l(mu_);
    const auto found = entries_.find(Key(name));
    if (found == entries_.end()) return errors::NotFound(name, " not found");
    if (found->second == nullptr) {
      *stat = MakeStatistics(0, 0, /*is_directory=*/true);
      return OkStatus();
    }
    mutex_lock bytes_lock(found->second->mu);
    *stat = MakeStatistics(static_cast<int64_t>(found->second->data.size()),
                           found->second->mtime_nsec, /*is_directory=*/false);
    return OkStatus();
  }

  Status DeleteFile(const std::string& name) override {
    mutex_lock l(mu_);
    std::shared_ptr<RamBytes> bytes;
    TF_RETURN_IF_ERROR(FindFile(name, &bytes));
    entries_.erase(Key(name));
    return OkStatus();
  }

  Status CreateDir(const std::string& name) override {
    mutex_lock l(mu_);
    const std::string key = Key(name);
    if (entries_.count(key) > 0) {
      return errors::AlreadyExists(name, " is there already");
    }
    TF_RETURN_IF_ERROR(AddFoldersAbove(key, name));
    entries_[key] = nullptr;
    return OkStatus();
  }

  Status DeleteDir(const std::string& name) override {
    mutex_lock l(mu_);
    TF_RETURN_IF_ERROR(CheckFolder(name));
    const std::string key = Key(name);
    const std::string before = Before(key);
    const auto inside = entries_.upper_bound(before);
    if (inside != entries_.end() && absl::StartsWith(inside->first, before)) {
      return errors::FailedPrecondition(name, " is not empty");
    }
    if (!key.empty()) entries_.erase(key);
    return OkStatus();
  }

  Status GetFileSize(const std::string& name, uint64_t* size) override {
    FileStatistics stat;
    TF_RETURN_IF_ERROR(Stat(name, &stat));
    *size = static_cast<uint64_t>(stat.length);
    return OkStatus();
  }

  Status RenameFile(const std::string& source,
                    const std::string& target) override {
    mutex_lock l(mu_);
    const std::string from = Key(source), to = Key(target);
    const auto found = entries_.find(from);
    if (found == entries_.end()) return errors::NotFound(source, " not found");
    if (from == to) return OkStatus();
    const auto old = entries_.find(to);
    const bool is_folder = found->second == nullptr;
    if (from.empty() || absl::StartsWith(to, Before(from)) ||
        (old != entries_.end() && (is_folder || old->second == nullptr))) {
      return errors::FailedPrecondition("Cannot rename ", source, " to ",
                                        target);
    }
    TF_RETURN_IF_ERROR(AddFoldersAbove(to, target));
    entries_[to] = found->second;
    entries_.erase(from);
    if (is_folder) MoveInside(Before(from), Before(to));
    return OkStatus();
  }

 private:
  using Entries = std::map<std::string, std::shared_ptr<RamBytes>>;

  static std::string Key(absl::string_view name) {
    const absl::string_view scheme = SchemeOfPath(name);
    if (!scheme.empty()) name.remove_prefix(scheme.size() + 3);
    std::string key;
    for (char c : name) {
      // Keeps one slash between names, and none before the first.
      if (c != '/' || (!key.empty() && key.back() != '/')) key.push_back(c);
    }
    if (!key.empty() && key.back() == '/') key.pop_back();
    return key;
  }

  // The keys of a folder's contents begin with this.
  static std::string Before(const std::string& key) {
    return key.empty() ? key : absl::StrCat(key, "/");
  }

  Status FindFile(const std::string& name, std::shared_ptr<RamBytes>* bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const auto found = entries_.find(Key(name));
    if (found == entries_.end()) return errors::NotFound(name, " not found");
    if (found->second == nullptr) {
      return errors::FailedPrecondition(name, " is a directory");
    }
    *bytes = found->second;
    return OkStatus();
  }

  Status CheckFolder(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const auto found = entries_.find(Key(name));
    if (found == entries_.end()) return errors::NotFound(name, " not found");
    if (found->second == nullptr) return OkStatus();
    return errors::FailedPrecondition(name, " is not a directory");
  }

  Status AddFoldersAbove(const std::string& key, const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (size_t end = key.find('/'); end != std::string::npos;
         end = key.find('/', end + 1)) {
      const auto [entry, added] = entries_.emplace(key.substr(0, end), nullptr);
      if (!added && entry->second != nullptr) {
        return errors::FailedPrecondition(name, ": ", entry->first,
                                          " is not a directory");
      }
    }
    return OkStatus();
  }

  void MoveInside(const std::string& before, const std::string& to)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    Entries moved;
    for (auto it = entries_.lower_bound(before);
         it != entries_.end() && absl::StartsWith(it->first, before);
         it = entries_.erase(it)) {
      moved.emplace(absl::StrCat(to, it->first.substr(before.size())),
                    it->second);
    }
    entries_.merge(moved);
  }

  Status OpenForWriting(const std::string& name, bool append,
                        std::unique_ptr<WritableFile>* result) {
    mutex_lock l(mu_);
    const std::string key = Key(name);
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second == nullptr) {
      return errors::FailedPrecondition(name, " is a directory");
    }
    TF_RETURN_IF_ERROR(AddFoldersAbove(key, name));
    std::shared_ptr<RamBytes>& bytes = entries_[key];
    // Readers of the old contents keep reading those.
    if (!append || bytes == nullptr) bytes = std::make_shared<RamBytes>();
    *result = std::make_unique<RamWritableFile>(name, bytes);
    return OkStatus();
  }

  mutex mu_;
  Entries entries_ ABSL_GUARDED_BY(mu_) = {{"", nullptr}};
};

}  // namespace

std::unique_ptr<FileSystem> NewRamFileSystem() {
  return std::make_unique<RamFileSystem>();
}

}  // namespace tensorwright
