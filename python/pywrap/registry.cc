// SPDX-License-Identifier: Apache-2.0
// The registries of ops and kernels as Python values, with the places that
// registered them, for `tw` and tf.explain.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/function.pb.h"
#include "core/framework/kernel_choices.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_gradient.h"
#include "core/framework/op_registration.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/graph/function_body.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

py::dict OpToDict(const OpRegistrationData& op) {
  py::dict d;
  d["name"] = op.op_def.name();
  d["op_def"] = py::bytes(op.op_def.SerializeAsString());
  d["file"] = op.location.file == nullptr ? "" : op.location.file;
  d["line"] = op.location.line;
  // All of it, if nobody has said what the op does.
  const CapabilitySet set = CapabilitiesOf(op);
  std::vector<std::string> touches, needs;
  for (const CapabilityKind& kind : CapabilityKinds()) {
    if ((set & kind.bit) == 0) continue;
    (kind.is_need ? needs : touches).emplace_back(kind.name);
  }
  d["touches"] = touches;
  d["needs"] = needs;
  d["chance"] = ChanceOf(op);
  d["library"] = op.library_file;
  const bool has_shape_fn = op.shape_inference_fn != nullptr;
  const char* shape_file = op.shape_fn_location.file;
  d["shape_fn_name"] = op.shape_fn_name();
  d["shape_fn_file"] = !has_shape_fn || shape_file == nullptr ? "" : shape_file;
  d["shape_fn_line"] = has_shape_fn ? op.shape_fn_location.line : 0;
  return d;
}

// Python's name of a type: float32 where C++ has float.
std::string PythonTypeName(DataType type) {
  switch (BaseType(type)) {
    case DT_FLOAT:
      return "float32";
    case DT_DOUBLE:
      return "float64";
    case DT_HALF:
      return "float16";
    default:
      return DataTypeString(BaseType(type));
  }
}

// The algorithms of the kernel's family for the type that it is registered for.
py::list AlgorithmsOf(const KernelRegistration& kernel) {
  py::list found;
  const KernelChooser* chooser = FindKernelChooser(kernel.def.op());
  if (chooser == nullptr || kernel.def.device_type() != DEVICE_CPU) {
    return found;
  }
  for (const auto& constraint : kernel.def.constraint()) {
    const auto& types = constraint.allowed_values().list().type();
    if (constraint.name() != "T" || types.size() != 1) continue;
    for (const KernelAlgorithm& a :
         chooser->algorithms(static_cast<DataType>(types[0]))) {
      py::dict d;
      d["name"] = a.name;
      d["file"] = a.file;
      d["calls_primitive"] = a.calls_primitive;
      found.append(d);
    }
  }
  return found;
}

std::vector<TensorShape> ShapesOf(
    const std::vector<std::vector<int64_t>>& sizes) {
  std::vector<TensorShape> shapes;
  for (const std::vector<int64_t>& dims : sizes) {
    TensorShape shape;
    const Status status = TensorShape::BuildTensorShape(dims, &shape);
    if (!status.ok()) throw py::value_error(status.ToString());
    shapes.push_back(shape);
  }
  return shapes;
}

// (algorithm, why), or None.
py::object KernelChoiceOf(const std::string& node_def,
                          const std::vector<std::vector<int64_t>>& inputs,
                          const std::vector<std::vector<int64_t>>& outputs) {
  NodeDef node;
  if (!node.ParseFromString(node_def)) throw py::value_error("no NodeDef");
  const KernelChooser* chooser = FindKernelChooser(node.op());
  if (chooser == nullptr) return py::none();
  const StatusOr<KernelChoice> choice =
      chooser->choose(node, ShapesOf(inputs), ShapesOf(outputs));
  if (!choice.ok()) return py::none();
  return py::make_tuple(choice->algorithm, choice->why);
}

