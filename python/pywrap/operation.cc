// SPDX-License-Identifier: Apache-2.0
// OperationCore, the base class of Operation: a node of a graph.
#include <string>

#include "absl/strings/ascii.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "python/pywrap/attr_value.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {

PyTypeObject* operation_core_type = nullptr;

namespace {

int Traverse(PyObject* self, visitproc visit, void* arg) {
  const OperationObject* op = AsOperation(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(op->graph);
  for (int i = 0; i < op->num_outputs; ++i) Py_VISIT(op->outputs[i]);
  Py_VISIT(op->context);
  Py_VISIT(op->original);
  return 0;  // The traceback's code objects do not refer to any of our objects.
}

int Clear(PyObject* self) {
  OperationObject* op = AsOperation(self);
  TensorObject** outputs = std::exchange(op->outputs, nullptr);
  const int n = std::exchange(op->num_outputs, 0);
  for (int i = 0; i < n; ++i) Py_DECREF(outputs[i]);
  delete[] outputs;
  Py_CLEAR(op->context);
  Py_CLEAR(op->original);
  delete std::exchange(op->traceback, nullptr);
  Py_CLEAR(op->graph);
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Clear(self);
  FreeObject(self);
}

const LiveGraph& Live(PyObject* self) {
  return *AsOperation(self)->graph->state->live;
}

PyObject* GetName(PyObject* self, void*) {
  return MakeStr(AsOperation(self)->node->name());
}
PyObject* GetType(PyObject* self, void*) {
  return MakeStr(AsOperation(self)->node->type_string());
}
PyObject* GetDevice(PyObject* self, void*) {
  absl::MutexLock lock(&Live(self).mu());
  return MakeStr(AsOperation(self)->node->requested_device());
}
PyObject* GetGraph(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(AsOperation(self)->graph));
}
PyObject* GetOutputs(PyObject* self, void*) {
  const OperationObject* op = AsOperation(self);
  PyObject* list = PyList_New(op->num_outputs);
  for (int i = 0; list != nullptr && i < op->num_outputs; ++i) {
    auto* tensor = reinterpret_cast<PyObject*>(op->outputs[i]);
    PyList_SET_ITEM(list, i, Py_NewRef(tensor));
  }
  return list;
}
PyObject* GetId(PyObject* self, void*) {
  // The source and sink nodes come first.
  return PyLong_FromLong(AsOperation(self)->node->id() - 2);
}

// Does not hold the graph's mutex while it makes Python objects: that may run
// the collector, and with it code that takes the mutex again.
PyObject* GetInputs(PyObject* self, void*) {
  const OperationObject* op = AsOperation(self);
  absl::InlinedVector<OutputRef, 8> sources(op->node->num_inputs());
  {
    absl::MutexLock lock(&Live(self).mu());
    for (size_t i = 0; i < sources.size(); ++i) {
      const Edge* edge = op->node->input_edge(static_cast<int>(i));
      if (edge != nullptr) sources[i] = {edge->src(), edge->src_output()};
    }
  }
  PyObject* inputs = PyTuple_New(static_cast<Py_ssize_t>(sources.size()));
  for (size_t i = 0; inputs != nullptr && i < sources.size(); ++i) {
    PyObject* input = Py_None;
    if (sources[i].node != nullptr) {
      input = reinterpret_cast<PyObject*>(HandleOf(op->graph, sources[i]));
      if (input == nullptr) return RaiseDismantled(inputs);
    }
    PyTuple_SET_ITEM(inputs, i, Py_NewRef(input));
  }
  return inputs;
}

PyObject* ControlEnds(PyObject* self, bool inputs) {
  const OperationObject* op = AsOperation(self);
  absl::InlinedVector<const Node*, 8> ends;
  {
    absl::MutexLock lock(&Live(self).mu());
    for (const Edge* e :
         inputs ? op->node->in_edges() : op->node->out_edges()) {
      const Node* end = inputs ? e->src() : e->dst();
      if (e->IsControlEdge() && end->IsOp()) ends.push_back(end);
    }
  }
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(ends.size()));
  for (size_t i = 0; list != nullptr && i < ends.size(); ++i) {
    auto* handle = reinterpret_cast<PyObject*>(HandleOf(op->graph, ends[i]));
    if (handle == nullptr) return RaiseDismantled(list);
    PyList_SET_ITEM(list, i, Py_NewRef(handle));
  }
  return list;
}
PyObject* GetControlInputs(PyObject* self, void*) {
  return ControlEnds(self, true);
}
PyObject* GetControlOutputs(PyObject* self, void*) {
  return ControlEnds(self, false);
}

