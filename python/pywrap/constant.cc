// SPDX-License-Identifier: Apache-2.0
// Constants: Python values and arrays -> Const operations.
#include <string>

#include "core/framework/tensor.pb.h"
#include "python/pywrap/add_op.h"
#include "python/pywrap/attr_value.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/status.h"
#include "python/pywrap/tensor_numpy.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {
namespace {

PyObject* AddTo(GraphObject* graph, const Tensor& value,
                const TensorShape* shape, PyObject* name) {
  std::string unique;
  if (graph == nullptr || !ResolveName(graph, name, "Const", &unique)) {
    return nullptr;
  }
  return Py_XNewRef(reinterpret_cast<PyObject*>(
      AddConst(graph, value, shape, std::move(unique))));
}

// (value, dtype or None, name) -> Tensor, or NotImplemented for values that
// tensor_util has to handle.
PyObject* Constant(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 3) {
    PyErr_SetString(PyExc_TypeError, "constant(value, dtype, name)");
    return nullptr;
  }
  DataType dtype = DT_INVALID;
  if (args[1] != Py_None && !ToDataType(args[1], &dtype)) return nullptr;
  Tensor value;
  if (TensorFromPlain(args[0], BaseType(dtype), &value) != Plain::kDone) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return AddTo(DefaultGraph(), value, nullptr, args[2]);
}

bool ToFullShape(PyObject* object, TensorShape* shape) {
  PartialTensorShape partial;
  if (!ToPartialShape(object, &partial)) return false;
  if (partial.AsTensorShape(shape)) return true;
  PyErr_Format(PyExc_ValueError, "A constant needs a fully known shape, got %R",
               object);
  return false;
}

// (array, dtype, shape or None, name) -> Tensor
PyObject* ConstantFromArray(PyObject*, PyObject* args) {
  PyObject *array, *dtype_object, *shape_object, *name;
  if (!PyArg_ParseTuple(args, "OOOO", &array, &dtype_object, &shape_object,
                        &name)) {
    return nullptr;
  }
  DataType dtype = DT_INVALID;
  Tensor value;
  TensorShape shape;
  if (!ToDataType(dtype_object, &dtype) ||
      !TensorFromArray(array, BaseType(dtype), &value)) {
    return nullptr;
  }
  if (shape_object == Py_None) {
    return AddTo(DefaultGraph(), value, nullptr, name);
  }
  if (!ToFullShape(shape_object, &shape)) return nullptr;
  return AddTo(DefaultGraph(), value, &shape, name);
}

// Whether TensorFlow writes several elements as `tensor_content`, not as a list
// of values.
bool IsWrittenAsContent(DataType dtype) {
  return DataTypeCanUseMemcpy(dtype) && dtype != DT_BOOL &&
         dtype != DT_UINT16 && dtype != DT_COMPLEX64 && dtype != DT_COMPLEX128;
}

// (array, dtype, shape or None) -> the bytes of a TensorProto.
PyObject* TensorProtoBytes(PyObject*, PyObject* args) {
  PyObject *array, *dtype_object, *shape_object;
  if (!PyArg_ParseTuple(args, "OOO", &array, &dtype_object, &shape_object)) {
    return nullptr;
  }
  DataType dtype = DT_INVALID;
  Tensor value;
  if (!ToDataType(dtype_object, &dtype) ||
      !TensorFromArray(array, BaseType(dtype), &value)) {
    return nullptr;
  }
  TensorProto proto;
  if (value.NumElements() > 1 && IsWrittenAsContent(value.dtype())) {
    value.AsProtoTensorContent(&proto);
  } else {
    value.AsProtoField(&proto);
  }
  if (shape_object != Py_None) {
    TensorShape shape;
    if (!ToFullShape(shape_object, &shape)) return nullptr;
    if (shape.num_elements() != value.NumElements()) {
      proto.Clear();  // A short list of values; the last one repeats.
      value.AsProtoField(&proto);
    }
    shape.AsProto(proto.mutable_tensor_shape());
  }
  const std::string bytes = proto.SerializeAsString();
  return PyBytes_FromStringAndSize(bytes.data(), bytes.size());
}

// bytes of a TensorProto -> array
PyObject* ArrayFromProto(PyObject*, PyObject* bytes) {
  absl::string_view text;
  if (!AsText(bytes, &text)) return nullptr;
  TensorProto proto;
  if (!proto.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    PyErr_SetString(PyExc_ValueError, "The bytes are not a TensorProto");
    return nullptr;
  }
  Tensor value;
  const Status status = Tensor::ParseProto(proto, &value);
  if (!status.ok()) return RaiseValueError(status);
  return TensorToNumpy(std::move(value), /*scalars_as_arrays=*/true);
}

PyMethodDef functions[] = {
    {"constant", AsCFunction(Constant), METH_FASTCALL,
     "constant(value, dtype, name, /)\n--\n\n"
     "A Const in the default graph, or NotImplemented for values that are not "
     "numbers, strings or lists of them."},
    {"constant_from_array", ConstantFromArray, METH_VARARGS,
     "constant_from_array(array, dtype, shape, name, /)\n--\n\nA Const."},
    {"tensor_proto_bytes", TensorProtoBytes, METH_VARARGS,
     "tensor_proto_bytes(array, dtype, shape, /)\n--\n\nA TensorProto's "
     "bytes."},
    {"array_from_proto", ArrayFromProto, METH_O,
     "array_from_proto(bytes, /)\n--\n\nThe value of a TensorProto."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool BindConstant(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
