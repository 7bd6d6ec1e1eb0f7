// SPDX-License-Identifier: Apache-2.0
// Small help for making heap types with the C API.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_TYPE_BUILDER_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_TYPE_BUILDER_H_

#include "python/pywrap/py_ref.h"

namespace tensorwright::pywrap {

// Python calls methods through PyCFunction whatever their real form is.
template <typename F>
PyCFunction AsCFunction(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
template <typename F>
void* AsSlot(F* function) {
  return reinterpret_cast<void*>(function);
}

// Makes the type and adds it to `module` under the last part of its name.
inline PyTypeObject* AddType(PyObject* module, PyType_Spec* spec) {
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(spec));
  if (type == nullptr || PyModule_AddType(module, type) < 0) return nullptr;
  return type;
}

// Frees the object and its type's reference; every tp_dealloc here ends with
// it.
inline void FreeObject(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_TYPE_BUILDER_H_
