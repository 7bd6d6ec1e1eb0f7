// SPDX-License-Identifier: Apache-2.0
// DataType <-> Python's DType objects <-> NumPy's dtypes.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_DTYPE_MAP_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_DTYPE_MAP_H_

#include "python/pywrap/numpy_abi.h"
// numpy_abi.h comes first: it includes Python.h.
#include "core/framework/types.h"

namespace tensorwright::pywrap {

// The DType of an enum value, ref types included.  Borrowed; never nullptr for
// a valid type.
PyObject* DtypeObject(DataType type);

// Takes any argument of dtypes.as_dtype().  False with a Python error set.
bool ToDataType(PyObject* object, DataType* type);

// "float32", Python's name, where C++ has "float".
const char* DtypeName(DataType type);

// The NumPy dtype that holds values of a (base) type; string, resource and
// variant are objects.  New reference; nullptr with a Python error set.
numpy::Descr* NumpyDescr(DataType type);

// The type of an array's elements; DT_STRING for objects, bytes and text.
// DT_INVALID, without a Python error, if there is none.
DataType TypeOfArray(const numpy::Array* array);

// Are the array's bytes those of a tensor of `type`?
bool SameLayout(const numpy::Array* array, DataType type);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_DTYPE_MAP_H_
