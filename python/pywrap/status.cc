// SPDX-License-Identifier: Apache-2.0
// Turns a Status into a Python exception; no other place does.
#include "python/pywrap/status.h"

#include <string>

#include "core/lib/core/errors.h"
#include "python/pywrap/handles.h"

namespace tensorwright::pywrap {

PyObject* RaiseStatus(const Status& status, GraphObject* graph) {
  PyObject* op = Py_None;
  if (graph != nullptr) {
    const std::string name = errors::FailedNode(status);
    const Node* node =
        name.empty() ? nullptr : graph->state->live->FindNode(name);
    OperationObject* handle = node == nullptr ? nullptr : HandleOf(graph, node);
    if (handle != nullptr) op = reinterpret_cast<PyObject*>(handle);
  }
  Ref module(
      PyImport_ImportModule("tensorwright.python.framework.errors_impl"));
  if (!module) return nullptr;
  Ref message(MakeStr(status.message()));
  Ref error(PyObject_CallMethod(module.get(), "_make_specific_exception",
                                "OOOi", Py_None, op, message.get(),
                                static_cast<int>(status.code())));
  if (!error) return nullptr;
  const std::string source = errors::FailedSource(status);
  if (!source.empty()) {
    Ref text(MakeStr(source));
    if (!text || PyObject_SetAttrString(error.get(), "_source", text.get())) {
      return nullptr;
    }
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())),
                  error.get());
  return nullptr;
}

PyObject* RaiseValueError(const Status& status) {
  Ref message(MakeStr(status.message()));
  if (message) PyErr_SetObject(PyExc_ValueError, message.get());
  return nullptr;
}

}  // namespace tensorwright::pywrap
