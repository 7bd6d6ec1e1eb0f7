// SPDX-License-Identifier: Apache-2.0
// GraphCore, the base class of Graph: names, scopes, operations, GraphDefs.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/framework/function.h"
#include "core/framework/function.pb.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/errors.h"
#include "python/pywrap/crash_lines.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {

Classes classes;
PyTypeObject* graph_core_type = nullptr;

namespace {

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  auto* self = AsGraph(type->tp_alloc(type, 0));
  if (self != nullptr) {
    self->state = new GraphState;
    AddGraph(self->state);
  }
  return reinterpret_cast<PyObject*>(self);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const GraphState* state = AsGraph(self)->state;
  if (state != nullptr) {
    for (OperationObject* op : state->ops) Py_VISIT(op);
  }
  return 0;
}

int Clear(PyObject* self) {
  GraphState* state = AsGraph(self)->state;
  if (state != nullptr) {
    std::vector<OperationObject*> ops;
    ops.swap(state->ops);
    for (OperationObject* op : ops) Py_XDECREF(op);
  }
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Clear(self);
  RemoveGraph(AsGraph(self)->state);
  delete AsGraph(self)->state;
  FreeObject(self);
}

PyObject* UniqueNameMethod(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"name", "mark_as_used", nullptr};
  PyObject* name = nullptr;
  int mark = 1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|p", const_cast<char**>(keywords), &name, &mark)) {
    return nullptr;
  }
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  return MakeStr(UniqueName(AsGraph(self)->state, text, mark != 0));
}

// A scope has letters, digits, "_.-/>"; at the root it must not begin with "_",
// "-", "/" or ">".
bool IsValidScope(absl::string_view name, bool at_root) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) &&
        absl::string_view("_.-/>").find(c) == absl::string_view::npos) {
      return false;
    }
  }
  return !at_root || absl::ascii_isalnum(name[0]) || name[0] == '.';
}

// "a/b" -> a unique scope below the current one; "a/b/" -> that scope itself;
// "" or None -> the root.
PyObject* EnterScope(PyObject* self, PyObject* name) {
  GraphState* state = AsGraph(self)->state;
  absl::string_view text;
  if (name != Py_None && !AsText(name, &text)) return nullptr;
  if (!text.empty() && !IsValidScope(text, state->scope.empty())) {
    PyErr_Format(PyExc_ValueError, "'%S' is not a valid scope name", name);
    return nullptr;
  }
  if (text.empty()) {
    state->scope.clear();
  } else if (text.back() == '/') {
    state->scope = std::string(text);
  } else {
    state->scope = absl::StrCat(UniqueName(state, text, true), "/");
  }
  return MakeStr(state->scope);
}

PyObject* OpByName(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  const Node* node = AsGraph(self)->state->live->FindNode(text);
  OperationObject* op =
      node == nullptr ? nullptr : HandleOf(AsGraph(self), node);
  if (op == nullptr) Py_RETURN_NONE;
  return Py_NewRef(reinterpret_cast<PyObject*>(op));
}

PyObject* GetOperations(PyObject* self, PyObject*) {
  const GraphState* state = AsGraph(self)->state;
  const auto n = std::count_if(state->ops.begin(), state->ops.end(),
                               [](const auto* op) { return op != nullptr; });
  Ref list(PyList_New(n));
  if (!list) return nullptr;
  Py_ssize_t i = 0;
  for (OperationObject* op : state->ops) {
    if (op == nullptr) continue;
    Py_INCREF(op);
    PyList_SET_ITEM(list.get(), i++, reinterpret_cast<PyObject*>(op));
  }
  return list.release();
}

// An operation and its outputs own each other, so the outputs are destroyed as
// well.
PyObject* Dismantle(PyObject* self, PyObject*) {
  for (OperationObject* op : AsGraph(self)->state->ops) {
    if (op == nullptr) continue;
    TensorObject** outputs = std::exchange(op->outputs, nullptr);
    const int n = std::exchange(op->num_outputs, 0);
    for (int i = 0; i < n; ++i) Py_DECREF(outputs[i]);
    delete[] outputs;
  }
  Clear(self);
  Py_RETURN_NONE;
}

// (from_version, add_shapes) -> bytes
PyObject* GraphDefBytes(PyObject* self, PyObject* args) {
  int from = 0;
  int add_shapes = 0;
  if (!PyArg_ParseTuple(args, "ip", &from, &add_shapes)) return nullptr;
  GraphDef def;
  std::string bytes;
  const GraphState* state = AsGraph(self)->state;
  Py_BEGIN_ALLOW_THREADS;
  state->live->ToGraphDef(&def, add_shapes != 0);
  if (from > 0) {
    def.mutable_node()->DeleteSubrange(0, std::min(from, def.node_size()));
  }
  def.SerializeToString(&bytes);
  Py_END_ALLOW_THREADS;
  return PyBytes_FromStringAndSize(bytes.data(), bytes.size());
}

