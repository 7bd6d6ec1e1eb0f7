// SPDX-License-Identifier: Apache-2.0
// CheckCalls: finds out whether a function calls itself, and how deep its calls
// go, from the bodies of a library before any of them runs.
//
// Functions are not inlined: one that calls itself would be called for ever,
// and each call takes stack of the thread that makes it.  A graph from a
// stranger may hide the call: in the gradient that the library names for a
// function, or in the attrs of a function that is itself an attr.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_CALLS_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_CALLS_H_

#include <string>
#include <vector>

#include "core/framework/function.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDef;

// How many functions may call each other in a row.
inline constexpr int kMaxCallDepth = 100;

// InvalidArgument if function `name` of `library` calls itself, directly or
// through others, or if it calls others more than kMaxCallDepth deep.
//
// A function counts as a caller of every function that its body names, as an op
// or anywhere in an attr, also in the default values of its own attrs.  Then a
// call by an attr that the caller binds ends: it leads to a function that some
// caller further out has named, with attrs that are bound already, so that the
// calls descend by the recursive path ordering (N. Dershowitz, Orderings for
// term-rewriting systems, 1982).  There may still be many of them, so each call
// also counts the calls on its thread's stack.
Status CheckCalls(const FunctionLibraryDefinition& library,
                  const std::string& name);

// The same, with the number of functions that call each other in a row from
// `name` on.
Status MeasureCalls(const FunctionLibraryDefinition& library,
                    const std::string& name, int* depth);

// The functions of `library` that a node names, as its op or anywhere in its
// attrs, or that the nodes and the default values of a function name; with the
// gradients that they may ask for.
std::vector<std::string> FunctionsNamedBy(
    const FunctionLibraryDefinition& library, const NodeDef& node);
std::vector<std::string> FunctionsNamedBy(
    const FunctionLibraryDefinition& library, const FunctionDef& function);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_CALLS_H_
