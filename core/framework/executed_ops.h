// SPDX-License-Identifier: Apache-2.0
// Notes which kernels this process has executed: the evidence that every op has
// a test.
//
// It is off, and then costs a branch a node, unless the environment variable
// TENSORWRIGHT_EXECUTED_OPS names a file.  The first time that a kernel of an
// op and certain types succeeds, a line is appended to the file, such as
// "MatMul:T=float"; "NoOp:" for one without types.  A node that does not run
// leaves no line, such as one on a branch that was not taken, or one that a
// pass took out of the graph.  Several processes may share a file.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_EXECUTED_OPS_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_EXECUTED_OPS_H_

#include <cstdlib>

#include "core/framework/op_kernel.h"

namespace tensorwright {

inline const bool kNotesExecutedOps =
    std::getenv("TENSORWRIGHT_EXECUTED_OPS") != nullptr;

// Call it after each success of the kernel if kNotesExecutedOps.  Thread safe;
// if the file cannot be written, evidence is missing, which is no error here.
void NoteExecutedOp(const OpKernel& kernel);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_EXECUTED_OPS_H_
