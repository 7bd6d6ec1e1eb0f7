// SPDX-License-Identifier: Apache-2.0
// Files of every registered file system, for python/lib/io/file_io.py.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/platform/file_system.h"
#include "python/pywrap/bind.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

// Calls f(...) without the GIL: the file system may be one of Python's, and a
// disk is slow.
template <typename F>
void Run(F f) {
  Status status;
  {
    py::gil_scoped_release release;
    status = f();
  }
  RaiseIfError(status);
}

py::list Names(std::vector<std::string> names) {
  py::list list;
  for (const std::string& name : names) list.append(py::str(name));
  return list;
}

// A file that can be read anywhere; io.RawIOBase is built on it.
class Readable {
 public:
  explicit Readable(const std::string& name) {
    Run([&] { return Env::Default()->NewRandomAccessFile(name, &file_); });
  }

  // Reads at most `n` bytes from `offset`: fewer at the end.
  py::bytes Read(uint64_t offset, size_t n) {
    // Takes no more memory than there are bytes, however many are asked for.
    std::string all;
    Run([&] {
      constexpr size_t kPiece = 1 << 20;
      while (all.size() < n) {
        const size_t begin = all.size();
        const size_t part = std::min(n - begin, kPiece);
        all.resize(begin + part);
        absl::string_view read;
        const Status s = file_->Read(offset + begin, part, &read, &all[begin]);
        if (read.data() != &all[begin]) {
          std::copy(read.begin(), read.end(), all.begin() + begin);
        }
        all.resize(begin + read.size());
        if (errors::IsOutOfRange(s)) return OkStatus();
        TF_RETURN_IF_ERROR(s);
      }
      return OkStatus();
    });
    return py::bytes(all);
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
};

class Writable {
 public:
  Writable(const std::string& name, bool append) {
    Run([&] {
      return append ? Env::Default()->NewAppendableFile(name, &file_)
                    : Env::Default()->NewWritableFile(name, &file_);
    });
  }
  ~Writable() {
    py::gil_scoped_release release;
    file_.reset();
  }

  void Append(const py::buffer& data) {
    const py::buffer_info info = data.request();
    const absl::string_view bytes(
        static_cast<const char*>(info.ptr),
        static_cast<size_t>(info.size * info.itemsize));
    Run([&] { return file_->Append(bytes); });
  }
  void Flush() {
    Run([&] { return file_->Flush(); });
  }
  void Close() {
    Run([&] { return file_->Close(); });
  }
  int64_t Tell() {
    int64_t position = 0;
    Run([&] { return file_->Tell(&position); });
    return position;
  }

 private:
  std::unique_ptr<WritableFile> file_;
};

py::tuple Stat(const std::string& name) {
  FileStatistics stat;
  Run([&] { return Env::Default()->Stat(name, &stat); });
  return py::make_tuple(stat.length, stat.mtime_nsec, stat.is_directory);
}

bool FileExists(const std::string& name) {
  Status status;
  {
    py::gil_scoped_release release;
    status = Env::Default()->FileExists(name);
  }
  if (errors::IsNotFound(status)) return false;
  RaiseIfError(status);
  return true;
}

// A file that could not be deleted is an error here.
void DeleteRecursively(const std::string& name) {
  int64_t files, dirs;
  Run([&] { return Env::Default()->DeleteRecursively(name, &files, &dirs); });
}

bool HasAtomicMove(const std::string& name) {
  bool has = false;
  Run([&] {
    FileSystem* fs;
    TF_RETURN_IF_ERROR(FileSystemOfPath(name, &fs));
    return fs->HasAtomicMove(name, &has);
  });
  return has;
}

// Binds Env's functions of one path, by name.
void BindPaths(py::module_& m) {
  using PathFunction = Status (Env::*)(const std::string&);
  const std::pair<const char*, PathFunction> functions[] = {
      {"delete_file", &Env::DeleteFile},
      {"create_dir", &Env::CreateDir},
      {"recursive_create_dir", &Env::RecursivelyCreateDir},
      {"check_directory", &Env::IsDirectory},
  };
  for (const auto& [name, function] : functions) {
    m.def(name, [f = function](const std::string& path) {
      Run([&] { return (Env::Default()->*f)(path); });
    });
  }
  m.def("file_exists", &FileExists);
  m.def("stat", &Stat);
  m.def("delete_recursively", &DeleteRecursively);
  m.def("has_atomic_move", &HasAtomicMove);
  m.def("rename", [](const std::string& from, const std::string& to) {
    Run([&] { return Env::Default()->RenameFile(from, to); });
  });
  m.def("copy", [](const std::string& from, const std::string& to) {
    Run([&] { return Env::Default()->CopyFile(from, to); });
  });
  m.def("get_children", [](const std::string& path) {
    std::vector<std::string> names;
    Run([&] { return Env::Default()->GetChildren(path, &names); });
    return Names(std::move(names));
  });
  m.def("get_matching_files", [](const std::string& pattern) {
    std::vector<std::string> names;
    Run([&] { return Env::Default()->GetMatchingPaths(pattern, &names); });
    return Names(std::move(names));
  });
  m.def("registered_schemes",
        [] { return Names(RegisteredFileSystemSchemes()); });
}

}  // namespace

void BindFiles(py::module_& module) {
  py::module_ m = module.def_submodule(
      "files", "Files of every registered file system; paths are str.");
  BindPaths(m);
  BindFileSystems(m);
  py::class_<Readable>(m, "Readable")
      .def(py::init<const std::string&>())
      .def("read", &Readable::Read);
  py::class_<Writable>(m, "Writable")
      .def(py::init<const std::string&, bool>())
      .def("append", &Writable::Append)
      .def("flush", &Writable::Flush)
      .def("close", &Writable::Close)
      .def("tell", &Writable::Tell);
}

}  // namespace tensorwright::pywrap
