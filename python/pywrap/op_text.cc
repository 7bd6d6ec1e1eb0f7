// SPDX-License-Identifier: Apache-2.0
// Ops as text: the Python wrappers of ops that came after the build, printed as
// //tools/op_gen prints the tree's own, and specs of ops written in Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_builder.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/status.h"
#include "tools/op_gen/op_model.h"
#include "tools/op_gen/printer.h"
#include "tools/op_gen/python_signature.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

std::string Print(const std::vector<const OpRegistrationData*>& ops,
                  const std::string& family, const std::string& language) {
  const auto printer = op_gen::MakePrinter(language);
  if (printer == nullptr) {
    throw py::value_error("language must be one of " + op_gen::Languages() +
                          ", got " + language);
  }
  op_gen::FamilyModel model = op_gen::MakeFamily("", {}, ops);
  model.name = family;
  return printer->Print(model);
}

std::string PrintOps(const std::vector<std::string>& names,
                     const std::string& family, const std::string& language) {
  std::vector<const OpRegistrationData*> ops;
  for (const std::string& name : names) {
    ops.push_back(OpRegistry::Global()->LookUp(name));
    if (ops.back() == nullptr) throw py::key_error(name);
  }
  return Print(ops, family, language);
}

// (serialized OpDef, wrapper as Python text)
py::tuple DescribeOp(const std::string& name,
                     const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs,
                     const std::vector<std::string>& attrs,
                     const std::string& doc, const std::string& file,
                     int line) {
  OpDefBuilder builder(name, {file.c_str(), line});
  for (const std::string& spec : attrs) builder.Attr(spec);
  for (const std::string& spec : inputs) builder.Input(spec);
  for (const std::string& spec : outputs) builder.Output(spec);
  builder.Doc(doc);
  OpRegistrationData op;
  const Status status = builder.Finalize(&op);
  if (!status.ok()) {
    RaiseValueError(status);
    throw py::error_already_set();
  }
  op.location = {file.c_str(), line};
  return py::make_tuple(py::bytes(op.op_def.SerializeAsString()),
                        Print({&op}, name, "python"));
}

}  // namespace

void BindOpText(py::module_& module) {
  module.def("print_ops", &PrintOps, py::arg("names"), py::arg("family"),
             py::arg("language"),
             "The wrappers of registered ops as the text of a module.");
  module.def("describe_op", &DescribeOp, py::arg("name"), py::arg("inputs"),
             py::arg("outputs"), py::arg("attrs"), py::arg("doc"),
             py::arg("file"), py::arg("line"),
             "(OpDef as bytes, wrapper as text) of an op that is not "
             "registered; ValueError for a bad spec.");
  module.def(
      "snake_case",
      [](const std::string& name) { return op_gen::SnakeCase(name); },
      py::arg("name"), "An op's Python name: RowNorm -> row_norm.");
}

}  // namespace tensorwright::pywrap
