// SPDX-License-Identifier: Apache-2.0
// LiveGraph: the graph that a front end grows, one node at a time.
//
// Adds to Graph what a front end needs: unique names, checked attrs with
// inferred types and defaults, static shapes from the shape functions, versions
// and a mutex.  Nodes are never removed, so Node* stay valid as long as the
// LiveGraph, which front end and sessions share by shared_ptr.
//
// Threads: every method locks mu() itself.  Code that reads graph() or the
// Nodes' edges directly while others may add nodes holds mu().  Node::name(),
// type_string() and types never change after AddNode and need no lock.
#ifndef TENSORWRIGHT_CORE_GRAPH_LIVE_GRAPH_H_
#define TENSORWRIGHT_CORE_GRAPH_LIVE_GRAPH_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/graph/graph.h"
#include "core/graph/graph_budget.h"
#include "core/graph/output_ref.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class FullTypeDef;
class FunctionLibraryDefinition;
class GraphDef;
class NodeDef;
class ShapeRefiner;

// One node to add.
struct NodeArgs {
  absl::string_view op;
  absl::string_view name;  // Already unique, or "": the op's name made unique.
  absl::string_view device;
  absl::Span<const OutputRef> inputs;  // All data inputs, flattened.
  // One per OpDef input_arg: -1 for a single tensor, else the list's length.
  absl::Span<const int> arg_sizes;
  absl::Span<Node* const> control_inputs;
  // The attrs that the caller gave; the rest is inferred from inputs, then
  // defaulted.
  absl::Span<const std::pair<std::string, AttrValue>> attrs;
};

struct ImportOptions {
  std::string prefix;  // "" or a scope without the final '/'.
  // Inputs of the GraphDef ("name", "name:k" or "^name", unprefixed) that are
  // replaced by nodes of this graph.  Every key must be used by some node.
  std::map<std::string, OutputRef> input_map;
  // These run before every imported node that has no other inputs.
  std::vector<Node*> control_dependencies;
  std::string default_device;  // For nodes that name none.
  // If true, names that the graph has already get numbers, "name_1"; otherwise
  // they are an error.
  bool number_taken_names = false;
};

class LiveGraph {
 public:
  // `ops` is not owned and outlives the graph.
  explicit LiveGraph(const OpRegistryInterface* ops = OpRegistry::Global());
  ~LiveGraph();

  // Checks attrs, infers types, runs the shape function; does all or nothing.
  // NotFound: unknown op.  InvalidArgument: wrong number or type of inputs, bad
  // or missing attr, name taken or malformed, shapes that the op rejects, more
  // than the graph's GraphBudget.
  StatusOr<Node*> AddNode(const NodeArgs& args);

  // Adds every node of `def`; the result's i-th entry is def.node(i).  The
  // functions of def.library() join functions(), by their own names, whatever
  // the prefix.  All or nothing.  Errors as ConvertGraphDefToGraph
  // (graph_constructor.h) and FunctionLibraryDefinition::AddLibrary.
  StatusOr<std::vector<Node*>> Import(const GraphDef& def,
                                      const ImportOptions& options);

  // nullptr when there is none.
  Node* FindNode(absl::string_view name) const;
  // `name`, or the first free of name_1, name_2, ...; reserves nothing.
  std::string UniqueName(absl::string_view name);

  // Fully unknown before anything is known.  Ref outputs have the shape of the
  // tensor they refer to.
  PartialTensorShape OutputShape(OutputRef output) const;
  // Merges `shape` with the known one.  InvalidArgument if they are
  // incompatible.  The shapes inferred for nodes that were added later stay as
  // they are.
  Status SetShape(OutputRef output, const PartialTensorShape& shape);
  // Gives the value, and true, if it follows from Consts and shapes alone and
  // is small enough to be worth evaluating.
  bool ConstantValue(OutputRef output, Tensor* value) const;

  // Reconnects input `i` (for the back edges of loops: Merge's second input).
  Status UpdateInput(Node* node, int i, OutputRef source);
  Status AddControlInput(Node* node, Node* source);
  Status RemoveControlInputs(Node* node);
  // Attrs that give a node its types, and a Const's value, cannot be changed.
  Status SetAttr(Node* node, const std::string& name, const AttrValue& value);
  Status ClearAttr(Node* node, const std::string& name);
  Status SetDevice(Node* node, const std::string& device);
  // A field that later versions write beside a node; kept, not read.
  // InvalidArgument unless it is TFT_UNSET or TFT_PRODUCT.
  Status SetExperimentalType(Node* node, const FullTypeDef& type);

  // Writes the nodes in the order in which they were added, the versions, and
  // the functions, if any.
  void ToGraphDef(GraphDef* def) const;
  // The same, with the attr _output_shapes on every node if asked.
  void ToGraphDef(GraphDef* def, bool add_shapes) const;
  void ToNodeDef(const Node& node, NodeDef* def) const;

  // Grows with every change.
  int64_t version() const { return version_.load(std::memory_order_acquire); }
  // Grows only when a node that existed before changes: plans compiled for the
  // same mutation version stay good while the graph merely grows.
  int64_t mutation_version() const {
    return mutation_version_.load(std::memory_order_acquire);
  }

  // The graph's functions, in front of the op registry: nodes look their ops up
  // there.
  const std::shared_ptr<FunctionLibraryDefinition>& functions() const {
    return functions_;
  }

  const Graph& graph() const { return graph_; }
  absl::Mutex& mu() const { return mu_; }

 private:
  void Touch() { version_.fetch_add(1, std::memory_order_release); }
  void TouchOld() {
    mutation_version_.fetch_add(1, std::memory_order_release);
    Touch();
  }
  std::string UniqueNameLocked(absl::string_view name);

  mutable absl::Mutex mu_;
  const std::shared_ptr<FunctionLibraryDefinition> functions_;
  Graph graph_;
  std::unique_ptr<ShapeRefiner> refiner_;
  GraphBudget budget_;
  absl::flat_hash_map<absl::string_view, Node*> by_name_;  // Keys in the nodes.
  absl::flat_hash_map<std::string, int> next_suffix_;
  // Properties that nodes had before a change; names that were handed out and
  // keys of by_name_ live in them.
  std::vector<std::shared_ptr<const NodeProperties>> retired_;
  std::atomic<int64_t> version_{0};
  std::atomic<int64_t> mutation_version_{0};
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_LIVE_GRAPH_H_
