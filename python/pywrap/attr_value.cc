// SPDX-License-Identifier: Apache-2.0
// Python values <-> AttrValue.
#include "python/pywrap/attr_value.h"

#include <string>

#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/handles.h"

namespace tensorwright::pywrap {
namespace {

// Tells which attr of which op a value was meant for.
struct Place {
  absl::string_view attr;
  absl::string_view op;
};

bool Expected(const char* what, PyObject* value, const Place& place) {
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError,
               "Expected %s for argument '%s' of op '%s', not %R.", what,
               std::string(place.attr).c_str(), std::string(place.op).c_str(),
               value);
  return false;
}

bool ToString(PyObject* v, const Place& place, std::string* out) {
  absl::string_view text;
  if (!AsText(v, &text)) return Expected("string", v, place);
  out->assign(text.data(), text.size());
  return true;
}

bool ToInt(PyObject* v, const Place& place, int64_t* out) {
  if (PyUnicode_Check(v) || PyBytes_Check(v)) return Expected("int", v, place);
  Ref number(PyLong_CheckExact(v) ? Ref::Borrow(v) : Ref(PyNumber_Long(v)));
  if (!number) return Expected("int", v, place);
  *out = PyLong_AsLongLong(number.get());
  if (*out == -1 && PyErr_Occurred()) return Expected("int", v, place);
  return true;
}

bool ToFloat(PyObject* v, const Place& place, float* out) {
  if (PyUnicode_Check(v) || PyBytes_Check(v))
    return Expected("float", v, place);
  Ref number(PyFloat_CheckExact(v) ? Ref::Borrow(v) : Ref(PyNumber_Float(v)));
  if (!number) return Expected("float", v, place);
  *out = static_cast<float>(PyFloat_AS_DOUBLE(number.get()));
  return true;
}

bool ToBool(PyObject* v, const Place& place, bool* out) {
  if (PyBool_Check(v)) {
    *out = v == Py_True;
    return true;
  }
  // numpy.bool_ is no subclass of bool.
  if (absl::string_view(Py_TYPE(v)->tp_name).substr(0, 10) == "numpy.bool") {
    *out = PyObject_IsTrue(v) == 1;
    return true;
  }
  return Expected("bool", v, place);
}

bool ToType(PyObject* v, const Place& place, DataType* out) {
  if (!ToDataType(v, out)) return Expected("DataType", v, place);
  *out = BaseType(*out);
  return true;
}

bool ToShape(PyObject* v, TensorShapeProto* out) {
  if (PyObject_HasAttrString(v, "SerializeToString")) {
    return ParsePythonProto(v, out);
  }
  PartialTensorShape shape;
  if (!ToPartialShape(v, &shape)) return false;
  shape.AsProto(out);
  return true;
}

bool ToFunc(PyObject* v, const Place& place, NameAttrList* out) {
  if (PyUnicode_Check(v)) return ToString(v, place, out->mutable_name());
  if (PyObject_HasAttrString(v, "SerializeToString")) {
    return ParsePythonProto(v, out);
  }
  // A defined function: it has a name and can be added to the graph.
  Ref name(PyObject_GetAttrString(v, "name"));
  if (!name) return Expected("func", v, place);
  return ToString(name.get(), place, out->mutable_name());
}

bool SetSingle(PyObject* v, AttrKind::Base base, const Place& place,
               AttrValue* out) {
  switch (base) {
    case AttrKind::kString:
      return ToString(v, place, out->mutable_s());
    case AttrKind::kInt: {
      int64_t i = 0;
      if (!ToInt(v, place, &i)) return false;
      out->set_i(i);
      return true;
    }
    case AttrKind::kFloat: {
      float f = 0;
      if (!ToFloat(v, place, &f)) return false;
      out->set_f(f);
      return true;
    }
    case AttrKind::kBool: {
      bool b = false;
      if (!ToBool(v, place, &b)) return false;
      out->set_b(b);
      return true;
    }
    case AttrKind::kType: {
      DataType type = DT_INVALID;
      if (!ToType(v, place, &type)) return false;
      out->set_type(type);
      return true;
    }
    case AttrKind::kShape:
      return ToShape(v, out->mutable_shape());
    case AttrKind::kTensor:
      return ParsePythonProto(v, out->mutable_tensor());
    case AttrKind::kFunc:
      return ToFunc(v, place, out->mutable_func());
  }
  return false;
}

bool AddToList(PyObject* v, AttrKind::Base base, const Place& place,
               AttrValue::ListValue* list) {
  switch (base) {
    case AttrKind::kString:
      return ToString(v, place, list->add_s());
    case AttrKind::kInt: {
      int64_t i = 0;
      if (!ToInt(v, place, &i)) return false;
      list->add_i(i);
      return true;
    }
    case AttrKind::kFloat: {
      float f = 0;
      if (!ToFloat(v, place, &f)) return false;
      list->add_f(f);
      return true;
    }
    case AttrKind::kBool: {
      bool b = false;
      if (!ToBool(v, place, &b)) return false;
      list->add_b(b);
      return true;
    }
    case AttrKind::kType: {
      DataType type = DT_INVALID;
      if (!ToType(v, place, &type)) return false;
      list->add_type(type);
      return true;
    }
    case AttrKind::kShape:
      return ToShape(v, list->add_shape());
    case AttrKind::kTensor:
      return ParsePythonProto(v, list->add_tensor());
    case AttrKind::kFunc:
      return ToFunc(v, place, list->add_func());
  }
  return false;
}

bool SetList(PyObject* value, AttrKind::Base base, const Place& place,
             AttrValue* out) {
  AttrValue::ListValue* list = out->mutable_list();
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    return Expected("list", value, place);
  }
  // A separate list: converting an item may run code of the user's that changes
  // the caller's.
  const Ref items(PySequence_Tuple(value));
  if (!items) return Expected("list", value, place);
  const Py_ssize_t n = PyTuple_GET_SIZE(items.get());
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    if (!AddToList(item, base, place, list)) return false;
  }
  return true;
}

