// SPDX-License-Identifier: Apache-2.0
// Adds one operation whose inputs are tensors already.
#include "python/pywrap/add_op.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/framework/op_def_util.h"
#include "core/framework/tensor.pb.h"
#include "core/lib/core/errors.h"
#include "python/pywrap/attr_value.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

// The control inputs and attrs that Graph._prepare_op adds to an op.
struct Extras {
  absl::InlinedVector<Node*, 4> controls;
};

PyObject* InputList(const NewOp& op) {
  PyObject* inputs = PyList_New(op.inputs.size());
  if (inputs == nullptr) return nullptr;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    auto* tensor = reinterpret_cast<PyObject*>(op.inputs[i]);
    PyList_SET_ITEM(inputs, i, Py_NewRef(tensor));
  }
  return inputs;
}

// Does an input belong to a conditional or a loop?  Not every op may use it
// then.
bool HasInputInContext(const NewOp& op) {
  for (const TensorObject* input : op.inputs) {
    if (input->op->context != nullptr) return true;
  }
  return false;
}

bool CheckContexts(GraphObject* graph, const NewOp& op) {
  Ref inputs(InputList(op));
  if (!inputs) return false;
  const Ref done(PyObject_CallMethod(reinterpret_cast<PyObject*>(graph),
                                     "_check_contexts", "ssO", op.name.c_str(),
                                     op.info->name.c_str(), inputs.get()));
  return static_cast<bool>(done);
}

bool CallPrepare(GraphObject* graph, NewOp* op, Extras* extras) {
  Ref inputs(InputList(*op));
  if (!inputs) return false;
  Ref result(PyObject_CallMethod(reinterpret_cast<PyObject*>(graph),
                                 "_prepare_op", "sO", op->info->name.c_str(),
                                 inputs.get()));
  if (!result) return false;
  PyObject* controls = nullptr;
  PyObject* attrs = nullptr;
  if (!PyArg_ParseTuple(result.get(), "O!O!", &PyList_Type, &controls,
                        &PyDict_Type, &attrs)) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(controls); ++i) {
    extras->controls.push_back(AsOperation(PyList_GET_ITEM(controls, i))->node);
  }
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t pos = 0;
  while (PyDict_Next(attrs, &pos, &key, &value)) {
    // Converting a value may run code of the user's that changes the dict.
    const Ref held_key = Ref::Borrow(key), held_value = Ref::Borrow(value);
    absl::string_view name;
    AttrValue attr;
    if (!AsText(key, &name) || !GuessAttrValue(value, &attr)) return false;
    op->attrs.emplace_back(std::string(name), std::move(attr));
  }
  return true;
}

const AttrValue* GivenAttr(const NewOp& op, absl::string_view name) {
  for (const auto& [key, value] : op.attrs) {
    if (key == name) return &value;
  }
  return nullptr;
}

// Sets TypeError if the op rejects the dtype of `parameter`, an input or the
// attr itself.
bool RaiseIfTypeNotAllowed(const OpInfo& info, const std::string& parameter,
                           const AttrInfo& attr, DataType type) {
  type = BaseType(type);
  if (!attr.def->has_allowed_values() || IsTypeAllowed(*attr.def, type)) {
    return false;
  }
  std::string allowed;
  for (const int t : attr.def->allowed_values().list().type()) {
    absl::StrAppend(&allowed, allowed.empty() ? "" : ", ",
                    DtypeName(static_cast<DataType>(t)));
  }
  PyErr_Format(PyExc_TypeError,
               "Value passed to parameter '%s' of op '%s' has DataType %s not "
               "in list of allowed values: %s",
               parameter.c_str(), info.name.c_str(), DtypeName(type),
               allowed.c_str());
  return true;
}

bool RaiseTypeError(const NewOp& op) {
  const OpInfo& info = *op.info;
  size_t next = 0;
  for (size_t i = 0; i < info.args.size(); ++i) {
    const ArgInfo& arg = info.args[i];
    const size_t n = op.arg_sizes[i] < 0 ? 1 : op.arg_sizes[i];
    const int attr = std::max(arg.type_attr, arg.type_list_attr);
    for (size_t k = 0; k < n && next < op.inputs.size(); ++k, ++next) {
      if (attr >= 0 && RaiseIfTypeNotAllowed(info, arg.name, info.attrs[attr],
                                             DtypeOf(op.inputs[next]))) {
        return true;
      }
    }
  }
  for (const AttrInfo& attr : info.attrs) {
    const AttrValue* value = GivenAttr(op, attr.name);
    if (value != nullptr && attr.kind.base == AttrKind::kType &&
        !attr.kind.is_list &&
        RaiseIfTypeNotAllowed(info, attr.name, attr, value->type())) {
      return true;
    }
  }
  return false;
}

}  // namespace

