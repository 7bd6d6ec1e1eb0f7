// SPDX-License-Identifier: Apache-2.0
// RewriteForRun.
#include "core/common_runtime/rewrite_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/outside_optimizers.h"
#include "core/common_runtime/placer.h"
#include "core/graph/subgraph.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// Copies what the signature names, and all that this needs, into item->graph.
// Feeds are not cut: an optimizer sees the nodes that a run replaces.
Status WriteGraph(const LiveGraph& live, const NodeSignature& signature,
                  const SessionResources& resources, OutsideItem* item) {
  absl::flat_hash_set<Node*> wanted(signature.targets.begin(),
                                    signature.targets.end());
  for (const OutputRef& ref : signature.feeds) wanted.insert(ref.node);
  for (const OutputRef& ref : signature.fetches) wanted.insert(ref.node);
  const std::vector<Node*> targets(wanted.begin(), wanted.end());
  PrunedGraph pruned;
  {
    absl::MutexLock lock(&live.mu());
    TF_RETURN_IF_ERROR(PruneForRun(live.graph(), {}, {}, targets, &pruned));
  }
  PlacerOptions placing;
  placing.allow_soft_placement = true;
  placing.functions = live.functions().get();
  // A node behind a feed may have no kernel: then devices stay as asked for.
  PlaceGraph(resources.placeable, placing, pruned.graph.get()).IgnoreError();
  pruned.graph->ToGraphDef(&item->graph);
  if (!live.functions()->empty()) {
    live.functions()->ToProto(item->graph.mutable_library());
  }
  return OkStatus();
}

// Zeros: an optimizer may look at the dtype and the shape.
Tensor FeedValue(const LiveGraph& live, const OutputRef& feed) {
  const PartialTensorShape known = live.OutputShape(feed);
  TensorShape shape;
  for (int i = 0; i < known.dims(); ++i) {
    shape.AddDim(known.dim_size(i) < 0 ? 1 : known.dim_size(i));
  }
  const DataType dtype = BaseType(feed.node->output_type(feed.index));
  Tensor value(dtype, shape);
  if (DataTypeCanUseMemcpy(dtype)) {
    const absl::string_view bytes = value.tensor_data();
    std::fill_n(const_cast<char*>(bytes.data()), bytes.size(), '\0');
  }
  return value;
}

void DescribeRun(const LiveGraph& live, const NodeSignature& signature,
                 OutsideItem* item) {
  for (const OutputRef& feed : signature.feeds) {
    item->feeds.emplace_back(feed.node->name(), FeedValue(live, feed));
  }
  for (const OutputRef& fetch : signature.fetches) {
    item->fetches.push_back(absl::StrCat(fetch.node->name(), ":", fetch.index));
  }
  for (const Node* target : signature.targets) {
    item->fetches.push_back(target->name());
  }
}

Status FindOutputs(const LiveGraph& graph, const char* role,
                   const std::vector<OutputRef>& before,
                   std::vector<OutputRef>* after) {
  for (const OutputRef& ref : before) {
    Node* const node = graph.FindNode(ref.node->name());
    const DataType dtype = BaseType(ref.node->output_type(ref.index));
    if (node == nullptr || ref.index >= node->num_outputs() ||
        BaseType(node->output_type(ref.index)) != dtype) {
      return errors::InvalidArgument("the ", role, " ", ref.node->name(), ":",
                                     ref.index, " of type ",
                                     DataTypeString(dtype), " is gone");
    }
    after->push_back({node, ref.index});
  }
  return OkStatus();
}

// Nodes that stayed on their device ask for what the user asked for, so that
// they have the kernels with state that other plans use.
Status RestoreRequests(
    const LiveGraph& live,
    const absl::flat_hash_map<std::string, std::string>& placed,
    const std::vector<Node*>& nodes, LiveGraph* graph) {
  for (Node* node : nodes) {
    const Node* user = live.FindNode(node->name());
    const auto it = placed.find(node->name());
    if (user == nullptr || it == placed.end() ||
        it->second != node->requested_device()) {
      continue;
    }
    TF_RETURN_IF_ERROR(graph->SetDevice(node, user->requested_device()));
  }
  return OkStatus();
}

Status ReadGraph(const LiveGraph& live, const NodeSignature& signature,
                 const absl::flat_hash_map<std::string, std::string>& placed,
                 const GraphDef& def, RewrittenGraph* rewritten) {
  rewritten->graph = std::make_unique<LiveGraph>(live.functions()->ops());
  TF_ASSIGN_OR_RETURN(const std::vector<Node*> nodes,
                      rewritten->graph->Import(def, ImportOptions()));
  TF_RETURN_IF_ERROR(
      RestoreRequests(live, placed, nodes, rewritten->graph.get()));
  NodeSignature* const found = &rewritten->signature;
  TF_RETURN_IF_ERROR(
      FindOutputs(*rewritten->graph, "feed", signature.feeds, &found->feeds));
  TF_RETURN_IF_ERROR(FindOutputs(*rewritten->graph, "fetch", signature.fetches,
                                 &found->fetches));
  for (const Node* target : signature.targets) {
    found->targets.push_back(rewritten->graph->FindNode(target->name()));
    if (found->targets.back() == nullptr) {
      return errors::InvalidArgument("the target ", target->name(), " is gone");
    }
  }
  return live.functions()->AddLibrary(def.library());
}

}  // namespace

std::vector<FeedSpec> DescribeFeeds(const LiveGraph& live,
                                    const std::vector<OutputRef>& feeds) {
  std::vector<FeedSpec> specs(feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i) {
    const OutputRef& feed = feeds[i];
    if (feed.node == nullptr || feed.index < 0 ||
        feed.index >= feed.node->num_outputs()) {
      continue;
    }
    specs[i].name = absl::StrCat(feed.node->name(), ":", feed.index);
    specs[i].dtype = BaseType(feed.node->output_type(feed.index));
    specs[i].shape = live.OutputShape(feed);
  }
  return specs;
}

Status RewriteForRun(const LiveGraph& live, const NodeSignature& signature,
                     const ConfigProto& config,
                     const SessionResources& resources,
                     std::shared_ptr<const RewrittenGraph>* rewritten) {
  OutsideItem item;
  item.devices = &resources.placeable;
  TF_RETURN_IF_ERROR(WriteGraph(live, signature, resources, &item));
  DescribeRun(live, signature, &item);
  absl::flat_hash_map<std::string, std::string> placed;
  for (const NodeDef& node : item.graph.node()) {
    placed[node.name()] = node.device();
  }
  bool changed = false;
  TF_RETURN_IF_ERROR(RunOutsideOptimizers(config, &item, &changed));
  if (!changed) return OkStatus();
  auto made = std::make_shared<RewrittenGraph>();
  const Status status =
      ReadGraph(live, signature, placed, item.graph, made.get());
  if (status.ok()) {
    *rewritten = std::move(made);
    return OkStatus();
  }
  const std::string text =
      absl::StrCat("The graph that the graph optimizers made cannot run: ",
                   status.message());
  if (config.graph_options().rewrite_options().fail_on_optimizer_errors()) {
    return errors::InvalidArgument(text);
  }
  LOG(WARNING) << text << " (the run uses the graph as it was)";
  return OkStatus();
}

}  // namespace tensorwright
