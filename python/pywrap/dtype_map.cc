// SPDX-License-Identifier: Apache-2.0
// DataType <-> Python's DType objects <-> NumPy's dtypes.
#include "python/pywrap/dtype_map.h"

#include <array>

#include "absl/container/flat_hash_map.h"
#include "python/pywrap/handles.h"

namespace tensorwright::pywrap {
namespace {

constexpr int kNumTypes = 124;  // One past the greatest ref type.
std::array<PyObject*, kNumTypes> dtype_objects{};
std::array<numpy::Descr*, kNumTypes> descrs{};
absl::flat_hash_map<PyObject*, DataType>* enum_of_object = nullptr;
PyObject* as_dtype = nullptr;

int TypeNumOf(DataType type) {
  switch (type) {
    case DT_FLOAT:
      return numpy::kFloat;
    case DT_DOUBLE:
      return numpy::kDouble;
    case DT_INT32:
      return numpy::kInt32;
    case DT_UINT8:
      return numpy::kUint8;
    case DT_INT16:
      return numpy::kInt16;
    case DT_INT8:
      return numpy::kInt8;
    case DT_STRING:
      return numpy::kObject;
    case DT_COMPLEX64:
      return numpy::kComplexFloat;
    case DT_INT64:
      return numpy::kLong;
    case DT_BOOL:
      return numpy::kBool;
    case DT_UINT16:
      return numpy::kUint16;
    case DT_COMPLEX128:
      return numpy::kComplexDouble;
    case DT_HALF:
      return numpy::kHalf;
    case DT_UINT32:
      return numpy::kUint32;
    case DT_UINT64:
      return numpy::kUlong;
    default:
      return -1;  // Quantized types and bfloat16, which dtypes.py knows.
  }
}

// (list of DType, as_dtype)
PyObject* SetDtypes(PyObject*, PyObject* args) {
  PyObject* list = nullptr;
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &list, &function)) {
    return nullptr;
  }
  enum_of_object = new absl::flat_hash_map<PyObject*, DataType>;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* dtype = PyList_GET_ITEM(list, i);
    Ref number(PyObject_GetAttrString(dtype, "_type_enum"));
    if (!number) return nullptr;
    const long value = PyLong_AsLong(number.get());
    if (value <= 0 || value >= kNumTypes) {
      PyErr_Format(PyExc_ValueError, "No such DataType: %ld", value);
      return nullptr;
    }
    Py_INCREF(dtype);
    dtype_objects[value] = dtype;
    (*enum_of_object)[dtype] = static_cast<DataType>(value);
  }
  Py_INCREF(function);
  as_dtype = function;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"set_dtypes", SetDtypes, METH_VARARGS,
     "set_dtypes(dtypes, as_dtype): called once by framework/dtypes.py."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* DtypeObject(DataType type) { return dtype_objects[type]; }

bool ToDataType(PyObject* object, DataType* type) {
  const auto it = enum_of_object->find(object);
  if (it != enum_of_object->end()) {
    *type = it->second;
    return true;
  }
  Ref dtype(PyObject_CallOneArg(as_dtype, object));
  if (!dtype) return false;
  const auto converted = enum_of_object->find(dtype.get());
  if (converted == enum_of_object->end()) {
    PyErr_Format(PyExc_TypeError, "%R is not a DType", dtype.get());
    return false;
  }
  *type = converted->second;
  return true;
}

const char* DtypeName(DataType type) {
  PyObject* dtype = dtype_objects[type];
  if (dtype == nullptr) return "invalid";
  Ref name(PyObject_GetAttrString(dtype, "_name"));
  // The DType keeps its name alive.
  return name ? PyUnicode_AsUTF8(name.get()) : "invalid";
}

numpy::Descr* NumpyDescr(DataType type) {
  type = BaseType(type);
  numpy::Descr*& descr = descrs[type];
  if (descr == nullptr) {
    const int type_num = TypeNumOf(type);
    if (type_num >= 0) {
      descr = numpy::api.descr_from_type(type_num);
    } else {
      Ref scalar_type(
          PyObject_GetAttrString(DtypeObject(type), "as_numpy_dtype"));
      Ref numpy_module(PyImport_ImportModule("numpy"));
      if (!scalar_type || !numpy_module) return nullptr;
      descr = reinterpret_cast<numpy::Descr*>(PyObject_CallMethod(
          numpy_module.get(), "dtype", "O", scalar_type.get()));
    }
    if (descr == nullptr) return nullptr;
  }
  Py_INCREF(descr);
  return descr;
}

DataType TypeOfArray(const numpy::Array* array) {
  switch (array->descr->type_num) {
    case numpy::kFloat:
      return DT_FLOAT;
    case numpy::kDouble:
      return DT_DOUBLE;
    case numpy::kInt32:
      return DT_INT32;
    case numpy::kUint8:
      return DT_UINT8;
    case numpy::kInt16:
      return DT_INT16;
    case numpy::kInt8:
      return DT_INT8;
    case numpy::kComplexFloat:
      return DT_COMPLEX64;
    case numpy::kLong:
    case numpy::kLongLong:
      return DT_INT64;
    case numpy::kBool:
      return DT_BOOL;
    case numpy::kUint16:
      return DT_UINT16;
    case numpy::kComplexDouble:
      return DT_COMPLEX128;
    case numpy::kHalf:
      return DT_HALF;
    case numpy::kUint32:
      return DT_UINT32;
    case numpy::kUlong:
    case numpy::kUlongLong:
      return DT_UINT64;
    case numpy::kObject:
    case numpy::kBytes:
    case numpy::kUnicode:
      return DT_STRING;
    default:
      break;
  }
  DataType type = DT_INVALID;
  if (!ToDataType(reinterpret_cast<PyObject*>(array->descr), &type)) {
    PyErr_Clear();
    return DT_INVALID;
  }
  return type;
}

bool SameLayout(const numpy::Array* array, DataType type) {
  const numpy::Descr* descr = array->descr;
  if (descr->byteorder == '>') return false;
  const int type_num = TypeNumOf(type);
  if (type_num >= 0) {
    if (descr->type_num == type_num) return true;
    return (type == DT_INT64 && descr->type_num == numpy::kLongLong) ||
           (type == DT_UINT64 && descr->type_num == numpy::kUlongLong);
  }
  return TypeOfArray(array) == type;
}

bool BindDtypes(PyObject* module) {
  return PyModule_AddFunctions(module, methods) == 0;
}

}  // namespace tensorwright::pywrap
