// SPDX-License-Identifier: Apache-2.0
// What graph passes share: questions about nodes, and rewrites that keep the
// promises of graph_passes.h.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_

#include <string>
#include <vector>

#include "core/framework/tensor.h"
#include "core/graph/graph.h"
#include "core/graph/passes/graph_passes.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A function of its input values: no state, no control flow, no references, no
// endpoint of the run.  Such a node may be run once for many, or not at all.
bool IsPure(const Node& node);

bool HasRefTypes(const Node& node);
bool IsOnCpu(const Node& node);

// Data edges out of output `output`, or of all with -1.
int NumDataUses(const Node& node, int output = -1);
// Control edges out of the node.
bool HasControlUses(const Node& node);

// Every consumer of from:output reads to:to_output instead.
void ReplaceDataUses(Graph* graph, Node* from, int output, Node* to,
                     int to_output);

// What waits for `from` waits for all of `sources` instead.
void ReplaceControlUses(Graph* graph, Node* from,
                        const std::vector<Node*>& sources);

// The nodes `node` waits for, sources of its control edges.
std::vector<Node*> ControlInputs(const Node& node);

// Removes the node if it is pure, no target, and nothing reads it or waits for
// it; then its inputs likewise.  Constants and placeholders count as pure.
void RemoveUnused(GraphPassContext* context, Node* node);

// Is its one output no more than its first input?
bool PassesInputThrough(const Node& node);

// Does the node give its first input's buffer on, where it can?
bool SharesBuffer(const Node& node);

// May what this node gives be the buffer of a variable, through nodes that
// share theirs?  Then it changes when the variable does, and must not take the
// place of a value that some node computed from it.
bool MayBeVariable(const Node& node);

// Makes consumers of the node's only output read input `i` instead, and removes
// it.  False, and nothing done, where that would change what waits for what:
// the node is a target or has control inputs; it has control outputs and its
// input is a control-flow node; the input is on another device; or it is the
// value of a variable, of which the node makes a value of its own.
bool BypassNode(GraphPassContext* context, Node* node, int i);

// A constant on `like`'s device.  Its name must be free or become so.
StatusOr<Node*> AddConstant(GraphPassContext* context, const std::string& name,
                            const Tensor& value, const Node& like);

// Puts a new node of that op and inputs into the place of `node`: same control
// edges, consumers of the only output, name, device and whether it is a target;
// `node` is gone.  Those of its attrs that are named are taken over, if it has
// them.
StatusOr<Node*> ReplaceWithOp(GraphPassContext* context, Node* node,
                              const std::string& op,
                              const std::vector<std::pair<Node*, int>>& inputs,
                              const std::vector<std::string>& attrs = {"T"});

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_
