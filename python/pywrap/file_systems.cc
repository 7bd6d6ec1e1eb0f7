// SPDX-License-Identifier: Apache-2.0
// File systems written in Python: kernels and Env read and write files through
// the methods of an object, which python/lib/io/registered_files.py has.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/platform/file_system.h"
#include "python/pywrap/bind.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

// Turns the error that Python raised into a Status; the object's method
// `code_of` knows the code.
Status StatusOf(const py::object& fs, py::error_already_set& error) {
  const std::string text = py::str(error.value());
  int code = static_cast<int>(error::UNKNOWN);
  try {
    code = fs.attr("code_of")(error.value()).cast<int>();
  } catch (py::error_already_set&) {
    // The code stays unknown.
  }
  return Status(static_cast<error::Code>(code), text);
}

// Calls f() with the GIL.  If the interpreter is ending, a thread that asks for
// the GIL never comes back.
template <typename F>
Status WithGil(const py::object& fs, F f) {
  if (!Py_IsInitialized() || _Py_IsFinalizing()) {
    return errors::Cancelled("Python is ending");
  }
  py::gil_scoped_acquire gil;
  try {
    f();
    return OkStatus();
  } catch (py::error_already_set& error) {
    return StatusOf(fs, error);
  } catch (const py::cast_error& error) {
    return errors::Internal("A file system in Python gave a wrong type: ",
                            error.what());
  }
}

// A Python object that any thread may drop.
class Held {
 public:
  explicit Held(py::object object)
      : object_(new py::object(std::move(object))) {}
  Held(Held&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)) {}
  ~Held() {
    if (object_ == nullptr || !Py_IsInitialized() || _Py_IsFinalizing()) return;
    py::gil_scoped_acquire gil;
    delete object_;
  }
  const py::object& get() const { return *object_; }

 private:
  py::object* object_;
};

class PyRandomAccessFile final : public RandomAccessFile {
 public:
  PyRandomAccessFile(std::string name, const py::object& fs, py::object file)
      : name_(std::move(name)), fs_(fs), file_(std::move(file)) {}

  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }
  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    size_t got = 0;
    *result = absl::string_view();
    TF_RETURN_IF_ERROR(WithGil(fs_.get(), [&] {
      const py::bytes bytes = file_.get().attr("read_at")(offset, n);
      got = std::min(n, static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr())));
      std::memcpy(scratch, PyBytes_AS_STRING(bytes.ptr()), got);
    }));
    *result = absl::string_view(scratch, got);
    if (got == n) return OkStatus();
    return errors::OutOfRange("Read fewer bytes than requested");
  }

 private:
  const std::string name_;
  const Held fs_;
  const Held file_;
};

class PyWritableFile final : public WritableFile {
 public:
  PyWritableFile(std::string name, const py::object& fs, py::object file)
      : name_(std::move(name)), fs_(fs), file_(std::move(file)) {}
  ~PyWritableFile() override {
    if (!closed_) Close().IgnoreError();
  }

  Status Append(absl::string_view data) override {
    return WithGil(fs_.get(), [&] {
      file_.get().attr("write")(py::bytes(data.data(), data.size()));
    });
  }
  Status Close() override {
    if (closed_) {
      return errors::FailedPrecondition(name_, " is closed already");
    }
    closed_ = true;
    return WithGil(fs_.get(), [&] { file_.get().attr("close")(); });
  }
  Status Flush() override {
    return WithGil(fs_.get(), [&] { file_.get().attr("flush")(); });
  }
  Status Sync() override { return Flush(); }
  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }
  Status Tell(int64_t* position) override {
    return WithGil(fs_.get(), [&] {
      *position = file_.get().attr("tell")().cast<int64_t>();
    });
  }

 private:
  const std::string name_;
  const Held fs_;
  const Held file_;
  bool closed_ = false;
};

class BytesRegion final : public ReadOnlyMemoryRegion {
 public:
  explicit BytesRegion(std::string data) : data_(std::move(data)) {}
  const void* data() override { return data_.data(); }
  uint64_t length() override { return data_.size(); }

