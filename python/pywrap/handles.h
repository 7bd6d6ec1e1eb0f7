// SPDX-License-Identifier: Apache-2.0
// The Python objects of a graph: thin handles on LiveGraph, Node and OutputRef.
//
// GraphCore, OperationCore and TensorCore are base classes; the classes that
// users see (Graph, Operation, Tensor in python/framework) derive from them;
// set_classes() makes them known, so that this module can create instances
// without going through Python.  A graph owns its operations, an operation its
// outputs; both point back to their owner, and Python's collector takes the
// whole graph when nobody holds a part of it.
//
// Everything here is guarded by the GIL.  Calls into LiveGraph take its mutex
// under the GIL; nobody takes the GIL under that mutex.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_HANDLES_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_HANDLES_H_

#include "python/pywrap/py_ref.h"
// py_ref.h comes first: Python.h must be the first system header.
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/framework/types.h"
#include "core/graph/live_graph.h"
#include "python/pywrap/traceback.h"

namespace tensorwright::pywrap {

struct OperationObject;
struct TensorObject;

struct GraphState {
  std::shared_ptr<LiveGraph> live = std::make_shared<LiveGraph>();
  // Lower-cased names of operations and scopes -> the next suffix to try.
  absl::flat_hash_map<std::string, int> names;
  std::string scope;   // "" or "outer/inner/".
  std::string device;  // The merged device scopes in effect.
  // False: control dependencies, contexts, device functions, ... are in effect;
  // Graph._prepare_op and _complete_op (Python) take part in adding an op.
  bool plain = true;
  bool finalized = false;
  // A function's body: tensors of other graphs become arguments
  // (Graph._capture).
  bool captures = false;
  std::vector<OperationObject*> ops;  // By Node id, owned; nullptr in holes.
  int num_ops = 0;
};

struct GraphObject {
  PyObject_HEAD GraphState* state;
};

struct OperationObject {
  PyObject_HEAD Node* node;
  GraphObject* graph;      // Owned.
  TensorObject** outputs;  // Owned, `num_outputs` of them.
  PyObject* context;       // The control-flow context, or nullptr.
  PyObject* original;      // The op it was derived from, or nullptr.
  Traceback* traceback;
  int num_outputs;
};

struct TensorObject {
  PyObject_HEAD OperationObject* op;  // Owned.
  int index;
};

// The classes to instantiate; set once by python/framework.
struct Classes {
  PyTypeObject* graph = nullptr;
  PyTypeObject* operation = nullptr;
  PyTypeObject* tensor = nullptr;
  PyTypeObject* tensor_shape = nullptr;
};
extern Classes classes;

extern PyTypeObject* graph_core_type;
extern PyTypeObject* operation_core_type;
extern PyTypeObject* tensor_core_type;

inline bool IsTensor(PyObject* o) {
  return Py_TYPE(o) == classes.tensor ||
         PyObject_TypeCheck(o, tensor_core_type);
}
inline bool IsOperation(PyObject* o) {
  return Py_TYPE(o) == classes.operation ||
         PyObject_TypeCheck(o, operation_core_type);
}
inline bool IsGraph(PyObject* o) {
  return PyObject_TypeCheck(o, graph_core_type);
}
inline TensorObject* AsTensor(PyObject* o) {
  return reinterpret_cast<TensorObject*>(o);
}
inline OperationObject* AsOperation(PyObject* o) {
  return reinterpret_cast<OperationObject*>(o);
}
inline GraphObject* AsGraph(PyObject* o) {
  return reinterpret_cast<GraphObject*>(o);
}
inline OutputRef RefOf(const TensorObject* t) {
  return OutputRef{t->op->node, t->index};
}
inline DataType DtypeOf(const TensorObject* t) {
  return t->op->node->output_type(t->index);
}

// The handle of a node; nullptr if Graph.Dismantle has released it. Borrowed.
inline OperationObject* HandleOf(const GraphObject* graph, const Node* node) {
  const auto& ops = graph->state->ops;
  const size_t id = node->id();
  return id < ops.size() ? ops[id] : nullptr;
}
inline TensorObject* HandleOf(const GraphObject* graph, OutputRef output) {
  const OperationObject* op = HandleOf(graph, output.node);
  return op == nullptr ? nullptr : op->outputs[output.index];
}

// For callers that need a handle that is gone: raises RuntimeError and drops
// `unfinished`.
PyObject* RaiseDismantled(PyObject* unfinished);

// Makes the handle of a new node, with its outputs and, if asked, a traceback
// of the calling Python code.  Borrowed from the graph; nullptr on error.
OperationObject* AddHandle(GraphObject* graph, Node* node, Traceback* trace);

// `name` under the current scope, made unique as TensorFlow does (foo, foo_1,
// ...; upper and lower case count as the same).
std::string UniqueName(GraphState* graph, absl::string_view name, bool mark);

// `tensor` itself or, if `graph` is a function's body, its stand-in there.
// Borrowed; nullptr, with no error set, for a tensor of another graph that
// cannot be captured.
TensorObject* TensorIn(GraphObject* graph, TensorObject* tensor);

// The graph on top of this thread's stack, else the global one, which is made
// on demand. Borrowed; nullptr on error.
GraphObject* DefaultGraph();
void PushDefaultGraph(PyObject* graph);
void PopDefaultGraph();

// A Python TensorShape for what is known about an output.  New reference.
PyObject* ShapeObject(const PartialTensorShape& shape);

// Takes anything that `TensorShape(...)` takes.  False with a Python error set.
bool ToPartialShape(PyObject* object, PartialTensorShape* shape);

bool BindGraph(PyObject* module);
bool BindOperation(PyObject* module);
bool BindTensor(PyObject* module);
bool BindDefaultGraph(PyObject* module);
bool BindApplyOp(PyObject* module);
bool BindConstant(PyObject* module);
bool BindSession(PyObject* module);
bool BindDtypes(PyObject* module);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_HANDLES_H_
