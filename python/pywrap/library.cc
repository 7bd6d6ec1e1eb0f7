// SPDX-License-Identifier: Apache-2.0
// Loading a shared library of user ops.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "core/framework/library_trial.h"
#include "core/framework/op_library.h"
#include "python/pywrap/bind.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

// Loads `file` for good and gives the names of its ops.
py::list LoadLibrary(const std::string& file) {
  std::vector<std::string> names;
  RaiseIfError(LoadOpLibrary(file, &names));
  py::list added;
  for (const std::string& name : names) added.append(name);
  return added;
}

std::string LibraryStamp(const std::string& file) {
  std::string stamp;
  RaiseIfError(ReadLibraryStamp(file, &stamp));
  return stamp;
}

}  // namespace

void BindLibrary(py::module_& module) {
  module.def("load_library", &LoadLibrary, py::arg("file"),
             "Loads a library of ops and kernels; the names of its ops.");
  module.def("set_trial_program", &SetTrialProgram, py::arg("argv"),
             "Sets which program tries libraries before they are loaded.");
  module.def(
      "library_stamp", &LibraryStamp, py::arg("file"),
      "Which version a library was built for; empty if it does not say.");
}

}  // namespace tensorwright::pywrap
