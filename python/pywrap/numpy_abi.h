// SPDX-License-Identifier: Apache-2.0
// The few entries of NumPy's C API that a run needs, without NumPy's headers.
//
// Slots, flags and the start of PyArrayObject are NumPy's stable ABI, equal in
// 1.x and 2.x; pybind11 relies on them in the same way.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_NUMPY_ABI_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_NUMPY_ABI_H_

#include "python/pywrap/py_ref.h"

namespace tensorwright::pywrap::numpy {

struct Descr {  // PyArray_Descr, up to the last field both versions share.
  PyObject_HEAD PyTypeObject* typeobj;
  char kind;
  char type;
  char byteorder;
  char flags;
  int type_num;
};

struct Array {  // PyArrayObject_fields
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;
  PyObject* base;
  Descr* descr;
  int flags;
};

enum Flag : int {
  kContiguous = 0x1,
  kForceCast = 0x10,
  kEnsureArray = 0x40,
  kAligned = 0x100,
  kNotSwapped = 0x200,
  kWriteable = 0x400,
};

enum TypeNum : int {
  kBool = 0,
  kInt8 = 1,
  kUint8 = 2,
  kInt16 = 3,
  kUint16 = 4,
  kInt32 = 5,
  kUint32 = 6,
  kLong = 7,
  kUlong = 8,
  kLongLong = 9,
  kUlongLong = 10,
  kFloat = 11,
  kDouble = 12,
  kComplexFloat = 14,
  kComplexDouble = 15,
  kObject = 17,
  kBytes = 18,
  kUnicode = 19,
  kHalf = 23,
};

// The function table; loaded by Load().
struct Api {
  PyTypeObject* array_type = nullptr;    // numpy.ndarray
  PyTypeObject* generic_type = nullptr;  // numpy.generic
  Descr* (*descr_from_type)(int) = nullptr;
  PyObject* (*scalar)(void* data, Descr*, PyObject* base) = nullptr;
  // Steals the Descr, which may be null.
  PyObject* (*from_any)(PyObject*, Descr*, int min_depth, int max_depth,
                        int flags, PyObject* context) = nullptr;
  // Steals the Descr.
  PyObject* (*new_from_descr)(PyTypeObject*, Descr*, int nd,
                              const Py_ssize_t* dims, const Py_ssize_t* strides,
                              void* data, int flags, PyObject* obj) = nullptr;
  // Steals the base.
  int (*set_base_object)(PyObject* array, PyObject* base) = nullptr;
};
extern Api api;

// Imports NumPy.  False with a Python error set.
bool Load();

inline bool IsArray(PyObject* o) {
  return PyObject_TypeCheck(o, api.array_type);
}
inline Array* AsArray(PyObject* o) { return reinterpret_cast<Array*>(o); }

}  // namespace tensorwright::pywrap::numpy

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_NUMPY_ABI_H_
