// SPDX-License-Identifier: Apache-2.0
// What graph passes share: questions about nodes, and rewrites that keep the
// promises of graph_passes.h.  They work on the plan's copy of the graph, in
// the thread of the pass.  A rewrite may remove nodes: Node* and Edge* that a
// pass holds from before may be gone.
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

// A function of its input values: no state, no control flow, no references, no
// endpoint of the run, no files and no resources or handles, and no placeholder
// or NoOp.  Nor has it an effect alone: it has outputs.
// Such a node may be run once for many, or not at all.
bool IsPure(const Node& node);

// Is an input or output a reference, or an input read from one?
bool HasRefTypes(const Node& node);
// By its assigned device; false of a node that has none.
bool IsOnCpu(const Node& node);

// Data edges out of output `output`, or of all with -1.
int NumDataUses(const Node& node, int output = -1);
// For each output, the data edges out of it.
std::vector<int> DataUsesByOutput(const Node& node);
// Control edges out of the node.
bool HasControlUses(const Node& node);

// Every consumer of from:output reads to:to_output instead.
void ReplaceDataUses(Graph* graph, Node* from, int output, Node* to,
                     int to_output);
// The same for all outputs in one go: consumers of from:i read by[i] instead,
// unless its node is null.
void ReplaceDataUses(Graph* graph, Node* from, absl::Span<const OutputRef> by);

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

// May the output of the node be the buffer of its first input?
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

  // Copies the attrs in `names` that `from` has; without `names`, all of its
  // attrs.
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
  // The NodeDef as built so far, for fields that have no method here.
  NodeDef* def() { return &def_; }

  // Call it once: it moves the NodeDef out.  What Graph::AddNode says if the op
  // is unknown or attrs are missing.  Attrs that are absent get no defaults.
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
// takes over control edges, the consumers of the only output, name, device,
// whether it is a target, and those attrs of `node` that `attrs` names and
// `node` has.  `node` is removed.
StatusOr<Node*> ReplaceWithOp(GraphPassContext* context, Node* node,
                              const std::string& op,
                              const std::vector<std::pair<Node*, int>>& inputs,
                              const std::vector<std::string>& attrs = {"T"});

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_PASS_UTIL_H_