py::dict KernelToDict(const KernelRegistration& kernel) {
  py::dict constraints;
  for (const auto& constraint : kernel.def.constraint()) {
    py::list types;
    for (const int type : constraint.allowed_values().list().type()) {
      types.append(PythonTypeName(static_cast<DataType>(type)));
    }
    constraints[py::str(constraint.name())] = types;
  }
  py::list host;
  for (const std::string& arg : kernel.def.host_memory_arg()) host.append(arg);
  py::dict d;
  d["op"] = kernel.def.op();
  d["class_name"] = kernel.class_name;
  d["device"] = kernel.def.device_type();
  d["constraints"] = constraints;
  d["host_memory"] = host;
  d["label"] = kernel.def.label();
  d["priority"] = kernel.def.priority();
  d["primitive"] = kernel.primitive;
  d["algorithms"] = AlgorithmsOf(kernel);
  d["file"] = kernel.location.file == nullptr ? "" : kernel.location.file;
  d["line"] = kernel.location.line;
  return d;
}

// The gradient that REGISTER_OP_GRADIENT gave an op, or None.
py::object OpGradientOf(const std::string& op) {
  const gradient::OpGradient* const found = gradient::FindOpGradient(op);
  if (found == nullptr) return py::none();
  py::dict d;
  d["name"] = found->name;
  d["differentiable"] = found->creator != nullptr;
  d["file"] = found->location.file;
  d["line"] = found->location.line;
  return d;
}

py::bytes OpGradientBodyOf(const std::string& node_def) {
  NodeDef node;
  if (!node.ParseFromString(node_def)) throw py::value_error("no NodeDef");
  FunctionDef def;
  const Status status =
      MakeOpGradient(node.op(), AttrSlice(node), OpRegistry::Global(), &def);
  if (!status.ok()) {
    RaiseValueError(status);
    throw py::error_already_set();
  }
  return def.SerializeAsString();
}

// An op that no C++ code of this process knows: graphs may hold it, runs have
// no kernel for it.
void RegisterOpDef(const std::string& op_def) {
  OpDef def;
  if (!def.ParseFromString(op_def)) throw py::value_error("no OpDef");
  const Status status = ValidateOpDef(def);
  if (!status.ok()) {
    RaiseValueError(status);
    throw py::error_already_set();
  }
  if (OpRegistry::Global()->LookUp(def.name()) != nullptr) {
    throw py::value_error(def.name() + " is registered already");
  }
  OpRegistry::Global()->Register([def](OpRegistrationData* data) {
    data->op_def = def;
    data->shape_inference_fn = shape_inference::UnknownShape;
    return OkStatus();
  });
}

}  // namespace

void BindRegistry(py::module_& module) {
  module.def(
      "op_registrations",
      [] {
        py::list list;
        for (const OpRegistrationData* op :
             OpRegistry::Global()->GetRegistrations()) {
          list.append(OpToDict(*op));
        }
        return list;
      },
      "Every registered op, by name: a dict each.");
  module.def(
      "op_registration",
      [](const std::string& name) {
        const OpRegistrationData* op = OpRegistry::Global()->LookUp(name);
        if (op == nullptr) throw py::key_error(name);
        return OpToDict(*op);
      },
      py::arg("name"), "One op's dict; KeyError if there is none.");
  module.def(
      "register_op_def", &RegisterOpDef, py::arg("op_def"),
      "Registers a serialized OpDef, whose shapes are not known and which "
      "has no kernel; ValueError if it is not valid, or registered "
      "already.");
  module.def(
      "kernel_registrations",
      [](const py::object& op) {
        py::list list;
        for (const KernelRegistration* kernel :
             op.is_none() ? RegisteredKernels()
                          : RegisteredKernelsForOp(op.cast<std::string>())) {
          list.append(KernelToDict(*kernel));
        }
        return list;
      },
      py::arg("op") = py::none(), "The kernels of an op, or all: a dict each.");
  module.def("op_gradient", &OpGradientOf, py::arg("op"),
             "The dict of a gradient that C++ registered for an op; None if "
             "there is none.");
  module.def("op_gradient_body", &OpGradientBodyOf, py::arg("node_def"),
             "The serialized FunctionDef of that gradient, for a serialized "
             "NodeDef.");
  module.def("kernel_choice", &KernelChoiceOf, py::arg("node_def"),
             py::arg("input_shapes"), py::arg("output_shapes"),
             "(algorithm, why) of the CPU kernel that would run a serialized "
             "NodeDef on tensors of these shapes; None if it has one algorithm "
             "or the shapes do not fit.");
}

}  // namespace tensorwright::pywrap
