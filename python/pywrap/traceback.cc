// SPDX-License-Identifier: Apache-2.0
// Notes where in Python an operation was made: captured cheaply, formatted on
// demand.
#include "python/pywrap/traceback.h"

#include <algorithm>

namespace tensorwright::pywrap {
namespace {

// The folder of this package with a trailing '/', from this module's __file__
// (.../tensorwright/python/_pywrap.so).
const std::string& PackageFolder() {
  static const std::string* const kFolder = [] {
    auto* folder = new std::string;
    Ref module(PyImport_ImportModule("tensorwright"));
    Ref file(module ? PyObject_GetAttrString(module.get(), "__file__")
                    : nullptr);
    absl::string_view text;
    if (file && AsText(file.get(), &text)) {
      *folder = std::string(text.substr(0, text.rfind('/') + 1));
    }
    PyErr_Clear();
    return folder;
  }();
  return *kFolder;
}

// Copies the text of a str as UTF-8 into `buffer`, cut off after `size` bytes,
// and returns its length.  It takes no memory, and needs no GIL.
size_t CopyText(PyObject* text, char* buffer, size_t size) {
  if (!PyUnicode_Check(text) || !PyUnicode_IS_READY(text)) return 0;
  const int kind = PyUnicode_KIND(text);
  const void* data = PyUnicode_DATA(text);
  size_t n = 0;
  for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text) && n + 4 <= size; ++i) {
    const Py_UCS4 c = PyUnicode_READ(kind, data, i);
    if (c < 0x80) {
      buffer[n++] = static_cast<char>(c);
      continue;
    }
    // A first byte with the count in its upper bits, then six bits each.
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    buffer[n++] = static_cast<char>((0xF00 >> more) | (c >> (6 * more)));
    for (int shift = 6 * (more - 1); shift >= 0; shift -= 6) {
      buffer[n++] = static_cast<char>(0x80 | ((c >> shift) & 0x3F));
    }
  }
  return n;
}

// Is it code of the package itself, outside the places where users' code may
// live?
bool IsOurs(absl::string_view file) {
  const std::string& folder = PackageFolder();
  if (file.substr(0, 7) == "<frozen") return true;
  if (folder.empty() || file.substr(0, folder.size()) != folder) return false;
  file.remove_prefix(folder.size());
  const bool is_test =
      file.size() > 8 && file.substr(file.size() - 8) == "_test.py";
  return (file.substr(0, 7) == "python/" || file.substr(0, 9) == "user_ops/") &&
         !is_test;
}

}  // namespace

Traceback* Traceback::Capture() {
  Frame buffer[kMaxFrames];
  int n = 0;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr && n < kMaxFrames) {
    buffer[n++] = {PyFrame_GetCode(frame), PyFrame_GetLasti(frame)};
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  auto* trace = new Traceback;
  trace->size_ = n;
  trace->frames_ = new Frame[n];
  std::copy(buffer, buffer + n, trace->frames_);
  return trace;
}

Traceback::~Traceback() {
  for (int i = 0; i < size_; ++i) Py_DECREF(frames_[i].code);
  delete[] frames_;
}

PyObject* Traceback::Format() const {
  Ref list(PyList_New(size_));
  if (!list) return nullptr;
  for (int i = 0; i < size_; ++i) {
    const Frame& f = frames_[i];
    const int line = PyCode_Addr2Line(f.code, f.instruction);
    PyObject* entry =
        Py_BuildValue("(OiO)", f.code->co_filename, line, f.code->co_name);
    if (entry == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), size_ - 1 - i, entry);
  }
  return list.release();
}

PyObject* Traceback::UserLocation() const {
  for (int i = 0; i < size_; ++i) {
    absl::string_view file;
    if (!AsText(frames_[i].code->co_filename, &file)) return nullptr;
    if (IsOurs(file)) continue;
    return PyUnicode_FromFormat(
        "%U:%d", frames_[i].code->co_filename,
        PyCode_Addr2Line(frames_[i].code, frames_[i].instruction));
  }
  Py_RETURN_NONE;
}

void Traceback::PrepareToWrite() { PackageFolder(); }

void Traceback::WriteUserLocation(crash::Writer* out) const {
  char file[1024];
  for (int i = 0; i < size_; ++i) {
    const Frame& frame = frames_[i];
    const absl::string_view text(
        file, CopyText(frame.code->co_filename, file, sizeof file));
    if (IsOurs(text)) continue;
    *out << text << ":"
         << int64_t{PyCode_Addr2Line(frame.code, frame.instruction)};
    return;
  }
}

}  // namespace tensorwright::pywrap
