// SPDX-License-Identifier: Apache-2.0
// Questions about nodes, and rewrites that keep the promises of graph_passes.h,
// which graph passes share.  They work on the plan's copy of the graph, in the
// thread of the pass.  A rewrite may remove nodes: Node* and Edge* that a pass
// holds from before may be gone.
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
#include "core/graph/output_ref.h"
#include "core/graph/passes/graph_passes.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Is the node a function of its input values: no state, no control flow, no
// references, no endpoint of the run, no files and no resources or handles, and
// no placeholder or NoOp?  Nor is it run for its effect: it has outputs. Such a
// node may be run once for many, or not at all.
bool IsPure(const Node& node);

// Is an input or output a reference, or an input read from one?
bool HasRefTypes(const Node& node);
// Decides by the node's assigned device; false if it has none.
bool IsOnCpu(const Node& node);

// The number of data edges out of output `output`, or out of all with -1.
int NumDataUses(const Node& node, int output = -1);
// For each output, the data edges out of it.
std::vector<int> DataUsesByOutput(const Node& node);
// Has the node control edges out of it?
bool HasControlUses(const Node& node);

// Every consumer of from:output reads to:to_output instead.
void ReplaceDataUses(Graph* graph, Node* from, int output, Node* to,
                     int to_output);
// The same for all outputs in one go: consumers of from:i read by[i] instead,
// unless its node is null.
void ReplaceDataUses(Graph* graph, Node* from, absl::Span<const OutputRef> by);

// Nodes that wait for `from` wait for all of `sources` instead.
void ReplaceControlUses(Graph* graph, Node* from,
                        const std::vector<Node*>& sources);

// The nodes `node` waits for, sources of its control edges.
std::vector<Node*> ControlInputs(const Node& node);

// Removes the node if it is pure, no target, and nothing reads it or waits for
// it; then treats its inputs likewise.  Constants and placeholders count as
// pure.
void RemoveUnused(GraphPassContext* context, Node* node);

// Is the node's one output the same as its first input?
bool PassesInputThrough(const Node& node);

// May the output of the node be the buffer of its first input?
bool SharesBuffer(const Node& node);

// May this node's output be the buffer of a variable, through nodes that share
// theirs?  Then the output changes when the variable does, and must not take
// the place of a value that some node computed from it.
bool MayBeVariable(const Node& node);

// Makes consumers of the node's only output read input `i` instead, and removes
// it.  False, with nothing done, if that would change which node waits for
// which: the node is a target or has control inputs; it has control outputs and
// its input is a control-flow node; the input is on another device; or the
// input is a variable, and the node makes a separate value of it.
bool BypassNode(GraphPassContext* context, Node* node, int i);

// Makes the nodes that passes add.
//
//   TF_ASSIGN_OR_RETURN(Node * sum, NewNode(context, "AddN", name, *old)
//                                       .TakeAttrs(*old)
//                                       .Attr("N", 2)
//                                       .Input(a, 0)
//                                       .Input(b, 0)
//                                       .TakeControls(*old)
//                                       .Add());
//
// The graph is as it was until Add, and stays so if that fails.  The caller
// sees to consumers, shapes and targets.
class NewNode {
 public:
  // The node goes to the device that `like` asked for and was given.  The name
  // must be free or become so.
  NewNode(GraphPassContext* context, absl::string_view op,
          absl::string_view name, const Node& like);

  // Copies the attrs in `names` that `from` has; without `names`, all of its
  // attrs.
  NewNode& TakeAttrs(const Node& from, absl::Span<const std::string> names);
  NewNode& TakeAttrs(const Node& from);
  // Sets it as SetAttrValue does (core/framework/attr_value_util.h).
  template <typename T>
  NewNode& Attr(const std::string& name, const T& value) {
    SetAttrValue(value, &(*def_.mutable_attr())[name]);
    return *this;
  }
  // Adds the next input.
  NewNode& Input(Node* node, int output);
  NewNode& Input(const Edge* edge) {
    return Input(edge->src(), edge->src_output());
  }
  // The new node waits for the nodes that `node` waits for.
  NewNode& TakeControls(const Node& node);
  // The NodeDef as built so far, for fields that have no method here.
  NodeDef* def() { return &def_; }

  // Call it once: it moves the NodeDef out.  Fails as Graph::AddNode does if
  // the op is unknown or attrs are missing.  Attrs that are absent get no
  // defaults.
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

// Replaces `node` by a new node with that op and those inputs.  The new node
// takes over control edges, the consumers of the only output, name, device, the
// mark of a target, and those attrs of `node` that `attrs` names and `node`
// has.  `node` is removed.
StatusOr<Node*> ReplaceWithOp(GraphPassContext* context, Node* node,
                              const std::string& op,
                              const std::vector<std::pair<Node*, int>>& inputs,
                              const std::vector<std::string>& attrs = {"T"});

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_