bool ReadInputMap(PyObject* map, ImportOptions* options) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t pos = 0;
  while (PyDict_Next(map, &pos, &key, &value)) {
    absl::string_view name;
    if (!AsText(key, &name)) return false;
    absl::ConsumeSuffix(&name, ":0");  // "x" and "x:0" are one tensor.
    if (IsOperation(value)) {
      options->input_map[std::string(name)] =
          OutputRef{AsOperation(value)->node, Graph::kControlSlot};
    } else if (IsTensor(value)) {
      options->input_map[std::string(name)] = RefOf(AsTensor(value));
    } else {
      PyErr_Format(PyExc_TypeError, "input_map: %R is not a Tensor", value);
      return false;
    }
  }
  return true;
}

// (bytes, prefix, input_map, control_inputs, device) -> [Operation]
PyObject* Import(PyObject* self, PyObject* args) {
  Py_buffer bytes;
  const char* prefix = nullptr;
  const char* device = nullptr;
  PyObject* map = nullptr;
  PyObject* controls = nullptr;
  if (!PyArg_ParseTuple(args, "y*sO!O!s", &bytes, &prefix, &PyDict_Type, &map,
                        &PyList_Type, &controls, &device)) {
    return nullptr;
  }
  GraphDef def;
  const bool parsed = def.ParseFromArray(bytes.buf, bytes.len);
  PyBuffer_Release(&bytes);
  if (!parsed) {
    return RaiseStatus(errors::InvalidArgument(
                           "import_graph_def: the bytes are not a GraphDef"),
                       nullptr);
  }
  ImportOptions options;
  options.number_taken_names = true;
  options.prefix = prefix;
  options.default_device = device;
  if (!ReadInputMap(map, &options)) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(controls); ++i) {
    options.control_dependencies.push_back(
        AsOperation(PyList_GET_ITEM(controls, i))->node);
  }
  GraphObject* graph = AsGraph(self);
  auto nodes = graph->state->live->Import(def, options);
  if (!nodes.ok()) return RaiseStatus(nodes.status(), graph);
  Ref list(PyList_New(nodes->size()));
  if (!list) return nullptr;
  for (size_t i = 0; i < nodes->size(); ++i) {
    OperationObject* op = AddHandle(graph, (*nodes)[i], Traceback::Capture());
    if (op == nullptr) return nullptr;
    // Names that ops get from now on stay clear of the imported ones.
    graph->state->names.try_emplace(absl::AsciiStrToLower((*nodes)[i]->name()),
                                    1);
    Py_INCREF(op);
    PyList_SET_ITEM(list.get(), i, reinterpret_cast<PyObject*>(op));
  }
  return list.release();
}

// (name) -> bytes of the FunctionDef, or None
PyObject* FunctionDefBytes(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  const auto def = AsGraph(self)->state->live->functions()->Find(text);
  if (def == nullptr) Py_RETURN_NONE;
  const std::string bytes = def->SerializeAsString();
  return PyBytes_FromStringAndSize(bytes.data(), bytes.size());
}

// (name) -> the name of the function that is its gradient, or ""
PyObject* GradientOf(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  return MakeStr(AsGraph(self)->state->live->functions()->FindGradient(text));
}

PyObject* RemoveFunction(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  const Status status =
      AsGraph(self)->state->live->functions()->RemoveFunction(text);
  if (!status.ok()) return RaiseStatus(status, AsGraph(self));
  Py_RETURN_NONE;
}

PyObject* GetScope(PyObject* self, void*) {
  return MakeStr(AsGraph(self)->state->scope);
}
PyObject* GetDevice(PyObject* self, void*) {
  return MakeStr(AsGraph(self)->state->device);
}
int SetText(PyObject* value, std::string* out) {
  absl::string_view text;
  if (value == nullptr || !AsText(value, &text)) return -1;
  out->assign(text.data(), text.size());
  return 0;
}
int SetScope(PyObject* self, PyObject* value, void*) {
  return SetText(value, &AsGraph(self)->state->scope);
}
int SetDevice(PyObject* self, PyObject* value, void*) {
  return SetText(value, &AsGraph(self)->state->device);
}
PyObject* GetPlain(PyObject* self, void*) {
  return PyBool_FromLong(AsGraph(self)->state->plain);
}
int SetPlain(PyObject* self, PyObject* value, void*) {
  AsGraph(self)->state->plain = value == Py_True;
  return 0;
}
PyObject* GetCaptures(PyObject* self, void*) {
  return PyBool_FromLong(AsGraph(self)->state->captures);
}
int SetCaptures(PyObject* self, PyObject* value, void*) {
  AsGraph(self)->state->captures = value == Py_True;
  return 0;
}
PyObject* GetFinalized(PyObject* self, void*) {
  return PyBool_FromLong(AsGraph(self)->state->finalized);
}
int SetFinalized(PyObject* self, PyObject* value, void*) {
  AsGraph(self)->state->finalized = value == Py_True;
  return 0;
}
PyObject* GetVersion(PyObject* self, void*) {
  return PyLong_FromLong(AsGraph(self)->state->num_ops);
}

