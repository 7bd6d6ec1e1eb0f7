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

// Loads `file` for good; the names of its ops that are new, and of those that
// were there.
py::tuple LoadLibrary(const std::string& file, bool override) {
  LibraryOps ops;
  LoadOptions options;
  options.overrides = override;
  RaiseIfError(LoadOpLibrary(file, options, &ops));
  return py::make_tuple(ops.added, ops.known);
}

// The same for a library that is loaded, of which `copy` is the changed one.
py::tuple ReloadLibrary(const std::string& file, const std::string& copy) {
  LibraryOps ops;
  RaiseIfError(ReloadOpLibrary(file, copy, &ops));
  return py::make_tuple(ops.added, ops.known);
}

std::string LibraryStamp(const std::string& file) {
  std::string stamp;
  RaiseIfError(ReadLibraryStamp(file, &stamp));
  return stamp;
}

}  // namespace

void BindLibrary(py::module_& module) {
  module.def("load_library", &LoadLibrary, py::arg("file"),
             py::arg("override") = false,
             "Loads a library of ops and kernels: (names of its new ops, of "
             "those that were there).");
  module.def("reload_library", &ReloadLibrary, py::arg("file"), py::arg("copy"),
             "Loads a changed library again, from a copy under another name.");
  module.def("set_trial_program", &SetTrialProgram, py::arg("argv"),
             "Sets which program tries libraries before they are loaded.");
  module.def(
      "library_stamp", &LibraryStamp, py::arg("file"),
      "Which version a library was built for; empty if it does not say.");
}

}  // namespace tensorwright::pywrap
