// SPDX-License-Identifier: Apache-2.0
// FunctionBody: the graph that a FunctionDef stands for, for given attrs.
//
// A body's nodes name their inputs in a form of their own: "x" for an argument,
// "node:output" or "node:output:2" for a node's tensors of that name, "^node"
// for a control dependency; and their attrs may be placeholders, which stand
// for attrs of the function.
#ifndef TENSORWRIGHT_CORE_GRAPH_FUNCTION_BODY_H_
#define TENSORWRIGHT_CORE_GRAPH_FUNCTION_BODY_H_

#include <memory>
#include <string>

#include "core/framework/types.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AttrSlice;
class FunctionDef;
class OpRegistryInterface;

// Owned by the caller.
struct FunctionBody {
  // Its arguments and results are _Arg and _Retval nodes, by index.  Nodes keep
  // the names that the function gives them.
  std::unique_ptr<Graph> graph;
  // Lists flattened.
  DataTypeVector arg_types;
  DataTypeVector ret_types;
};

// The types of a call with these attrs.  InvalidArgument for attrs that are
// missing or have values that the signature does not allow; ignores attrs that
// the signature lacks.
Status FunctionTypes(const FunctionDef& def, const AttrSlice& attrs,
                     DataTypeVector* arg_types, DataTypeVector* ret_types);

// `ops`, which the graph keeps, knows the ops and functions of the body.
//   InvalidArgument: as FunctionTypes; a node with a malformed or doubled name,
//     of an internal op, with inputs that name nothing or have other types, a
//     result that nothing gives.
//   NotFound: an op that is not registered.
// Errors name the node of the body (errors::FailedNode) and the function.
Status InstantiateFunctionBody(const FunctionDef& def, const AttrSlice& attrs,
                               const OpRegistryInterface* ops,
                               FunctionBody* body);

// The gradient that REGISTER_OP_GRADIENT gave op `op`, for these attrs of it
// (core/framework/op_gradient.h).
//   NotFound: the op is not in `ops`, or has none.  InvalidArgument: it is
//     registered as one without a gradient; the function is not one that
//     InstantiateFunctionBody takes, or its types differ from the op's.
//     Otherwise the error of its creator.
Status MakeOpGradient(const std::string& op, const AttrSlice& attrs,
                      const OpRegistryInterface* ops, FunctionDef* def);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_FUNCTION_BODY_H_
