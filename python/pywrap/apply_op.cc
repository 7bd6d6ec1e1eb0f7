// SPDX-License-Identifier: Apache-2.0
// apply_op, which every generated wrapper calls: converts inputs and attrs
// according to the OpDef and adds the operation.
#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "python/pywrap/add_op.h"
#include "python/pywrap/apply_op_internal.h"
#include "python/pywrap/attr_value.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"
#include "python/pywrap/tensor_numpy.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {
namespace {

// One call of apply_op.
class Application {
 public:
  Application(const OpInfo* info, GraphObject* graph)
      : graph_(graph),
        types_(info->attrs.size(), DT_INVALID),
        inferred_from_(info->attrs.size()) {
    op_.info = info;
  }

  bool ReadAttrs(PyObject* attrs);
  bool ReadInputs(PyObject* inputs);
  OperationObject* Add() { return AddOp(graph_, &op_); }

  std::string* name() { return &op_.name; }
  // Leaves the name scope that conversions have opened.
  ~Application() {
    if (entered_) graph_->state->scope = std::move(outer_scope_);
  }

 private:
  const OpInfo& info() const { return *op_.info; }

  bool ReadInput(PyObject* value, const ArgInfo& arg);
  bool ReadList(PyObject* value, const ArgInfo& arg);
  bool CheckListLength(const ArgInfo& arg, int n);
  DataType ListType(PyObject* items, const ArgInfo& arg) const;
  // A Tensor of `dtype` (DT_INVALID: of any dtype).  Borrowed; the graph keeps
  // it alive.
  TensorObject* Convert(PyObject* value, const ArgInfo& arg, DataType dtype,
                        DataType preferred, int position);
  TensorObject* ConvertConstant(PyObject* value, const ArgInfo& arg,
                                DataType dtype, DataType preferred,
                                const std::string& name, bool* done);
  DataType TypeForArray(DataType own, const ArgInfo& arg,
                        DataType preferred) const;
  TensorObject* ConvertInPython(PyObject* value, const ArgInfo& arg,
                                DataType dtype, DataType preferred,
                                const std::string& name);
  void EnterScope();
  TensorObject* InGraph(TensorObject* tensor);
  void RaiseListMismatch(PyObject* items, const ArgInfo& arg, DataType dtype);

  GraphObject* graph_;
  NewOp op_;
  // The types of "type" attrs, once they are known.
  absl::InlinedVector<DataType, 6> types_;
  absl::InlinedVector<const ArgInfo*, 6> inferred_from_;
  std::string outer_scope_;
  bool entered_ = false;
};

bool Application::ReadAttrs(PyObject* attrs) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t pos = 0;
  op_.attrs.reserve(PyDict_GET_SIZE(attrs));
  while (PyDict_Next(attrs, &pos, &key, &value)) {
    if (value == Py_None) continue;
    // Converting a value may run code of the user's that changes the dict.
    const Ref held_key = Ref::Borrow(key), held_value = Ref::Borrow(value);
    absl::string_view attr_name;
    if (!AsText(key, &attr_name)) return false;
    const int index = info().FindAttr(attr_name);
    AttrValue attr;
    if (index < 0) {
      if (attr_name.empty() || attr_name[0] != '_') {
        PyErr_Format(PyExc_TypeError,
                     "apply_op() got unexpected keyword arguments: %S of op %s",
                     key, info().name.c_str());
        return false;
      }
      if (!GuessAttrValue(value, &attr)) return false;
    } else {
      const AttrInfo& a = info().attrs[index];
      if (!ToAttrValue(value, a, info().name, &attr)) return false;
      if (a.kind.base == AttrKind::kType && !a.kind.is_list) {
        types_[index] = attr.type();
      }
    }
    op_.attrs.emplace_back(std::string(attr_name), std::move(attr));
  }
  return true;
}

bool Application::ReadInputs(PyObject* inputs) {
  const auto n = static_cast<size_t>(PyTuple_GET_SIZE(inputs));
  if (n != info().args.size()) {
    PyErr_Format(PyExc_TypeError, "Op %s takes %zu inputs, got %zu",
                 info().name.c_str(), info().args.size(), n);
    return false;
  }
  for (size_t i = 0; i < n; ++i) {
    PyObject* value = PyTuple_GET_ITEM(inputs, i);
    const ArgInfo& arg = info().args[i];
    if (arg.is_list() ? !ReadList(value, arg) : !ReadInput(value, arg)) {
      return false;
    }
  }
  return true;
}

