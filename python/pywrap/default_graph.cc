// SPDX-License-Identifier: Apache-2.0
// The default graph: each thread has a stack, with one global graph at the
// bottom.
#include <vector>

#include "python/pywrap/handles.h"

namespace tensorwright::pywrap {
namespace {

// The entries own references; a thread that ends with entries left leaks them,
// since it may end without the GIL.
thread_local std::vector<PyObject*> stack;
PyObject* global_graph = nullptr;

PyObject* Get(PyObject*, PyObject*) {
  return Py_XNewRef(reinterpret_cast<PyObject*>(DefaultGraph()));
}

PyObject* Push(PyObject*, PyObject* graph) {
  if (!IsGraph(graph)) {
    PyErr_Format(PyExc_TypeError, "%R is not a Graph", graph);
    return nullptr;
  }
  PushDefaultGraph(graph);
  Py_RETURN_NONE;
}

PyObject* Pop(PyObject*, PyObject* graph) {
  if (stack.empty() || stack.back() != graph) {
    PyErr_SetString(PyExc_AssertionError,
                    "Nesting violated for default stack of Graph objects: "
                    "leave contexts in the reverse order of entering");
    return nullptr;
  }
  PopDefaultGraph();
  Py_RETURN_NONE;
}

PyObject* Depth(PyObject*, PyObject*) {
  return PyLong_FromSize_t(stack.size());
}

PyObject* Reset(PyObject*, PyObject*) {
  for (PyObject* graph : stack) Py_DECREF(graph);
  stack.clear();
  Py_CLEAR(global_graph);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"get_default_graph", Get, METH_NOARGS,
     "get_default_graph()\n--\n\n"
     "The graph that ops are added to: the innermost `Graph.as_default()` of "
     "this thread, else one graph for the whole process."},
    {"push_default_graph", Push, METH_O, "Enters a graph on this thread."},
    {"pop_default_graph", Pop, METH_O, "Leaves it again."},
    {"default_graph_depth", Depth, METH_NOARGS,
     "Graphs on this thread's stack."},
    {"reset_default_graph", Reset, METH_NOARGS,
     "Forgets the global default graph and this thread's stack."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

GraphObject* DefaultGraph() {
  if (!stack.empty()) return AsGraph(stack.back());
  if (global_graph == nullptr) {
    global_graph =
        PyObject_CallNoArgs(reinterpret_cast<PyObject*>(classes.graph));
  }
  return AsGraph(global_graph);
}

void PushDefaultGraph(PyObject* graph) { stack.push_back(Py_NewRef(graph)); }

void PopDefaultGraph() {
  PyObject* graph = stack.back();
  stack.pop_back();
  Py_DECREF(graph);
}

bool BindDefaultGraph(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
