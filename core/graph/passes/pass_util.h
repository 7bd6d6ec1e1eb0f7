// SPDX-License-Identifier: Apache-2.0
// What graph passes share: questions about nodes, and rewrites that keep the
// promises of graph_passes.h.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
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

// A node that a pass adds: how all of them are made.
//
//   TF_ASSIGN_OR_RETURN(Node * sum, NewNode(context, "AddN", name, *old)
//                                       .TakeAttrs(*old)
//                                       .Attr("N", 2)
//                                       .Input(a, 0)
//                                       .Input(b, 0)
//                                       .TakeControls(*old)
//                                       .Add());
//
// The graph is as it was until Add, and stays so if that fails.  Consumers,
// shapes and targets are the caller's.
class NewNode {
 public:
  // On the device that `like` asked for and was given.  The name must be free
  // or become so.
  NewNode(GraphPassContext* context, absl::string_view op,
          absl::string_view name, const Node& like);

  // Takes over those of `names` that `from` has; without names all.
  NewNode& TakeAttrs(const Node& from, absl::Span<const std::string> names);
  NewNode& TakeAttrs(const Node& from);
  // As SetAttrValue (core/framework/attr_value_util.h).
  template <typename T>
  NewNode& Attr(const std::string& name, const T& value) {
    SetAttrValue(value, &(*def_.mutable_attr())[name]);
    return *this;
  }
  // The next input.
  NewNode& Input(Node* node, int output);
  NewNode& Input(const Edge* edge) {
    return Input(edge->src(), edge->src_output());
  }
  // Waits for what `node` waits for.
  NewNode& TakeControls(const Node& node);
  // For what else is to be in it.
  NodeDef* def() { return &def_; }

  StatusOr<Node*> Add();

 private:
  GraphPassContext* const context_;
  const std::string& assigned_device_;
  NodeDef def_;
  std::vector<std::pair<Node*, int>> inputs_;
  std::vector<Node*> controls_;
};

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
