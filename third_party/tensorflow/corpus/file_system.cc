// SPDX-License-Identifier: Apache-2.0
// A file system of the author's: "corpus://N" is a file of N times the letter
// c.
#include "tensorflow/core/platform/file_system.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/platform/env.h"

namespace tensorflow {
namespace {

class CorpusFile : public RandomAccessFile {
 public:
  explicit CorpusFile(uint64 size) : size_(size) {}

  Status Read(uint64 offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    const size_t got = offset < size_ ? std::min<uint64>(n, size_ - offset) : 0;
    std::fill(scratch, scratch + got, 'c');
    *result = absl::string_view(scratch, got);
    return got == n ? Status() : errors::OutOfRange("end of file");
  }

 private:
  const uint64 size_;
};

class CorpusFileSystem : public FileSystem {
 public:
  TF_USE_FILESYSTEM_METHODS_WITH_NO_TRANSACTION_SUPPORT;

  Status NewRandomAccessFile(
      const string& fname, std::unique_ptr<RandomAccessFile>* result) override {
    uint64 size;
    TF_RETURN_IF_ERROR(GetFileSize(fname, &size));
    result->reset(new CorpusFile(size));
    return Status();
  }
  Status NewWritableFile(const string& fname,
                         std::unique_ptr<WritableFile>*) override {
    return errors::PermissionDenied(fname, " cannot be written");
  }
  Status NewAppendableFile(const string& fname,
                           std::unique_ptr<WritableFile>*) override {
    return errors::PermissionDenied(fname, " cannot be written");
  }
  Status NewReadOnlyMemoryRegionFromFile(
      const string&, std::unique_ptr<ReadOnlyMemoryRegion>*) override {
    return errors::Unimplemented("no memory regions");
  }
  Status FileExists(const string& fname) override {
    uint64 size;
    return GetFileSize(fname, &size);
  }
  Status GetChildren(const string&, std::vector<string>* result) override {
    *result = {"1", "10"};
    return Status();
  }
  Status Stat(const string& fname, FileStatistics* stat) override {
    uint64 size;
    TF_RETURN_IF_ERROR(GetFileSize(fname, &size));
    stat->length = size;
    return Status();
  }
  Status DeleteFile(const string& fname) override {
    return errors::PermissionDenied(fname);
  }
  Status CreateDir(const string& name) override {
    return errors::PermissionDenied(name);
  }
  Status DeleteDir(const string& name) override {
    return errors::PermissionDenied(name);
  }
  Status GetFileSize(const string& fname, uint64* size) override {
    if (!strings::safe_strtou64(fname.substr(fname.rfind('/') + 1), size)) {
      return errors::NotFound(fname);
    }
    return Status();
  }
  Status RenameFile(const string& src, const string&) override {
    return errors::PermissionDenied(src);
  }
};

REGISTER_FILE_SYSTEM("corpus", CorpusFileSystem);

}  // namespace
}  // namespace tensorflow