// The kind of an item for GuessAttrValue.
bool GuessBase(PyObject* v, AttrKind::Base* base) {
  if (PyBool_Check(v)) {
    *base = AttrKind::kBool;
  } else if (PyLong_Check(v)) {
    *base = AttrKind::kInt;
  } else if (PyFloat_Check(v)) {
    *base = AttrKind::kFloat;
  } else if (PyUnicode_Check(v) || PyBytes_Check(v)) {
    *base = AttrKind::kString;
  } else if (PyObject_TypeCheck(v, classes.tensor_shape)) {
    *base = AttrKind::kShape;
  } else if (Py_TYPE(v) == Py_TYPE(DtypeObject(DT_FLOAT))) {
    *base = AttrKind::kType;
  } else {
    PyErr_Format(PyExc_TypeError, "%R cannot be the value of an attr", v);
    return false;
  }
  return true;
}

PyObject* ShapeProtoObject(const TensorShapeProto& shape) {
  return MakePythonProto("tensorwright.core.framework.tensor_shape_pb2",
                         "TensorShapeProto", shape);
}
PyObject* TensorProtoObject(const TensorProto& tensor) {
  return MakePythonProto("tensorwright.core.framework.tensor_pb2",
                         "TensorProto", tensor);
}
PyObject* FuncObject(const NameAttrList& func) {
  return MakePythonProto("tensorwright.core.framework.attr_value_pb2",
                         "NameAttrList", func);
}
PyObject* BytesObject(const std::string& s) {
  return PyBytes_FromStringAndSize(s.data(), s.size());
}
PyObject* TypeObject(int type) {
  PyObject* dtype = DtypeObject(static_cast<DataType>(type));
  return Py_NewRef(dtype == nullptr ? Py_None : dtype);
}

template <typename Items, typename Make>
PyObject* MakeList(const Items& items, Make make) {
  Ref list(PyList_New(items.size()));
  if (!list) return nullptr;
  for (int i = 0; i < items.size(); ++i) {
    PyObject* item = make(items[i]);
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

PyObject* FromList(const AttrValue::ListValue& list) {
  if (list.s_size()) return MakeList(list.s(), BytesObject);
  if (list.i_size()) return MakeList(list.i(), PyLong_FromLongLong);
  if (list.f_size()) return MakeList(list.f(), PyFloat_FromDouble);
  if (list.b_size()) return MakeList(list.b(), PyBool_FromLong);
  if (list.type_size()) return MakeList(list.type(), TypeObject);
  if (list.shape_size()) return MakeList(list.shape(), ShapeProtoObject);
  if (list.tensor_size()) return MakeList(list.tensor(), TensorProtoObject);
  return MakeList(list.func(), FuncObject);
}

}  // namespace

bool ToAttrValue(PyObject* value, const AttrInfo& attr, absl::string_view op,
                 AttrValue* out) {
  const Place place{attr.name, op};
  return attr.kind.is_list ? SetList(value, attr.kind.base, place, out)
                           : SetSingle(value, attr.kind.base, place, out);
}

bool GuessAttrValue(PyObject* value, AttrValue* out) {
  if (PyObject_HasAttrString(value, "SerializeToString")) {
    return ParsePythonProto(value, out);
  }
  const Place place{"attr", "Operation"};
  AttrKind::Base base;
  if (PyList_Check(value) || PyTuple_Check(value)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(value);
    out->mutable_list();
    if (n == 0) return true;
    return GuessBase(PySequence_Fast_GET_ITEM(value, 0), &base) &&
           SetList(value, base, place, out);
  }
  return GuessBase(value, &base) && SetSingle(value, base, place, out);
}

PyObject* FromAttrValue(const AttrValue& value) {
  switch (value.value_case()) {
    case AttrValue::kS:
      return BytesObject(value.s());
    case AttrValue::kI:
      return PyLong_FromLongLong(value.i());
    case AttrValue::kF:
      return PyFloat_FromDouble(value.f());
    case AttrValue::kB:
      return PyBool_FromLong(value.b());
    case AttrValue::kType:
      return TypeObject(value.type());
    case AttrValue::kShape:
      return ShapeProtoObject(value.shape());
    case AttrValue::kTensor:
      return TensorProtoObject(value.tensor());
    case AttrValue::kFunc:
      return FuncObject(value.func());
    case AttrValue::kList:
      return FromList(value.list());
    default:
      return PyList_New(0);
  }
}

bool ParsePythonProto(PyObject* message, google::protobuf::MessageLite* out) {
  Ref bytes(PyObject_CallMethod(message, "SerializeToString", nullptr));
  if (!bytes) return false;
  absl::string_view text;
  if (!AsText(bytes.get(), &text)) return false;
  if (!out->ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    PyErr_Format(PyExc_TypeError, "%s is not a %s", Py_TYPE(message)->tp_name,
                 out->GetTypeName().c_str());
    return false;
  }
  return true;
}

PyObject* MakePythonProto(const char* module, const char* message,
                          const google::protobuf::MessageLite& value) {
  Ref pb2(PyImport_ImportModule(module));
  if (!pb2) return nullptr;
  Ref type(PyObject_GetAttrString(pb2.get(), message));
  Ref bytes(BytesObject(value.SerializeAsString()));
  if (!type || !bytes) return nullptr;
  return PyObject_CallMethod(type.get(), "FromString", "O", bytes.get());
}

}  // namespace tensorwright::pywrap