bool Application::ReadInput(PyObject* value, const ArgInfo& arg) {
  DataType dtype = arg.type;
  DataType preferred = DT_INVALID;
  if (dtype == DT_INVALID && arg.type_attr >= 0) {
    dtype = types_[arg.type_attr];
    preferred = info().attrs[arg.type_attr].default_type;
  }
  TensorObject* tensor = Convert(value, arg, dtype, preferred, -1);
  if (tensor == nullptr) return false;
  const DataType type = DtypeOf(tensor);
  if (dtype != DT_INVALID && BaseType(type) != BaseType(dtype)) {
    RaiseMismatch(
        info(), arg, type, dtype,
        arg.type == DT_INVALID ? inferred_from_[arg.type_attr] : nullptr);
    return false;
  }
  if (arg.is_ref && !IsRefType(type)) {
    PyErr_Format(
        PyExc_TypeError,
        "'%s' Op requires that input '%s' be a mutable tensor (e.g.: a "
        "tf.Variable)",
        info().name.c_str(), arg.name.c_str());
    return false;
  }
  if (arg.type_attr >= 0 && types_[arg.type_attr] == DT_INVALID) {
    types_[arg.type_attr] = BaseType(type);
    inferred_from_[arg.type_attr] = &arg;
  }
  op_.inputs.push_back(tensor);
  op_.arg_sizes.push_back(-1);
  return true;
}

DataType Application::ListType(PyObject* items, const ArgInfo& arg) const {
  if (arg.type != DT_INVALID) return arg.type;
  // list(type): each item has its own.
  if (arg.number_attr < 0) return DT_INVALID;
  if (types_[arg.type_attr] != DT_INVALID) return types_[arg.type_attr];
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    if (IsTensor(item)) return BaseType(DtypeOf(AsTensor(item)));
  }
  return DT_INVALID;
}

bool Application::CheckListLength(const ArgInfo& arg, int n) {
  const int index = std::max(arg.number_attr, arg.type_list_attr);
  const OpDef::AttrDef& attr = *info().attrs[index].def;
  if (!attr.has_minimum() || n >= attr.minimum()) return true;
  PyErr_Format(PyExc_ValueError,
               "List argument '%s' to '%s' Op with length %d shorter than "
               "minimum length %d.",
               arg.name.c_str(), info().name.c_str(), n,
               static_cast<int>(attr.minimum()));
  return false;
}

bool Application::ReadList(PyObject* value, const ArgInfo& arg) {
  if (!IsList(value)) {
    PyErr_Format(PyExc_TypeError,
                 "Expected list for '%s' argument to '%s' Op, not %R.",
                 arg.name.c_str(), info().name.c_str(), value);
    return false;
  }
  // A separate list: converting an item may run code of the user's that changes
  // the caller's.
  const Ref items(PySequence_Tuple(value));
  if (!items) return false;
  const auto n = static_cast<int>(PyTuple_GET_SIZE(items.get()));
  if (!CheckListLength(arg, n)) return false;
  DataType dtype = ListType(items.get(), arg);
  DataType preferred = DT_INVALID;
  if (dtype == DT_INVALID && arg.type_attr >= 0) {
    preferred = info().attrs[arg.type_attr].default_type;
  }
  for (int i = 0; i < n; ++i) {
    TensorObject* tensor =
        Convert(PyTuple_GET_ITEM(items.get(), i), arg, dtype, preferred, i);
    if (tensor == nullptr) {
      if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        RaiseListMismatch(items.get(), arg, dtype);
      }
      return false;
    }
    const DataType type = BaseType(DtypeOf(tensor));
    if (arg.number_attr >= 0 && dtype == DT_INVALID) dtype = type;
    if (dtype != DT_INVALID && type != BaseType(dtype)) {
      RaiseListMismatch(items.get(), arg, dtype);
      return false;
    }
    op_.inputs.push_back(tensor);
  }
  if (arg.type_attr >= 0 && types_[arg.type_attr] == DT_INVALID) {
    types_[arg.type_attr] = BaseType(dtype);
    inferred_from_[arg.type_attr] = &arg;
  }
  op_.arg_sizes.push_back(n);
  return true;
}

void Application::RaiseListMismatch(PyObject* items, const ArgInfo& arg,
                                    DataType dtype) {
  const bool inferred = arg.number_attr >= 0 && arg.type == DT_INVALID &&
                        types_[arg.type_attr] != DT_INVALID;
  pywrap::RaiseListMismatch(info(), arg, items, dtype, inferred);
}

void Application::EnterScope() {
  if (entered_) return;
  entered_ = true;
  outer_scope_ = graph_->state->scope;
  graph_->state->scope = absl::StrCat(op_.name, "/");
}

TensorObject* Application::InGraph(TensorObject* tensor) {
  TensorObject* const found = TensorIn(graph_, tensor);
  if (found != nullptr || PyErr_Occurred()) return found;
  PyErr_Format(PyExc_ValueError,
               "Tensor %R must be from the same graph as the other inputs of "
               "op '%s' (%s).",
               tensor, info().name.c_str(), op_.name.c_str());
  return nullptr;
}

TensorObject* Application::Convert(PyObject* value, const ArgInfo& arg,
                                   DataType dtype, DataType preferred,
                                   int position) {
  if (IsTensor(value)) {
    return InGraph(AsTensor(value));
  }
  EnterScope();
  const std::string name =
      position < 0 ? arg.name : absl::StrCat(arg.name, "_", position);
  if (!arg.is_ref) {
    bool done = false;
    TensorObject* constant =
        ConvertConstant(value, arg, dtype, preferred, name, &done);
    if (done) return constant;
  }
  return ConvertInPython(value, arg, dtype, preferred, name);
}

