// SPDX-License-Identifier: Apache-2.0
// Turns a Status into a Python exception; no other place does.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_STATUS_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_STATUS_H_

#include "python/pywrap/py_ref.h"
// py_ref.h comes first.
#include "core/lib/core/status.h"

namespace tensorwright::pywrap {

struct GraphObject;

// Sets errors.<Class of the code>(None, op, message), where op is the node the
// status names if `graph` (may be null) has it.  Returns nullptr, for
// `return RaiseStatus(...)`.
PyObject* RaiseStatus(const Status& status, GraphObject* graph);

// The same for mistakes in building a graph, which TensorFlow reports as
// ValueError.
PyObject* RaiseValueError(const Status& status);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_STATUS_H_
