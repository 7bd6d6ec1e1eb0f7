// SPDX-License-Identifier: Apache-2.0
// Which graph apply_op adds to.
#include "python/pywrap/apply_op_internal.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/numpy_abi.h"

namespace tensorwright::pywrap {
namespace {

bool IsPlainValue(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o);
}
bool IsNumpyValue(PyObject* o) {
  return numpy::IsArray(o) || PyObject_TypeCheck(o, numpy::api.generic_type);
}

// The graph of a tensor, of a list's first tensor, or of anything with a
// `graph`, such as a Variable.  Borrowed, nullptr when it has none.
GraphObject* GraphOf(PyObject* value) {
  if (IsTensor(value)) return AsTensor(value)->op->graph;
  if (IsPlainValue(value) || IsNumpyValue(value) || value == Py_None) {
    return nullptr;
  }
  if (IsList(value)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < n; ++i) {
      GraphObject* graph = GraphOf(PySequence_Fast_GET_ITEM(value, i));
      if (graph != nullptr) return graph;
    }
    return nullptr;
  }
  if (Py_TYPE(value)->tp_dict == nullptr) return nullptr;
  Ref graph(PyObject_GetAttrString(value, "graph"));
  if (!graph) {
    PyErr_Clear();
    return nullptr;
  }
  // The value keeps its graph alive.
  return IsGraph(graph.get()) ? AsGraph(graph.get()) : nullptr;
}

}  // namespace

GraphObject* PickGraph(PyObject* inputs) {
  // A function's body captures what belongs to other graphs.
  GraphObject* const current = DefaultGraph();
  if (current == nullptr || current->state->captures) return current;
  const Py_ssize_t n = PyTuple_GET_SIZE(inputs);
  for (Py_ssize_t i = 0; i < n; ++i) {
    GraphObject* graph = GraphOf(PyTuple_GET_ITEM(inputs, i));
    if (graph != nullptr) return graph;
  }
  return current;
}

TensorObject* TensorIn(GraphObject* graph, TensorObject* tensor) {
  if (tensor->op->graph == graph) return tensor;
  if (!graph->state->captures) return nullptr;
  // The graph keeps what it captures.
  Ref captured(PyObject_CallMethod(reinterpret_cast<PyObject*>(graph),
                                   "_capture", "O", tensor));
  if (!captured || !IsTensor(captured.get())) return nullptr;
  return AsTensor(captured.get());
}

}  // namespace tensorwright::pywrap