// (producer, min_consumer)
PyObject* GetVersions(PyObject* self, void*) {
  const LiveGraph& live = *AsGraph(self)->state->live;
  absl::MutexLock lock(&live.mu());
  const VersionDef& v = live.graph().versions();
  return Py_BuildValue("(ii)", v.producer(), v.min_consumer());
}

PyMethodDef methods[] = {
    {"unique_name", AsCFunction(UniqueNameMethod), METH_VARARGS | METH_KEYWORDS,
     "unique_name(name, mark_as_used=True)\n--\n\n"
     "`name` in the current scope, with a suffix if it is taken."},
    {"_enter_scope", EnterScope, METH_O, "Sets and returns the name scope."},
    {"_op_by_name", OpByName, METH_O, "The Operation of that name, or None."},
    {"get_operations", GetOperations, METH_NOARGS,
     "get_operations()\n--\n\nThe operations, in the order they were added."},
    {"Dismantle", Dismantle, METH_NOARGS,
     "Dismantle()\n--\n\nLets go of the Operations, so that they and the "
     "graph are freed\nwithout the collector.  The nodes stay: runs and "
     "GraphDefs have them."},
    {"_graph_def_bytes", GraphDefBytes, METH_VARARGS,
     "(from_version, add_shapes) -> a serialized GraphDef."},
    {"_import", Import, METH_VARARGS,
     "(graph_def_bytes, prefix, input_map, control_inputs, device) -> ops."},
    {"_function_def_bytes", FunctionDefBytes, METH_O,
     "The FunctionDef of that name as bytes, or None."},
    {"_gradient_of", GradientOf, METH_O,
     "Which function is the gradient of that one; '' if none is."},
    {"_remove_function", RemoveFunction, METH_O, "Out of the library."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef getset[] = {
    {"_scope", GetScope, SetScope, "The name scope, '' or 'a/b/'.", nullptr},
    {"_device", GetDevice, SetDevice, "What device scopes merge to.", nullptr},
    {"_plain", GetPlain, SetPlain, "No hook takes part in adding ops.",
     nullptr},
    {"_captures", GetCaptures, SetCaptures, "The body of a function.", nullptr},
    {"_finalized", GetFinalized, SetFinalized, "Read-only graph.", nullptr},
    {"version", GetVersion, nullptr, "Grows with every operation.", nullptr},
    {"_versions", GetVersions, nullptr, "(producer, min_consumer)", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, AsSlot(New)},
                       {Py_tp_dealloc, AsSlot(Dealloc)},
                       {Py_tp_traverse, AsSlot(Traverse)},
                       {Py_tp_clear, AsSlot(Clear)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {
    "tensorwright.python._pywrap.GraphCore", sizeof(GraphObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

// (graph, operation, tensor, tensor_shape)
PyObject* SetClasses(PyObject*, PyObject* args) {
  PyTypeObject* types[4];
  if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyType_Type, &types[0], &PyType_Type,
                        &types[1], &PyType_Type, &types[2], &PyType_Type,
                        &types[3])) {
    return nullptr;
  }
  for (PyTypeObject* type : types) Py_INCREF(type);
  classes = Classes{types[0], types[1], types[2], types[3]};
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_classes", SetClasses, METH_VARARGS,
     "set_classes(Graph, Operation, Tensor, TensorShape)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::string UniqueName(GraphState* graph, absl::string_view name, bool mark) {
  std::string result = absl::StrCat(graph->scope, name);
  std::string key = absl::AsciiStrToLower(result);
  const auto it = graph->names.find(key);
  if (it == graph->names.end()) {
    if (mark) graph->names.emplace(std::move(key), 1);
    return result;
  }
  int i = it->second;
  if (mark) ++it->second;
  for (;; ++i) {
    std::string candidate = absl::StrCat(key, "_", i);
    if (graph->names.contains(candidate)) continue;
    if (mark) graph->names.emplace(std::move(candidate), 1);
    absl::StrAppend(&result, "_", i);
    return result;
  }
}

PyObject* RaiseDismantled(PyObject* unfinished) {
  Py_XDECREF(unfinished);
  PyErr_SetString(PyExc_RuntimeError,
                  "The graph has let go of this operation (Graph.Dismantle).");
  return nullptr;
}

bool BindGraph(PyObject* module) {
  BindCrashLines();
  graph_core_type = AddType(module, &spec);
  return graph_core_type != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