OperationObject* AddOp(GraphObject* graph, NewOp* op) {
  GraphState* state = graph->state;
  if (state->finalized) {
    PyErr_SetString(PyExc_RuntimeError,
                    "Graph is finalized and cannot be modified.");
    return nullptr;
  }
  Extras extras;
  const bool plain = state->plain;
  if (HasInputInContext(*op) && !CheckContexts(graph, *op)) return nullptr;
  if (!plain && !CallPrepare(graph, op, &extras)) return nullptr;
  absl::InlinedVector<OutputRef, 6> inputs;
  for (const TensorObject* t : op->inputs) inputs.push_back(RefOf(t));
  NodeArgs args;
  args.op = op->info->name;
  args.name = op->name;
  args.device = state->device;
  args.inputs = inputs;
  args.arg_sizes = op->arg_sizes;
  args.control_inputs = extras.controls;
  args.attrs = op->attrs;
  const auto node = state->live->AddNode(args);
  if (!node.ok()) {
    const Status status = node.status();
    if (errors::IsInvalidArgument(status) && RaiseTypeError(*op))
      return nullptr;
    RaiseValueError(status);
    return nullptr;
  }
  OperationObject* handle = AddHandle(graph, *node, Traceback::Capture());
  if (handle == nullptr) return nullptr;
  if (!plain) {
    Ref done(PyObject_CallMethod(reinterpret_cast<PyObject*>(graph),
                                 "_complete_op", "O", handle));
    if (!done) return nullptr;
  }
  return handle;
}

bool ResolveName(GraphObject* graph, PyObject* name, absl::string_view op_type,
                 std::string* out) {
  absl::string_view text = op_type;
  if (name != nullptr && name != Py_None && !AsText(name, &text)) return false;
  if (text.empty()) text = op_type;
  if (text[0] == '_' && graph->state->scope.empty()) {
    // The runtime keeps such names for itself.
    PyErr_Format(PyExc_ValueError, "'%s' is not a valid node name",
                 std::string(text).c_str());
    return false;
  }
  if (text.back() == '/') {
    *out = std::string(text.substr(0, text.size() - 1));
    graph->state->names.try_emplace(absl::AsciiStrToLower(*out), 1);
  } else {
    *out = UniqueName(graph->state, text, /*mark=*/true);
  }
  return true;
}

TensorObject* AddConst(GraphObject* graph, const Tensor& value,
                       const TensorShape* shape, std::string name) {
  static const OpInfo* const kConst = [] {
    Ref type(PyUnicode_InternFromString("Const"));
    return FindOpInfo(type.get());
  }();
  if (kConst == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "Unrecognized Op name Const");
    return nullptr;
  }
  constexpr size_t kMaxBytes = size_t{1} << 31;
  if (value.TotalBytes() >= kMaxBytes) {
    PyErr_SetString(PyExc_ValueError,
                    "Cannot create a tensor proto whose content is larger than "
                    "2GB.");
    return nullptr;
  }
  NewOp op;
  op.info = kConst;
  op.name = std::move(name);
  op.attrs.resize(2);
  op.attrs[0].first = "value";
  TensorProto* proto = op.attrs[0].second.mutable_tensor();
  if (value.NumElements() > 1 && DataTypeCanUseMemcpy(value.dtype()) &&
      (shape == nullptr || *shape == value.shape())) {
    value.AsProtoTensorContent(proto);
  } else {
    value.AsProtoField(proto);
  }
  if (shape != nullptr) shape->AsProto(proto->mutable_tensor_shape());
  op.attrs[1].first = "dtype";
  op.attrs[1].second.set_type(value.dtype());
  OperationObject* handle = AddOp(graph, &op);
  if (handle == nullptr) return nullptr;
  return handle->outputs[0];
}

}  // namespace tensorwright::pywrap
