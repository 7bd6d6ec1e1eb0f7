// SPDX-License-Identifier: Apache-2.0
// Loading a shared library of user ops.
#include <dlfcn.h>
#include <pybind11/pybind11.h>

#include <set>
#include <string>

#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/lib/core/errors.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

std::set<std::string> RegisteredNames() {
  std::set<std::string> names;
  for (const OpRegistrationData* op :
       OpRegistry::Global()->GetRegistrations()) {
    names.insert(op->op_def.name());
  }
  return names;
}

// Loads `file` for good; its static constructors register what it has.  Returns
// the names of the ops that are new.
py::list LoadLibrary(const std::string& file) {
  const std::set<std::string> before = RegisteredNames();
  // Libraries linked by TensorFlow 1.3's recipe do not name ours: it has to be
  // visible to all before they are loaded.
  dlopen("libtensorwright.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  // Deep binding: a class of the library named like one of ours stays its own.
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) == nullptr) {
    const char* reason = dlerror();
    RaiseStatus(errors::NotFound(reason == nullptr ? file : reason), nullptr);
    throw py::error_already_set();
  }
  py::list added;
  for (const std::string& name : RegisteredNames()) {
    if (!before.contains(name)) added.append(name);
  }
  return added;
}

}  // namespace

void BindLibrary(py::module_& module) {
  module.def("load_library", &LoadLibrary, py::arg("file"),
             "dlopens a library of ops and kernels; the names of its new ops.");
}

}  // namespace tensorwright::pywrap
