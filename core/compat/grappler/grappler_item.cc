// SPDX-License-Identifier: Apache-2.0
// GrapplerItem, and the names of a Cluster.
#include "core/compat/grappler/grappler_item.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/compat/grappler/clusters/cluster.h"
#include "core/compat/grappler/op_types.h"
#include "core/compat/grappler/utils.h"
#include "core/lib/core/errors.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace grappler {
namespace {

// The nodes of `graph` that `roots` need, in the order of the graph.  Names of
// nodes that are not there are passed over.
std::vector<const NodeDef*> Needed(const GraphDef& graph,
                                   const std::vector<std::string>& roots) {
  absl::flat_hash_map<absl::string_view, int> places;
  for (int i = 0; i < graph.node_size(); ++i) {
    places.emplace(graph.node(i).name(), i);
  }
  std::vector<bool> seen(graph.node_size(), false);
  std::vector<int> open;
  const auto visit = [&](const std::string& name) {
    const auto it = places.find(NodeNameAsStringPiece(name));
    if (it == places.end() || seen[it->second]) return;
    seen[it->second] = true;
    open.push_back(it->second);
  };
  for (const std::string& root : roots) visit(root);
  while (!open.empty()) {
    const NodeDef& node = graph.node(open.back());
    open.pop_back();
    for (const std::string& input : node.input()) visit(input);
  }
  std::vector<const NodeDef*> needed;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (seen[i]) needed.push_back(&graph.node(i));
  }
  return needed;
}

std::vector<std::string> EnqueueOps(const GrapplerItem& item) {
  std::vector<std::string> ops;
  for (const QueueRunnerDef& runner : item.queue_runners) {
    ops.insert(ops.end(), runner.enqueue_op_name().begin(),
               runner.enqueue_op_name().end());
  }
  return ops;
}

}  // namespace

GrapplerItem GrapplerItem::WithGraph(GraphDef&& other_graph) const {
  GrapplerItem item;
  item.id = id;
  item.feed = feed;
  item.fetch = fetch;
  item.init_ops = init_ops;
  item.expected_init_time = expected_init_time;
  item.save_op = save_op;
  item.restore_op = restore_op;
  item.save_restore_loc_tensor = save_restore_loc_tensor;
  item.queue_runners = queue_runners;
  item.keep_ops = keep_ops;
  item.devices_ = devices_;
  item.options_ = options_;
  item.graph = std::move(other_graph);
  return item;
}

std::vector<const NodeDef*> GrapplerItem::MainOpsFanin() const {
  std::vector<std::string> roots = fetch;
  roots.insert(roots.end(), keep_ops.begin(), keep_ops.end());
  return Needed(graph, roots);
}

std::vector<const NodeDef*> GrapplerItem::EnqueueOpsFanin() const {
  return Needed(graph, EnqueueOps(*this));
}

std::vector<const NodeDef*> GrapplerItem::InitOpsFanin() const {
  return Needed(graph, init_ops);
}

std::vector<const NodeDef*> GrapplerItem::MainVariables() const {
  std::vector<const NodeDef*> variables;
  for (const NodeDef* node : MainOpsFanin()) {
    if (IsVariable(*node)) variables.push_back(node);
  }
  return variables;
}

std::unordered_set<std::string> GrapplerItem::NodesToPreserve() const {
  std::unordered_set<std::string> names;
  const auto keep = [&names](const std::string& name) {
    if (!name.empty()) names.insert(NodeName(name));
  };
  for (const std::string& name : fetch) keep(name);
  for (const auto& fed : feed) keep(fed.first);
  for (const std::string& name : init_ops) keep(name);
  for (const std::string& name : keep_ops) keep(name);
  for (const std::string& name : EnqueueOps(*this)) keep(name);
  for (const QueueRunnerDef& runner : queue_runners) {
    keep(runner.queue_name());
    keep(runner.cancel_op_name());
  }
  keep(save_op);
  keep(restore_op);
  keep(save_restore_loc_tensor);
  return names;
}

Status GrapplerItem::AddDevice(const std::string& device) {
  DeviceNameUtils::ParsedName parsed;
  if (!DeviceNameUtils::ParseFullName(device, &parsed) || !parsed.has_job ||
      !parsed.has_replica || !parsed.has_task || !parsed.has_type ||
      !parsed.has_id) {
    return errors::InvalidArgument("GrapplerItem: device '", device,
                                   "' must be a full name, such as /job:"
                                   "localhost/replica:0/task:0/device:CPU:0");
  }
  devices_.insert(DeviceNameUtils::ParsedNameToString(parsed));
  return OkStatus();
}

Status GrapplerItem::AddDevices(const GrapplerItem& other) {
  Status first;
  for (const std::string& device : other.devices()) {
    first.Update(AddDevice(device));
  }
  return first;
}

Status GrapplerItem::InferDevicesFromGraph() {
  Status first;
  for (const NodeDef& node : graph.node()) {
    first.Update(AddDevice(node.device()));
  }
  return first;
}

const std::vector<std::string> Cluster::GetDeviceNames() const {
  std::vector<std::string> names;
  for (const auto& device : devices_) names.push_back(device.first);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace grappler
}  // namespace tensorwright