PyObject* GetTraceback(PyObject* self, void*) {
  const Traceback* trace = AsOperation(self)->traceback;
  return trace == nullptr ? PyList_New(0) : trace->Format();
}

// A slot that holds an object or nothing (None).
template <PyObject* OperationObject::*field>
PyObject* GetObject(PyObject* self, void*) {
  PyObject* object = AsOperation(self)->*field;
  return Py_NewRef(object == nullptr ? Py_None : object);
}
template <PyObject* OperationObject::*field>
int SetObject(PyObject* self, PyObject* value, void*) {
  PyObject* object = value == Py_None ? nullptr : Py_XNewRef(value);
  Py_XSETREF(AsOperation(self)->*field, object);
  return 0;
}

PyObject* DefinedAt(PyObject* self, PyObject*) {
  const Traceback* trace = AsOperation(self)->traceback;
  if (trace == nullptr) Py_RETURN_NONE;
  return trace->UserLocation();
}

PyObject* NodeDefBytes(PyObject* self, PyObject*) {
  NodeDef def;
  Live(self).ToNodeDef(*AsOperation(self)->node, &def);
  const std::string bytes = def.SerializeAsString();
  return PyBytes_FromStringAndSize(bytes.data(), bytes.size());
}

PyObject* OpDefBytes(PyObject* self, PyObject*) {
  const std::string bytes =
      AsOperation(self)->node->op_def().SerializeAsString();
  return PyBytes_FromStringAndSize(bytes.data(), bytes.size());
}

PyObject* GetAttr(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  AttrValue value;
  {
    absl::MutexLock lock(&Live(self).mu());
    const AttrValue* found = AsOperation(self)->node->FindAttr(text);
    if (found == nullptr) {
      PyErr_Format(PyExc_ValueError, "Operation '%s' has no attr named '%S'.",
                   AsOperation(self)->node->name().c_str(), name);
      return nullptr;
    }
    value = *found;
  }
  return FromAttrValue(value);
}

