// SPDX-License-Identifier: Apache-2.0
// Outside optimizers: rewrites of the graph of a run that loaded libraries
// bring along and a ConfigProto asks for by name.
//
// CompilePlan calls them once for each plan, before it prunes and places, so a
// run whose plan is known does not call them.  Libraries written for TensorFlow
// register through core/compat/grappler; this file knows nothing of that
// interface.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_OUTSIDE_OPTIMIZERS_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_OUTSIDE_OPTIMIZERS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/common_runtime/device_info.h"
#include "core/framework/graph.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {

// The graph of one run: what its feeds, fetches and targets need, with the
// device of each node.
struct OutsideItem {
  GraphDef graph;
  // By node name; the values are zeros of the feed's dtype and of its static
  // shape, unknown dimensions being 1.
  std::vector<std::pair<std::string, Tensor>> feeds;
  // Fetches ("name:0"), then targets ("name").
  std::vector<std::string> fetches;
  // Not owned; outlives the call.
  const DeviceSet* devices = nullptr;
};

// One optimizer, made for one plan.
class OutsideOptimizer {
 public:
  virtual ~OutsideOptimizer() = default;
  // Called once, before Optimize.  `entry` is null for an optimizer that
  // RewriterConfig.optimizers names.
  virtual Status Init(const ConfigProto& config,
                      const RewriterConfig::CustomGraphOptimizer* entry) = 0;
  // Sets *optimized.  Aborted: there is nothing to do.  `deadline_usec`: since
  // the epoch, 0 for none.
  virtual Status Optimize(const OutsideItem& item, int64_t deadline_usec,
                          GraphDef* optimized) = 0;
};

using OutsideOptimizerFactory =
    std::function<std::unique_ptr<OutsideOptimizer>()>;

// Thread-safe.  One of the same name takes the earlier one's place, as when a
// library is loaded again; a warning says so.
void RegisterOutsideOptimizer(const std::string& name,
                              OutsideOptimizerFactory factory);
// Null if there is none of that name.
std::unique_ptr<OutsideOptimizer> NewOutsideOptimizer(const std::string& name);
// In alphabetical order.
std::vector<std::string> OutsideOptimizerNames();

// Does `config` name one that is registered?  Warns of each name in
// custom_optimizers that is not.
bool WantsOutsideOptimizers(const ConfigProto& config);

// Runs those that `config` names over item->graph: `optimizers`, then
// custom_optimizers, in their order, all of it as often as
// meta_optimizer_iterations says (twice by default).  A graph of fewer nodes
// than min_graph_nodes (4 by default, -1 for no limit) stays as it is.
//
// An optimizer that fails, or misses meta_optimizer_timeout_ms (five minutes by
// default, negative for none), leaves the graph as it was, with a warning; with
// fail_on_optimizer_errors its error, naming it, is returned.  *changed: did
// one of them give a graph?
Status RunOutsideOptimizers(const ConfigProto& config, OutsideItem* item,
                            bool* changed);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_OUTSIDE_OPTIMIZERS_H_
