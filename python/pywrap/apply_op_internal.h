// SPDX-License-Identifier: Apache-2.0
// Helpers that the sources of apply_op share; for them only.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_APPLY_OP_INTERNAL_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_APPLY_OP_INTERNAL_H_

#include "python/pywrap/handles.h"
// handles.h comes first: it includes Python.h.
#include "core/framework/types.h"
#include "python/pywrap/op_info.h"
#include "python/pywrap/py_ref.h"

namespace tensorwright::pywrap {

// The types that a list argument accepts.
inline bool IsList(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// The graph of the first input that has one, or else the default graph.  A list
// has the graph of its first tensor; a Variable and the like have theirs as
// `graph`. The result is owned, since code of the user's that converts an input
// may drop the default graph; null with a Python error set.
Ref PickGraph(PyObject* inputs);

// create_op; apply_op_create.cc documents its arguments and result.
PyObject* CreateOp(PyObject* module, PyObject* args);

// Sets TypeError: input `arg` of an op has type `observed`, not `expected`.
// `expected` is the argument's own type or, if it has none, its attr's, which
// the argument `from` has decided or, if that is null, the caller.
void RaiseMismatch(const OpInfo& op, const ArgInfo& arg, DataType observed,
                   DataType expected, const ArgInfo* from);

// Sets TypeError, replacing one that may be set: the types of `items`, the list
// for input `arg`, do not match each other, or `dtype`.  `inferred`: earlier
// arguments have decided `dtype`.
void RaiseListMismatch(const OpInfo& op, const ArgInfo& arg, PyObject* items,
                       DataType dtype, bool inferred);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_APPLY_OP_INTERNAL_H_