// [(name, text)], for messages.
PyObject* AttrSummaries(PyObject* self, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  const Node* node = AsOperation(self)->node;
  for (const OpDef::AttrDef& attr : node->op_def().attr()) {
    std::string text;
    {
      absl::MutexLock lock(&Live(self).mu());
      const AttrValue* value = node->FindAttr(attr.name());
      if (value == nullptr) continue;
      text = SummarizeAttrValue(*value);
    }
    Ref pair(Py_BuildValue("(ss)", attr.name().c_str(), text.c_str()));
    if (!pair || PyList_Append(list.get(), pair.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* Result(const Status& status) {
  if (!status.ok()) return RaiseValueError(status);
  Py_RETURN_NONE;
}

LiveGraph* MutableLive(PyObject* self) {
  return AsOperation(self)->graph->state->live.get();
}

PyObject* SetAttr(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &name, &value)) return nullptr;
  AttrValue attr;
  if (!GuessAttrValue(value, &attr)) return nullptr;
  return Result(
      MutableLive(self)->SetAttr(AsOperation(self)->node, name, attr));
}

PyObject* ClearAttr(PyObject* self, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  return Result(
      MutableLive(self)->ClearAttr(AsOperation(self)->node, std::string(text)));
}

PyObject* SetDevice(PyObject* self, PyObject* device) {
  absl::string_view text;
  if (!AsText(device, &text)) return nullptr;
  return Result(
      MutableLive(self)->SetDevice(AsOperation(self)->node, std::string(text)));
}

// Takes it serialized, so that any library's FullTypeDef will do.
PyObject* SetExperimentalType(PyObject* self, PyObject* bytes) {
  FullTypeDef type;
  if (!PyBytes_Check(bytes) ||
      !type.ParseFromArray(PyBytes_AS_STRING(bytes),
                           static_cast<int>(PyBytes_GET_SIZE(bytes)))) {
    PyErr_SetString(PyExc_TypeError, "type_proto must be a FullTypeDef");
    return nullptr;
  }
  return Result(
      MutableLive(self)->SetExperimentalType(AsOperation(self)->node, type));
}

PyObject* UpdateInput(PyObject* self, PyObject* args) {
  int index = 0;
  PyObject* tensor = nullptr;
  if (!PyArg_ParseTuple(args, "iO!", &index, tensor_core_type, &tensor)) {
    return nullptr;
  }
  return Result(MutableLive(self)->UpdateInput(AsOperation(self)->node, index,
                                               RefOf(AsTensor(tensor))));
}

PyObject* AddControlInput(PyObject* self, PyObject* op) {
  if (!IsOperation(op)) {
    PyErr_Format(PyExc_TypeError, "op must be an Operation: %R", op);
    return nullptr;
  }
  return Result(MutableLive(self)->AddControlInput(AsOperation(self)->node,
                                                   AsOperation(op)->node));
}

PyObject* RemoveControlInputs(PyObject* self, PyObject*) {
  return Result(
      MutableLive(self)->RemoveControlInputs(AsOperation(self)->node));
}

PyMethodDef methods[] = {
    {"get_attr", GetAttr, METH_O,
     "get_attr(name)\n--\n\nThe value of an attr; ValueError if there is "
     "none."},
    {"_set_attr", SetAttr, METH_VARARGS, "(name, AttrValue or plain value)"},
    {"_clear_attr", ClearAttr, METH_O, "Removes an attr."},
    {"_set_device_from_string", SetDevice, METH_O,
     "Sets the device asked for."},
    {"_set_experimental_type", SetExperimentalType, METH_O,
     "Keeps a serialized FullTypeDef."},
    {"_update_input", UpdateInput, METH_VARARGS, "(index, tensor)"},
    {"_add_control_input", AddControlInput, METH_O, "Adds one control input."},
    {"_remove_all_control_inputs", RemoveControlInputs, METH_NOARGS,
     "Removes every control input."},
    {"_defined_at", DefinedAt, METH_NOARGS, "'FILE:LINE' in the user's code."},
    {"_attr_summaries", AttrSummaries, METH_NOARGS, "[(name, text)]"},
    {"_node_def_bytes", NodeDefBytes, METH_NOARGS, "A serialized NodeDef."},
    {"_op_def_bytes", OpDefBytes, METH_NOARGS, "A serialized OpDef."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef getset[] = {
    {"name", GetName, nullptr, "The full name of this operation.", nullptr},
    {"type", GetType, nullptr, "The op's type, e.g. 'MatMul'.", nullptr},
    {"device", GetDevice, nullptr, "The device asked for, or ''.", nullptr},
    {"graph", GetGraph, nullptr, "The Graph that has this operation.", nullptr},
    {"outputs", GetOutputs, nullptr, "The output Tensors, a list.", nullptr},
    {"inputs", GetInputs, nullptr, "The input Tensors, a tuple.", nullptr},
    {"control_inputs", GetControlInputs, nullptr,
     "The Operations that run before this one.", nullptr},
    {"_control_outputs", GetControlOutputs, nullptr,
     "The Operations that wait for this one.", nullptr},
    {"traceback", GetTraceback, nullptr,
     "Where it was made: [(file, line, function)], outermost first.", nullptr},
    {"_id", GetId, nullptr, "The operation's number in its graph.", nullptr},
    {"_control_flow_context", GetObject<&OperationObject::context>,
     SetObject<&OperationObject::context>, "Cond or while context, or None.",
     nullptr},
    {"_original_op", GetObject<&OperationObject::original>,
     SetObject<&OperationObject::original>, "The op this derives from.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_dealloc, AsSlot(Dealloc)}, {Py_tp_traverse, AsSlot(Traverse)},
    {Py_tp_clear, AsSlot(Clear)},     {Py_tp_methods, methods},
    {Py_tp_getset, getset},           {0, nullptr}};
PyType_Spec spec = {"tensorwright.python._pywrap.OperationCore",
                    sizeof(OperationObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

OperationObject* AddHandle(GraphObject* graph, Node* node, Traceback* trace) {
  GraphState* state = graph->state;
  auto* op = AsOperation(classes.operation->tp_alloc(classes.operation, 0));
  if (op == nullptr) {
    delete trace;
    return nullptr;
  }
  op->node = node;
  op->graph = graph;
  Py_INCREF(graph);
  op->traceback = trace;
  const int n = node->num_outputs();
  op->outputs = new TensorObject*[n];
  for (; op->num_outputs < n; ++op->num_outputs) {
    auto* tensor = AsTensor(classes.tensor->tp_alloc(classes.tensor, 0));
    if (tensor == nullptr) {
      Py_DECREF(op);
      return nullptr;
    }
    tensor->op = op;
    Py_INCREF(op);
    tensor->index = op->num_outputs;
    op->outputs[op->num_outputs] = tensor;
  }
  const size_t id = node->id();
  if (state->ops.size() <= id) state->ops.resize(id + 1, nullptr);
  state->ops[id] = op;
  ++state->num_ops;
  return op;
}

bool BindOperation(PyObject* module) {
  operation_core_type = AddType(module, &spec);
  return operation_core_type != nullptr;
}

}  // namespace tensorwright::pywrap
