// SPDX-License-Identifier: Apache-2.0
// Graph passes: rewrites of a pruned graph, run in order of phase and priority
// when a plan is compiled.
//
//   class FoldTransposes final : public GraphPass { ... };
//   REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 10, FoldTransposes);
//
// The graph is the plan's own copy, never the user's.  A pass must keep
//   - the values of all _Retval nodes and the effects of stateful nodes;
//   - nodes for which GraphPassContext::IsTarget is true;
//   - the order that control edges ask for, and which values are dead;
//   - each node's device: a new node gets that of the nodes it stands for;
//   - the names: a node that stands for others says so (fused_program.h), and
//     one that takes another's place takes its name.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_H_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/graph/graph.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class DeviceBase;
class GraphOptions;

// Chooses which passes run, each by its name, and with which limits.  All run
// by default.  A value; only FromConfig reads the protos.
class GraphPassOptions {
 public:
  // No pass runs, except those that are Set on afterwards.
  static GraphPassOptions None();
  // The options that ConfigProto.graph_options asks for.
  //   optimizer_options: opt_level L0 turns off all passes except those that
  //     the other fields turn on by name; global_jit_level OFF turns off loops
  //     over several ops.
  //   rewrite_options: each Toggle that is OFF turns off its passes; a
  //     non-empty `optimizers` names all that run, each by the name of a pass
  //     or by TensorFlow's word for a group ("constfold", "remap", ...).
  static GraphPassOptions FromConfig(const GraphOptions& config);

  // `pass` is a GraphPass::name().  A name that no pass has may be set, without
  // effect.
  bool IsOn(absl::string_view pass) const {
    return all_ != exceptions_.contains(pass);
  }
  void Set(absl::string_view pass, bool on) {
    if (on == all_) {
      exceptions_.erase(pass);
    } else {
      exceptions_.emplace(pass);
    }
  }

  // Larger results are not folded, so every run computes them.
  int64_t max_folded_bytes = int64_t{10} << 20;
  // Asked between passes and by passes that may take long, on the thread that
  // compiles; an error ends the compilation and is returned.  Empty: the plan
  // is always wanted.
  std::function<Status()> still_wanted;
  // Checks the graph after each pass; for tests.
  bool validate = false;

 private:
  // Do passes run that exceptions_ does not name?
  bool all_ = true;
  absl::flat_hash_set<std::string> exceptions_;
};

// One graph on its way through the passes.  Used by one thread.  Borrows the
// graph, the options and the CPU, which outlive it; `shapes` is copied.
class GraphPassContext {
 public:
  using ShapeFn = std::function<PartialTensorShape(const Node&, int output)>;

  // `shapes`: the static shapes of the present nodes. `is_target`: by node id,
  // the nodes that run for their own sake. `cpu`: runs kernels while folding,
  // or null.
  GraphPassContext(Graph* graph, const GraphPassOptions& options,
                   ShapeFn shapes, std::vector<bool> is_target,
                   DeviceBase* cpu);

  Graph* graph() const { return graph_; }
  const GraphPassOptions& options() const { return options_; }
  DeviceBase* cpu() const { return cpu_; }

  // An error if nobody waits for the plan any more.
  Status StillWanted() const {
    return options_.still_wanted ? options_.still_wanted() : OkStatus();
  }

  bool IsTarget(const Node& node) const {
    return node.id() < static_cast<int>(is_target_.size()) &&
           is_target_[node.id()];
  }
  // Marks a node that takes a target's place.
  void SetTarget(const Node& node);
  // Was there a control-flow node when the passes began, so that values may be
  // dead? Not looked at again later.
  bool has_control_flow() const { return has_control_flow_; }

  // The static shape of an output.  For a node that a pass has added, it is the
  // shape that the pass set, or of unknown rank.  SetShape replaces the known
  // shape.
  PartialTensorShape Shape(const Node& node, int output) const;
  void SetShape(const Node& node, int output, PartialTensorShape shape);

  // The value of a Const node (any number of elements), or null: for other
  // nodes, and for a Const whose attr is no tensor of its dtype.  Parsed once
  // and kept as long as the context; the caller must not write to it.
  const Tensor* ConstantValue(const Node& node);

 private:
  Graph* const graph_;
  const GraphPassOptions& options_;
  const ShapeFn shapes_;
  std::vector<bool> is_target_;
  DeviceBase* const cpu_;
  const int num_original_ids_;
  bool has_control_flow_ = false;
  absl::flat_hash_map<std::pair<int, int>, PartialTensorShape> new_shapes_;
  absl::flat_hash_map<int, std::unique_ptr<Tensor>> constants_;
};

// Passes see assigned devices: placement works on the user's graph, so its
// errors do not depend on optimisation.
enum class GraphPassPhase { kPostPlacement };

// One rewrite.  The object is made when the program starts, serves all plans of
// all sessions, and is never destroyed.
class GraphPass {
 public:
  virtual ~GraphPass() = default;
  // The pass's name in options, traces and GraphPassNames(); unique, in lower
  // case with underscores.
  virtual absl::string_view name() const = 0;
  // Called only if the options turn it on.  Changes context->graph(), which has
  // _Arg and _Retval nodes for feeds and fetches and afterwards must pass
  // ValidateGraph.  May be called by several threads, for different graphs.  An
  // error fails the compilation of the plan, so a pass that finds nothing to
  // do, or cannot do it, leaves the graph alone and returns OK.
  virtual Status Run(GraphPassContext* context) = 0;
};

// Thread-safe.  Passes of one priority run in the order of registration.
void RegisterGraphPass(GraphPassPhase phase, int priority,
                       std::unique_ptr<GraphPass> pass);

// Runs the registered passes that are on, lower priorities first.  The first
// error ends this and is returned; with options().validate also an error of
// ValidateGraph after a pass, which names the pass.
Status RunGraphPasses(GraphPassPhase phase, GraphPassContext* context);

// Says that `name`, in RewriterConfig.optimizers, is no pass but something else
// that rewrites graphs, so that nobody is warned of it.  Thread-safe.
void NoteOtherOptimizer(const std::string& name);

// The names of the registered passes, in the order in which they run.
std::vector<std::string> GraphPassNames();

// Runs the pass of that name alone, on or off; for tests.  NotFound if there is
// none.
Status RunGraphPass(absl::string_view name, GraphPassContext* context);

// Registers a pass when it is constructed, which is when the program starts.
struct GraphPassRegistrar {
  GraphPassRegistrar(GraphPassPhase phase, int priority,
                     std::unique_ptr<GraphPass> pass) {
    RegisterGraphPass(phase, priority, std::move(pass));
  }
};

#define REGISTER_GRAPH_PASS(phase, priority, Class)                            \
  static const ::tensorwright::GraphPassRegistrar register_graph_pass_##Class( \
      phase, priority, std::make_unique<Class>())

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_GRAPH_PASSES_H_
