// SPDX-License-Identifier: Apache-2.0
// The parts of the module that use pybind11; the handles (handles.h), which are
// on the path of every op and run, use the C API.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_BIND_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_BIND_H_

#include <pybind11/pybind11.h>

#include "core/lib/core/status.h"

namespace tensorwright::pywrap {

// Throws the exception that pybind11 turns into the Python exception of a
// failed `status`.
void RaiseIfError(const Status& status);

void BindRegistry(pybind11::module_& module);
void BindLibrary(pybind11::module_& module);
void BindOpText(pybind11::module_& module);
void BindScript(pybind11::module_& module);
void BindFiles(pybind11::module_& module);
void BindFileSystems(pybind11::module_& module);
void BindCheckpointReader(pybind11::module_& module);
void BindEvents(pybind11::module_& module);
void BindServer(pybind11::module_& module);
void BindPolicy(pybind11::module_& module);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_BIND_H_
