// SPDX-License-Identifier: Apache-2.0
// Ref: an owned reference to a Python object.  The GIL is held wherever one is
// made, copied or destroyed.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_PY_REF_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_PY_REF_H_

#include <Python.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tensorwright::pywrap {

class Ref {
 public:
  Ref() = default;
  // Takes over a new reference (or nullptr, with a Python error set).
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref Borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// The UTF-8 text of a str or the contents of a bytes object; valid as long as
// the object.  False, with TypeError set, for anything else.
inline bool AsText(PyObject* object, absl::string_view* text) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object)) {
    const char* data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data == nullptr) return false;
    *text = absl::string_view(data, size);
    return true;
  }
  if (PyBytes_Check(object)) {
    *text =
        absl::string_view(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
    return true;
  }
  PyErr_Format(PyExc_TypeError, "Expected a string, got %R", object);
  return false;
}

inline PyObject* MakeStr(absl::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), text.size(), "replace");
}

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_PY_REF_H_
