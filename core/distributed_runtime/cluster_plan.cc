// SPDX-License-Identifier: Apache-2.0
// ClusterPlan.
#include "core/distributed_runtime/cluster_plan.h"

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/common_runtime/partial_run.h"
#include "core/common_runtime/placer.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/graph/graph_partition.h"
#include "core/graph/subgraph.h"
#include "core/graph/tensor_id.h"
#include "core/graph/validate.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class PlanMaker {
 public:
  PlanMaker(const LiveGraph& live, const DeviceSet& devices,
            const ClusterPlanOptions& options)
      : live_(live),
        devices_(devices),
        options_(options),
        plan_(std::make_unique<ClusterPlan>()) {}

  StatusOr<std::unique_ptr<ClusterPlan>> Make(const RunSignature& signature) {
    plan_->signature = signature;
    TF_RETURN_IF_ERROR(Prune());
    TF_RETURN_IF_ERROR(ValidateControlFlow(*pruned_.graph));
    TF_RETURN_IF_ERROR(Place());
    plan_->feeds_needed = FeedsNeeded(
        *pruned_.graph, static_cast<int>(plan_->signature.fetches.size()));
    for (const Node* node : pruned_.graph->op_nodes()) {
      plan_->has_control_flow |= node->IsControlFlow();
    }
    MoveEndpoints();
    CopyConstants();
    TF_RETURN_IF_ERROR(
        CutForPieces(*devices_.client_device(), pruned_.graph.get()));
    MakeKeys();
    TF_RETURN_IF_ERROR(Partition());
    return std::move(plan_);
  }

 private:
  Status FindTensors(const char* role, std::vector<std::string>* names,
                     std::vector<OutputRef>* refs) const {
    for (std::string& name : *names) {
      const TensorId id = ParseTensorName(name);
      OutputRef& ref = refs->emplace_back();
      ref.node = live_.FindNode(id.node());
      ref.index = id.index();
      if (ref.node == nullptr || id.IsControl() ||
          id.index() >= ref.node->num_outputs()) {
        return errors::NotFound("Session: the ", role, " '", name,
                                "' is not in the graph");
      }
      name = absl::StrCat(ref.node->name(), ":", ref.index);
    }
    return OkStatus();
  }

  Status Prune() {
    std::vector<OutputRef> feeds, fetches;
    std::vector<Node*> targets;
    RunSignature& s = plan_->signature;
    TF_RETURN_IF_ERROR(FindTensors("feed", &s.feeds, &feeds));
    TF_RETURN_IF_ERROR(FindTensors("fetch", &s.fetches, &fetches));
    for (const std::string& name : s.targets) {
      targets.push_back(live_.FindNode(name));
      if (targets.back() != nullptr) continue;
      return errors::NotFound("Session: the target '", name,
                              "' is not in the graph");
    }
    for (const OutputRef& feed : feeds) {
      plan_->feed_types.push_back(BaseType(feed.node->output_type(feed.index)));
    }
    absl::MutexLock lock(&live_.mu());
    return PruneForRun(live_.graph(), feeds, fetches, targets, &pruned_);
  }

  Status Place() {
    PlacerOptions options;
    options.allow_soft_placement = options_.allow_soft_placement;
    options.log_device_placement = options_.log_device_placement;
    options.functions = live_.functions().get();
    return PlaceGraph(devices_, options, pruned_.graph.get());
  }

  // The placer gives feeds and fetches to the client's device.  This moves
  // them, so that values go straight to the task that needs them, and come
  // straight from the one that makes them.
  void MoveEndpoints() {
    for (Node* node : pruned_.graph->op_nodes()) {
      const Node* neighbour = nullptr;
      if (node->IsRetval()) neighbour = node->input_node(0);
      if (node->IsArg()) {
        for (const Edge* e : node->out_edges()) {
          if (e->IsControlEdge() || !e->dst()->IsOp()) continue;
          neighbour = e->dst();
          break;
        }
      }
      if (neighbour == nullptr || neighbour->IsArg()) continue;
      if (neighbour->IsRetval()) continue;
      const std::string host =
          absl::StrCat(WorkerEnv::TaskOf(neighbour->assigned_device_name()),
                       "/device:CPU:0");
      if (devices_.Find(host) != nullptr) node->set_assigned_device_name(host);
    }
  }

  // Makes a small constant anew wherever another task reads it, so that it need
  // not be sent in each step; a learning rate is one.
  void CopyConstants() {
    Graph* const graph = pruned_.graph.get();
    std::vector<Node*> left;
    for (Node* node : graph->op_nodes()) {
      if (!IsSmallConstant(*node)) continue;
      const absl::string_view task =
          WorkerEnv::TaskOf(node->assigned_device_name());
      std::map<std::string, std::vector<std::pair<Node*, int>>> readers;
      for (const Edge* e : node->out_edges()) {
        const std::string& device = e->dst()->assigned_device_name();
        if (e->IsControlEdge() || !e->dst()->IsOp() || e->dst()->IsRetval() ||
            WorkerEnv::TaskOf(device) == task ||
            !absl::StrContains(device, "/device:CPU:")) {
          continue;
        }
        readers[device].emplace_back(e->dst(), e->dst_input());
      }
      for (const auto& [device, inputs] : readers) {
        Node* const copy = graph->CopyNode(*node);
        copy->set_assigned_device_name(device);
        graph->AddControlEdge(graph->source_node(), copy);
        for (const auto& [reader, input] : inputs) {
          graph->UpdateEdge(copy, 0, reader, input);
        }
      }
      // A target of the run has an edge to the sink.
      if (!readers.empty() && node->out_edges().empty()) left.push_back(node);
    }
    for (Node* node : left) graph->RemoveNode(node);
  }

  static bool IsSmallConstant(const Node& node) {
    constexpr size_t kMostBytes = 1024;
    const AttrValue* const value = node.FindAttr("value");
    if (node.type_string() != "Const" || value == nullptr ||
        value->tensor().ByteSizeLong() > kMostBytes) {
      return false;
    }
    // A constant that waits for another node may be in a branch or a loop.
    return absl::c_all_of(node.in_edges(),
                          [](const Edge* e) { return !e->src()->IsOp(); });
  }

  void MakeKeys() {
    const DeviceInfo& client = *devices_.client_device();
    for (size_t i = 0; i < plan_->signature.feeds.size(); ++i) {
      plan_->feed_keys.push_back(FeedKey(client, static_cast<int>(i)));
    }
    for (size_t i = 0; i < plan_->signature.fetches.size(); ++i) {
      plan_->fetch_keys.push_back(FetchKey(client, static_cast<int>(i)));
    }
  }

  Status Partition() {
    PartitionOptions options;
    options.incarnation = [this](const std::string& name) {
      const DeviceInfo* info = devices_.Find(name);
      return info == nullptr ? 0 : info->attributes().incarnation();
    };
    std::vector<DevicePartition> parts;
    TF_RETURN_IF_ERROR(PartitionGraph(options, *pruned_.graph, &parts));
    for (const DevicePartition& part : parts) {
      NoteEndpoints(*part.graph, PartOf(part.device));
      TF_RETURN_IF_ERROR(AddGraph(part));
    }
    GraphDef library;
    if (!live_.functions()->empty()) {
      live_.functions()->ToProto(library.mutable_library());
      for (ClusterPartition& part : plan_->partitions) {
        *part.graph.mutable_library() = library.library();
      }
    }
    return OkStatus();
  }

  ClusterPartition* PartOf(const std::string& device) {
    const absl::string_view task = WorkerEnv::TaskOf(device);
    for (ClusterPartition& part : plan_->partitions) {
      if (part.task == task) return &part;
    }
    ClusterPartition& made = plan_->partitions.emplace_back();
    made.task = std::string(task);
    return &made;
  }

  void NoteEndpoints(const Graph& graph, ClusterPartition* part) const {
    for (const Node* node : graph.op_nodes()) {
      const AttrValue* client = node->FindAttr("client_terminated");
      if (client == nullptr || !client->b()) continue;
      absl::string_view edge = node->FindAttr("tensor_name")->s();
      int index = 0;
      if (absl::ConsumePrefix(&edge, "feed_") &&
          absl::SimpleAtoi(edge, &index)) {
        part->feeds.push_back(index);
      } else if (absl::ConsumePrefix(&edge, "fetch_") &&
                 absl::SimpleAtoi(edge, &index)) {
        part->fetches.push_back(index);
      }
    }
  }

  // Adds the graph of a device to that of its task.  The graphs of two devices
  // may have nodes of the same name among those that partitioning made; the
  // later ones get another name.
  Status AddGraph(const DevicePartition& device) {
    ClusterPartition* part = PartOf(device.device);
    GraphDef def;
    device.graph->ToGraphDef(&def);
    absl::flat_hash_set<std::string>& taken = names_[part->task];
    absl::flat_hash_map<std::string, std::string> renamed;
    for (NodeDef& node : *def.mutable_node()) {
      node.set_device(device.device);
      if (taken.insert(node.name()).second) continue;
      std::string name;
      do {
        name = absl::StrCat(node.name(), "_", next_name_++);
      } while (!taken.insert(name).second);
      renamed[node.name()] = name;
      node.set_name(name);
    }
    for (NodeDef& node : *def.mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        const TensorId id = ParseTensorName(input);
        const auto it = renamed.find(std::string(id.node()));
        if (it == renamed.end()) continue;
        input = id.IsControl() ? absl::StrCat("^", it->second)
                               : absl::StrCat(it->second, ":", id.index());
      }
      *part->graph.add_node() = std::move(node);
    }
    *part->graph.mutable_versions() = def.versions();
    return OkStatus();
  }

  const LiveGraph& live_;
  const DeviceSet& devices_;
  const ClusterPlanOptions& options_;
  std::unique_ptr<ClusterPlan> plan_;
  PrunedGraph pruned_;
  std::map<std::string, absl::flat_hash_set<std::string>> names_;  // By task.
  int next_name_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<ClusterPlan>> MakeClusterPlan(
    const LiveGraph& graph, const RunSignature& signature,
    const DeviceSet& devices, const ClusterPlanOptions& options) {
  return PlanMaker(graph, devices, options).Make(signature);
}

}  // namespace tensorwright
