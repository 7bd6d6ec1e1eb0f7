// SPDX-License-Identifier: Apache-2.0
// create_op: adds an op whose inputs are tensors already.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/framework/function.h"
#include "core/framework/op_registration.h"
#include "python/pywrap/add_op.h"
#include "python/pywrap/apply_op_internal.h"
#include "python/pywrap/attr_value.h"
#include "python/pywrap/handles.h"

namespace tensorwright::pywrap {
namespace {

// The number of tensors that each argument takes, from the attrs.
bool SizesFromAttrs(NewOp* op) {
  size_t rest = op->inputs.size();
  for (const ArgInfo& arg : op->info->args) {
    int size = -1;
    const int index = std::max(arg.number_attr, arg.type_list_attr);
    if (index >= 0) {
      size = static_cast<int>(rest);
      for (const auto& [name, value] : op->attrs) {
        if (name != op->info->attrs[index].name) continue;
        size = static_cast<int>(
            arg.number_attr >= 0 ? value.i() : value.list().type_size());
      }
    }
    rest -= std::min<size_t>(rest, size < 0 ? 1 : size);
    op->arg_sizes.push_back(size);
  }
  return true;
}

// A function of the graph as an op; null if there is none of that name.
std::unique_ptr<OpInfo> FunctionInfo(const LiveGraph& graph, PyObject* name) {
  absl::string_view text;
  if (!AsText(name, &text)) return nullptr;
  const OpRegistrationData* data = nullptr;
  if (!graph.functions()->LookUp(text, &data).ok()) return nullptr;
  return MakeOpInfo(data->op_def);
}

}  // namespace

// (graph, op_type, inputs: list of Tensor, name, attrs) -> Operation
PyObject* CreateOp(PyObject*, PyObject* args) {
  PyObject *graph, *op_type, *inputs, *name, *attrs;
  if (!PyArg_ParseTuple(args, "O!UO!OO!", graph_core_type, &graph, &op_type,
                        &PyList_Type, &inputs, &name, &PyDict_Type, &attrs)) {
    return nullptr;
  }
  NewOp op;
  std::unique_ptr<OpInfo> function;
  op.info = FindOpInfo(op_type);
  if (op.info == nullptr) {
    function = FunctionInfo(*AsGraph(graph)->state->live, op_type);
    if (function == nullptr) return nullptr;
    PyErr_Clear();
    op.info = function.get();
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(inputs); ++i) {
    const Ref held = Ref::Borrow(PyList_GET_ITEM(inputs, i));
    PyObject* const input = held.get();
    if (!IsTensor(input)) {
      PyErr_Format(PyExc_TypeError, "Input #%zd is not a tensor: %R", i, input);
      return nullptr;
    }
    TensorObject* const tensor = TensorIn(AsGraph(graph), AsTensor(input));
    if (tensor == nullptr) {
      if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%R is not from this graph.", input);
      }
      return nullptr;
    }
    op.inputs.push_back(tensor);
  }
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t pos = 0;
  while (PyDict_Next(attrs, &pos, &key, &value)) {
    // Converting a value may run code of the user's that changes the dict.
    const Ref held_key = Ref::Borrow(key), held_value = Ref::Borrow(value);
    absl::string_view attr_name;
    AttrValue attr;
    if (!AsText(key, &attr_name)) return nullptr;
    const int index = op.info->FindAttr(attr_name);
    const bool is_proto = PyObject_HasAttrString(value, "WhichOneof");
    if (is_proto || index < 0 ? !GuessAttrValue(value, &attr)
                              : !ToAttrValue(value, op.info->attrs[index],
                                             op.info->name, &attr)) {
      return nullptr;
    }
    op.attrs.emplace_back(std::string(attr_name), std::move(attr));
  }
  if (!SizesFromAttrs(&op) ||
      !ResolveName(AsGraph(graph), name, op.info->name, &op.name)) {
    return nullptr;
  }
  return Py_XNewRef(reinterpret_cast<PyObject*>(AddOp(AsGraph(graph), &op)));
}

}  // namespace tensorwright::pywrap
