// SPDX-License-Identifier: Apache-2.0
// GrapplerItem: a graph with what is fed to it and fetched from it, as graph
// optimizers get it.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPPLER_ITEM_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPPLER_ITEM_H_

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/framework/graph.pb.h"
#include "core/framework/tensor.h"
#include "core/framework/variable.pb.h"
#include "core/lib/core/status.h"
#include "core/protobuf/queue_runner.pb.h"

namespace tensorwright {
namespace grappler {

// The item of a run has the nodes that its fetches, targets and feeds need,
// each with its device, and in `fetch` the fetches ("y:0") and then the targets
// ("train").  Fed values are zeros.  As in TensorFlow a run fills in neither
// keep_ops nor what stands for saving and initializing.
struct GrapplerItem {
  GrapplerItem() = default;
  GrapplerItem(const GrapplerItem& other) = default;
  GrapplerItem(GrapplerItem&& other) = default;
  GrapplerItem& operator=(const GrapplerItem& other) = default;
  GrapplerItem& operator=(GrapplerItem&& other) = default;
  virtual ~GrapplerItem() = default;

  // All but the graph is that of this item.
  GrapplerItem WithGraph(GraphDef&& other_graph) const;

  std::string id;
  GraphDef graph;
  std::vector<std::pair<std::string, Tensor>> feed;
  std::vector<std::string> fetch;
  std::vector<std::string> init_ops;
  // In seconds; 0 if nobody knows.
  int64_t expected_init_time = 0;
  std::string save_op;
  std::string restore_op;
  std::string save_restore_loc_tensor;
  std::vector<QueueRunnerDef> queue_runners;
  std::vector<std::string> keep_ops;

  // The nodes that something needs, pointing into `graph`, in its order: what
  // `fetch` and keep_ops name, the enqueue ops of queue_runners, init_ops, and
  // the variables among the first.
  std::vector<const NodeDef*> MainOpsFanin() const;
  std::vector<const NodeDef*> EnqueueOpsFanin() const;
  std::vector<const NodeDef*> InitOpsFanin() const;
  std::vector<const NodeDef*> MainVariables() const;
  // The names of nodes that a rewrite must keep: what is fed, fetched, kept,
  // enqueues or initializes.
  std::unordered_set<std::string> NodesToPreserve() const;

  struct OptimizationOptions {
    bool allow_non_differentiable_rewrites = true;
    bool allow_pruning_stateful_and_dataset_ops = true;
    // Not so here: functions are compiled by their first call.
    bool optimize_function_library = false;
    bool is_eager_mode = false;
    // 0: as many as the session has.
    int intra_op_parallelism_threads = 0;
  };

  const std::unordered_set<std::string>& devices() const { return devices_; }
  // InvalidArgument unless the name is a full one.
  Status AddDevice(const std::string& device);
  // Adds those of `other` that have full names.
  Status AddDevices(const GrapplerItem& other);
  // The same for the devices of the nodes.
  Status InferDevicesFromGraph();
  void ClearDevices() { devices_.clear(); }

  const OptimizationOptions& optimization_options() const { return options_; }
  OptimizationOptions& optimization_options() { return options_; }

 private:
  std::unordered_set<std::string> devices_;
  OptimizationOptions options_;
};

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_GRAPPLER_ITEM_H_
