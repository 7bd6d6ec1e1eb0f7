// SPDX-License-Identifier: Apache-2.0
// Graph passes: rewrites of a pruned graph, run in order of phase and priority
// when a plan is compiled.
//
//   class FoldTransposes final : public GraphPass { ... };
//   REGISTER_GRAPH_PASS(GraphPassPhase::kPrePlacement, 10, FoldTransposes);
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_PASSES_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_PASSES_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "core/graph/graph.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

enum class GraphPassPhase { kPrePlacement, kPostPlacement };

class GraphPass {
 public:
  virtual ~GraphPass() = default;
  virtual absl::string_view name() const = 0;
  // Changes `graph`, which has _Arg and _Retval nodes for feeds and fetches and
  // afterwards must pass ValidateGraph.  May be called by several threads.
  virtual Status Run(Graph* graph) = 0;
};

void RegisterGraphPass(GraphPassPhase phase, int priority,
                       std::unique_ptr<GraphPass> pass);

// Runs the registered passes; lower priorities first.
Status RunGraphPasses(GraphPassPhase phase, Graph* graph);

// Registers when it is constructed, which is when the program starts.
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

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_PASSES_H_
