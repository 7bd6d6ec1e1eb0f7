// SPDX-License-Identifier: Apache-2.0
// The extension module tensorwright.python._pywrap, Python's only access to
// C++.
#include <pybind11/pybind11.h>

#include "python/pywrap/bind.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/numpy_abi.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {

void RaiseIfError(const Status& status) {
  if (status.ok()) return;
  RaiseStatus(status, nullptr);
  throw pybind11::error_already_set();
}

}  // namespace tensorwright::pywrap

PYBIND11_MODULE(_pywrap, module) {
  namespace pywrap = tensorwright::pywrap;
  module.doc() = "The C++ core: graphs, operations, sessions, registries.";
  using Bind = bool (*)(PyObject*);
  if (!pywrap::numpy::Load()) throw pybind11::error_already_set();
  for (const Bind bind :
       {pywrap::BindDtypes, pywrap::BindGraph, pywrap::BindOperation,
        pywrap::BindTensor, pywrap::BindDefaultGraph, pywrap::BindApplyOp,
        pywrap::BindConstant, pywrap::BindSession}) {
    if (!bind(module.ptr())) throw pybind11::error_already_set();
  }
  pywrap::BindRegistry(module);
  pywrap::BindLibrary(module);
  pywrap::BindOpText(module);
  pywrap::BindScript(module);
  pywrap::BindFiles(module);
  pywrap::BindCheckpointReader(module);
  pywrap::BindEvents(module);
  pywrap::BindServer(module);
  pywrap::BindPolicy(module);
}