 private:
  const std::string data_;
};

class PyFileSystem final : public FileSystem {
 public:
  explicit PyFileSystem(py::object fs) : fs_(std::move(fs)) {}

  Status NewRandomAccessFile(
      const std::string& name,
      std::unique_ptr<RandomAccessFile>* result) override {
    return Call([&](const py::object& fs) {
      *result = std::make_unique<PyRandomAccessFile>(name, fs,
                                                     fs.attr("reader")(name));
    });
  }
  Status NewWritableFile(const std::string& name,
                         std::unique_ptr<WritableFile>* result) override {
    return OpenForWriting(name, "wb", result);
  }
  Status NewAppendableFile(const std::string& name,
                           std::unique_ptr<WritableFile>* result) override {
    return OpenForWriting(name, "ab", result);
  }
  Status NewReadOnlyMemoryRegionFromFile(
      const std::string& name,
      std::unique_ptr<ReadOnlyMemoryRegion>* result) override {
    return Call([&](const py::object& fs) {
      const py::bytes bytes = fs.attr("read_all")(name);
      *result = std::make_unique<BytesRegion>(std::string(bytes));
    });
  }
  Status FileExists(const std::string& name) override {
    bool exists = false;
    TF_RETURN_IF_ERROR(Call([&](const py::object& fs) {
      exists = fs.attr("exists")(name).cast<bool>();
    }));
    return exists ? OkStatus() : errors::NotFound(name, " not found");
  }
  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* names) override {
    names->clear();
    return Call([&](const py::object& fs) {
      for (const py::handle name : fs.attr("children")(dir)) {
        names->push_back(name.cast<std::string>());
      }
    });
  }
  Status Stat(const std::string& name, FileStatistics* stat) override {
    return Call([&](const py::object& fs) {
      const py::tuple facts = fs.attr("stat")(name);
      stat->length = facts[0].cast<int64_t>();
      stat->mtime_nsec = facts[1].cast<int64_t>();
      stat->is_directory = facts[2].cast<bool>();
    });
  }
  Status DeleteFile(const std::string& name) override {
    return Call("delete_file", name);
  }
  Status CreateDir(const std::string& name) override {
    return Call("create_dir", name);
  }
  Status RecursivelyCreateDir(const std::string& name) override {
    return Call("create_dirs", name);
  }
  Status DeleteDir(const std::string& name) override {
    return Call("delete_dir", name);
  }
  Status GetFileSize(const std::string& name, uint64_t* size) override {
    FileStatistics stat;
    TF_RETURN_IF_ERROR(Stat(name, &stat));
    *size = static_cast<uint64_t>(stat.length);
    return OkStatus();
  }
  Status RenameFile(const std::string& source,
                    const std::string& target) override {
    return Call(
        [&](const py::object& fs) { fs.attr("rename")(source, target); });
  }
  // Object stores copy and delete instead.
  Status HasAtomicMove(const std::string& /*path*/, bool* has) override {
    *has = false;
    return OkStatus();
  }

 private:
  template <typename F>
  Status Call(F f) {
    return WithGil(fs_.get(), [&] { f(fs_.get()); });
  }
  Status Call(const char* method, const std::string& name) {
    return Call([&](const py::object& fs) { fs.attr(method)(name); });
  }
  Status OpenForWriting(const std::string& name, const char* mode,
                        std::unique_ptr<WritableFile>* result) {
    return Call([&](const py::object& fs) {
      *result = std::make_unique<PyWritableFile>(name, fs,
                                                 fs.attr("writer")(name, mode));
    });
  }

  const Held fs_;
};

void Register(const std::string& scheme, py::object fs) {
  RaiseIfError(RegisterFileSystem(
      scheme, std::make_unique<PyFileSystem>(std::move(fs))));
}

}  // namespace

void BindFileSystems(py::module_& module) {
  module.def("register", &Register, py::arg("scheme"), py::arg("file_system"),
             "Makes a file system of the methods of an object.");
}

}  // namespace tensorwright::pywrap