// As in TensorFlow, an array of a type that the op does not take is cast to the
// op's default, so a shape may be an array of floats.  Complex numbers are not
// cast.
DataType Application::TypeForArray(DataType own, const ArgInfo& arg,
                                   DataType preferred) const {
  if (preferred == DT_INVALID || own == DT_COMPLEX64 || own == DT_COMPLEX128) {
    return own;
  }
  const AttrValue& allowed = info().attrs[arg.type_attr].def->allowed_values();
  if (allowed.list().type().empty()) return own;
  return absl::c_linear_search(allowed.list().type(), own) ? own : preferred;
}

TensorObject* Application::ConvertConstant(PyObject* value, const ArgInfo& arg,
                                           DataType dtype, DataType preferred,
                                           const std::string& name,
                                           bool* done) {
  Tensor tensor;
  if (numpy::IsArray(value)) {
    const DataType own = TypeOfArray(numpy::AsArray(value));
    const DataType type = dtype == DT_INVALID
                              ? TypeForArray(own, arg, preferred)
                              : BaseType(dtype);
    if (own == DT_INVALID || own == DT_STRING || type == DT_STRING) {
      return nullptr;
    }
    *done = true;
    if (!TensorFromArray(value, type, &tensor)) return nullptr;
  } else {
    Plain plain = Plain::kOther;
    if (dtype == DT_INVALID && preferred != DT_INVALID) {
      plain = TensorFromPlain(value, preferred, &tensor);
    }
    if (plain != Plain::kDone) {
      plain = TensorFromPlain(value, BaseType(dtype), &tensor);
    }
    if (plain != Plain::kDone) return nullptr;
    *done = true;
  }
  return AddConst(graph_, tensor, nullptr,
                  UniqueName(graph_->state, name, /*mark=*/true));
}

TensorObject* Application::ConvertInPython(PyObject* value, const ArgInfo& arg,
                                           DataType dtype, DataType preferred,
                                           const std::string& name) {
  static PyObject* const kConvert = [] {
    Ref module(
        PyImport_ImportModule("tensorwright.python.framework.conversion"));
    return module ? PyObject_GetAttrString(module.get(), "_convert_op_input")
                  : nullptr;
  }();
  if (kConvert == nullptr) return nullptr;
  const auto object = [](DataType type) {
    return type == DT_INVALID ? Py_None : DtypeObject(BaseType(type));
  };
  Ref result(PyObject_CallFunction(
      kConvert, "OOsOOss", value, object(dtype), name.c_str(),
      arg.is_ref ? Py_True : Py_False, object(preferred), arg.name.c_str(),
      info().name.c_str()));
  if (!result) return nullptr;
  if (!IsTensor(result.get())) {
    PyErr_Format(PyExc_TypeError, "Cannot convert %R to a Tensor", value);
    return nullptr;
  }
  return InGraph(AsTensor(result.get()));
}

// Makes `graph` the default one for the conversions of a call.
class GraphScope {
 public:
  explicit GraphScope(GraphObject* graph) {
    if (graph == DefaultGraph()) return;
    graph_ = reinterpret_cast<PyObject*>(graph);
    PushDefaultGraph(graph_);
  }
  ~GraphScope() {
    if (graph_ != nullptr) PopDefaultGraph();
  }

 private:
  PyObject* graph_ = nullptr;
};

// (op_type, name, inputs, attrs) -> Operation
PyObject* ApplyOp(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 4 || !PyTuple_Check(args[2]) || !PyDict_Check(args[3])) {
    PyErr_SetString(PyExc_TypeError,
                    "apply_op(op_type: str, name: str | None, inputs: tuple, "
                    "attrs: dict)");
    return nullptr;
  }
  const OpInfo* info = FindOpInfo(args[0]);
  if (info == nullptr) return nullptr;
  const Ref picked = PickGraph(args[2]);
  if (!picked) return nullptr;
  GraphObject* const graph = AsGraph(picked.get());
  const GraphScope scope(graph);
  Application application(info, graph);
  if (!ResolveName(graph, args[1], info->name, application.name()) ||
      !application.ReadAttrs(args[3]) || !application.ReadInputs(args[2])) {
    return nullptr;
  }
  return Py_XNewRef(reinterpret_cast<PyObject*>(application.Add()));
}

PyMethodDef functions[] = {
    {"apply_op", AsCFunction(ApplyOp), METH_FASTCALL,
     "apply_op(op_type, name, inputs, attrs, /)\n--\n\n"
     "Adds an op: `inputs` in the order of the OpDef's input_args, `attrs` "
     "those "
     "that inputs do not imply (None: the default).  Returns the Operation."},
    {"create_op", CreateOp, METH_VARARGS,
     "create_op(graph, op_type, inputs, name, attrs, /)\n--\n\n"
     "Adds an op whose inputs are a flat list of Tensors."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool BindApplyOp(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
