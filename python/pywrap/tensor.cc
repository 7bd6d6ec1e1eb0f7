// SPDX-License-Identifier: Apache-2.0
// TensorCore, the base class of Tensor: one output of an operation.
#include <string>

#include "absl/strings/str_cat.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"
#include "python/pywrap/tensor_numpy.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {

PyTypeObject* tensor_core_type = nullptr;

namespace {

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(AsTensor(self)->op);
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(AsTensor(self)->op);
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Clear(self);
  FreeObject(self);
}

LiveGraph* Live(PyObject* self) {
  return AsTensor(self)->op->graph->state->live.get();
}

PyObject* GetOp(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(AsTensor(self)->op));
}
PyObject* GetIndex(PyObject* self, void*) {
  return PyLong_FromLong(AsTensor(self)->index);
}
PyObject* GetDtype(PyObject* self, void*) {
  return Py_NewRef(DtypeObject(DtypeOf(AsTensor(self))));
}
PyObject* GetGraph(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(AsTensor(self)->op->graph));
}
PyObject* GetName(PyObject* self, void*) {
  const TensorObject* t = AsTensor(self);
  return MakeStr(absl::StrCat(t->op->node->name(), ":", t->index));
}
PyObject* GetShape(PyObject* self, void*) {
  return ShapeObject(Live(self)->OutputShape(RefOf(AsTensor(self))));
}
PyObject* GetShapeMethod(PyObject* self, PyObject*) {
  return GetShape(self, nullptr);
}

PyObject* SetShape(PyObject* self, PyObject* value) {
  PartialTensorShape shape;
  if (!ToPartialShape(value, &shape)) return nullptr;
  const Status status = Live(self)->SetShape(RefOf(AsTensor(self)), shape);
  if (!status.ok()) return RaiseValueError(status);
  Py_RETURN_NONE;
}

PyObject* Consumers(PyObject* self, PyObject*) {
  const TensorObject* t = AsTensor(self);
  absl::InlinedVector<const Node*, 8> consumers;
  {
    absl::MutexLock lock(&Live(self)->mu());
    for (const Edge* e : t->op->node->out_edges()) {
      if (!e->IsControlEdge() && e->src_output() == t->index) {
        consumers.push_back(e->dst());
      }
    }
  }
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(consumers.size()));
  for (size_t i = 0; list != nullptr && i < consumers.size(); ++i) {
    auto* op =
        reinterpret_cast<PyObject*>(HandleOf(t->op->graph, consumers[i]));
    if (op == nullptr) return RaiseDismantled(list);
    PyList_SET_ITEM(list, i, Py_NewRef(op));
  }
  return list;
}

// The value as an array if it follows from the graph alone, else None.
PyObject* ConstantValue(PyObject* self, PyObject*) {
  Tensor value;
  if (!Live(self)->ConstantValue(RefOf(AsTensor(self)), &value)) {
    Py_RETURN_NONE;
  }
  return TensorToNumpy(std::move(value), /*scalars_as_arrays=*/true);
}

PyMethodDef methods[] = {
    {"get_shape", GetShapeMethod, METH_NOARGS,
     "get_shape()\n--\n\nThe static shape, a TensorShape."},
    {"set_shape", SetShape, METH_O,
     "set_shape(shape)\n--\n\n"
     "Adds to what is known of the shape; ValueError if it contradicts."},
    {"consumers", Consumers, METH_NOARGS,
     "consumers()\n--\n\nThe operations that take this tensor."},
    {"_constant_value", ConstantValue, METH_NOARGS, "An array, or None."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef getset[] = {
    {"op", GetOp, nullptr, "The Operation that computes it.", nullptr},
    {"value_index", GetIndex, nullptr, "Its index among the op's outputs.",
     nullptr},
    {"dtype", GetDtype, nullptr, "The DType of its elements.", nullptr},
    {"graph", GetGraph, nullptr, "The Graph that has it.", nullptr},
    {"name", GetName, nullptr, "'OP_NAME:INDEX'.", nullptr},
    {"shape", GetShape, nullptr, "The static shape, a TensorShape.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_dealloc, AsSlot(Dealloc)}, {Py_tp_traverse, AsSlot(Traverse)},
    {Py_tp_clear, AsSlot(Clear)},     {Py_tp_methods, methods},
    {Py_tp_getset, getset},           {0, nullptr}};
PyType_Spec spec = {"tensorwright.python._pywrap.TensorCore",
                    sizeof(TensorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyObject* ShapeObject(const PartialTensorShape& shape) {
  Ref dims(Py_NewRef(Py_None));
  if (!shape.unknown_rank()) {
    dims = Ref(PyTuple_New(shape.dims()));
    if (!dims) return nullptr;
    for (int i = 0; i < shape.dims(); ++i) {
      const int64_t size = shape.dim_size(i);
      PyObject* item =
          size < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(size);
      PyTuple_SET_ITEM(dims.get(), i, item);
    }
  }
  return PyObject_CallMethod(reinterpret_cast<PyObject*>(classes.tensor_shape),
                             "_from_tuple", "(O)", dims.get());
}

bool ToPartialShape(PyObject* object, PartialTensorShape* shape) {
  auto* shape_class = reinterpret_cast<PyObject*>(classes.tensor_shape);
  Ref converted = PyObject_TypeCheck(object, classes.tensor_shape)
                      ? Ref::Borrow(object)
                      : Ref(PyObject_CallOneArg(shape_class, object));
  if (!converted) return false;
  Ref dims(PyObject_GetAttrString(converted.get(), "_dims"));
  if (!dims) return false;
  if (dims.get() == Py_None) {
    static const PartialTensorShape kUnknown;
    *shape = kUnknown;
    return true;
  }
  std::vector<int64_t> sizes(PyTuple_GET_SIZE(dims.get()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    PyObject* size = PyTuple_GET_ITEM(dims.get(), i);
    sizes[i] = size == Py_None ? -1 : PyLong_AsLongLong(size);
    if (sizes[i] == -1 && PyErr_Occurred()) return false;
  }
  const Status status =
      PartialTensorShape::BuildPartialTensorShape(sizes, shape);
  if (!status.ok()) RaiseValueError(status);
  return status.ok();
}

bool BindTensor(PyObject* module) {
  tensor_core_type = AddType(module, &spec);
  return tensor_core_type != nullptr;
}

}  // namespace tensorwright::pywrap
