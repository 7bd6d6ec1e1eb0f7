// SPDX-License-Identifier: Apache-2.0
// Picks the graph that apply_op adds to.
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

// Lists nested more deeply than this are not looked at: no tensor has as many
// dimensions, and a list may contain itself.
constexpr int kMaxDepth = 64;

Ref Owned(GraphObject* graph) {
  return Ref::Borrow(reinterpret_cast<PyObject*>(graph));
}

// The graph of a tensor, of a list's first tensor, or of anything with a
// `graph`, such as a Variable.  Null if it has none.
Ref GraphOf(PyObject* value, int depth = 0) {
  if (IsTensor(value)) return Owned(AsTensor(value)->op->graph);
  if (IsPlainValue(value) || IsNumpyValue(value) || value == Py_None) {
    return Ref();
  }
  if (IsList(value)) {
    if (depth == kMaxDepth) return Ref();
    // A property `graph` may run code that changes the list.
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      const Ref item = Ref::Borrow(PySequence_Fast_GET_ITEM(value, i));
      Ref graph = GraphOf(item.get(), depth + 1);
      if (graph) return graph;
    }
    return Ref();
  }
  if (Py_TYPE(value)->tp_dict == nullptr) return Ref();
  Ref graph(PyObject_GetAttrString(value, "graph"));
  if (!graph) {
    PyErr_Clear();
    return Ref();
  }
  return IsGraph(graph.get()) ? graph : Ref();
}

}  // namespace

Ref PickGraph(PyObject* inputs) {
  // A function's body captures tensors of other graphs.
  GraphObject* const current = DefaultGraph();
  if (current == nullptr || current->state->captures) return Owned(current);
  const Ref kept = Owned(current);
  const Py_ssize_t n = PyTuple_GET_SIZE(inputs);
  for (Py_ssize_t i = 0; i < n; ++i) {
    Ref graph = GraphOf(PyTuple_GET_ITEM(inputs, i));
    if (graph) return graph;
  }
  return kept;
}

TensorObject* TensorIn(GraphObject* graph, TensorObject* tensor) {
  if (tensor->op->graph == graph) return tensor;
  if (!graph->state->captures) return nullptr;
  // The graph keeps the tensors that it captures.
  Ref captured(PyObject_CallMethod(reinterpret_cast<PyObject*>(graph),
                                   "_capture", "O", tensor));
  if (!captured || !IsTensor(captured.get())) return nullptr;
  return AsTensor(captured.get());
}

}  // namespace tensorwright::pywrap
