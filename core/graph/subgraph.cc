// SPDX-License-Identifier: Apache-2.0
// Prunes a graph to the part that a run needs.
#include "core/graph/subgraph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/graph/validate.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class Pruner {
 public:
  Pruner(const Graph& graph, absl::Span<const OutputRef> feeds,
         absl::Span<const OutputRef> fetches, absl::Span<Node* const> targets,
         PrunedGraph* out)
      : graph_(graph),
        feeds_(feeds),
        fetches_(fetches),
        targets_(targets),
        out_(out) {}

  Status Prune() {
    TF_RETURN_IF_ERROR(IndexFeeds());
    TF_RETURN_IF_ERROR(CheckFetches());
    Collect();
    CopyNodes();
    TF_RETURN_IF_ERROR(ConnectEdges());
    return ConnectFetches();
  }

 private:
  static Status CheckOutput(const OutputRef& ref, absl::string_view what) {
    if (ref.node == nullptr || ref.index < 0 ||
        ref.index >= ref.node->num_outputs()) {
      return errors::InvalidArgument(
          what, ": there is no output ", ref.index, " of node ",
          ref.node == nullptr ? "null" : ref.node->name());
    }
    return OkStatus();
  }

  Status IndexFeeds() {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      TF_RETURN_IF_ERROR(CheckOutput(feeds_[i], "feed"));
      if (!feed_index_.emplace(feeds_[i], static_cast<int>(i)).second) {
        return errors::InvalidArgument("Tensor ", feeds_[i].node->name(), ":",
                                       feeds_[i].index, " is fed twice");
      }
      const std::string& op = feeds_[i].node->type_string();
      if (op == "Placeholder" || op == "PlaceholderV2" ||
          op == "PlaceholderWithDefault") {
        fed_placeholders_.insert(feeds_[i].node);
      }
    }
    return OkStatus();
  }

  Status CheckFetches() const {
    for (const OutputRef& fetch : fetches_) {
      TF_RETURN_IF_ERROR(CheckOutput(fetch, "fetch"));
    }
    return OkStatus();
  }

  void Want(Node* node) {
    if (wanted_[node->id()]) return;
    wanted_[node->id()] = true;
    order_.push_back(node);
  }

  // Is the edge fed, so that it needs no producer?
  bool IsCut(const Edge& e) const {
    if (feed_index_.empty()) return false;
    if (e.IsControlEdge()) return fed_placeholders_.contains(e.src());
    return feed_index_.contains(OutputRef{e.src(), e.src_output()});
  }

  void Collect() {
    wanted_.assign(graph_.num_node_ids(), false);
    for (const OutputRef& fetch : fetches_) {
      if (!feed_index_.contains(fetch)) Want(fetch.node);
    }
    for (Node* target : targets_) {
      if (!fed_placeholders_.contains(target)) Want(target);
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      for (const Edge* e : order_[i]->in_edges()) {
        if (!IsCut(*e)) Want(e->src());
      }
    }
    // Ids grow in the order in which the user made the nodes; keep that.
    std::sort(order_.begin(), order_.end(),
              [](const Node* a, const Node* b) { return a->id() < b->id(); });
  }

  void CopyNodes() {
    out_->graph = std::make_unique<Graph>(graph_.op_registry());
    out_->graph->set_versions(graph_.versions());
    out_->original.assign(2, nullptr);
    copy_.assign(graph_.num_node_ids(), nullptr);
    for (const Node* node : order_) {
      if (!node->IsOp()) continue;
      copy_[node->id()] = out_->graph->CopyNode(*node);
      out_->original.push_back(node);
    }
  }

  Status ConnectEdges() {
    for (const Node* node : order_) {
      Node* dst = copy_[node->id()];
      if (dst == nullptr) continue;
      for (const Edge* e : node->in_edges()) {
        if (!e->src()->IsOp()) continue;
        if (e->IsControlEdge()) {
          if (!IsCut(*e)) {
            out_->graph->AddEdge(copy_[e->src()->id()], Graph::kControlSlot,
                                 dst, Graph::kControlSlot);
          }
          continue;
        }
        Node* src = nullptr;
        int output = 0;
        TF_RETURN_IF_ERROR(Resolve({e->src(), e->src_output()}, &src, &output));
        if (src->IsArg()) {
          TF_RETURN_IF_ERROR(
              ValidateEdgeTypes(*src, output, *dst, e->dst_input()));
          if (dst->IsMerge()) TF_RETURN_IF_ERROR(MakeArrive(&src));
        }
        out_->graph->AddEdge(src, output, dst, e->dst_input());
      }
    }
    return OkStatus();
  }

  Status ConnectFetches() {
    for (size_t i = 0; i < fetches_.size(); ++i) {
      Node* src = nullptr;
      int output = 0;
      TF_RETURN_IF_ERROR(Resolve(fetches_[i], &src, &output));
      Node* retval = nullptr;
      TF_RETURN_IF_ERROR(AddEndpoint("_Retval", "_retval",
                                     BaseType(src->output_type(output)),
                                     static_cast<int>(i), &retval));
      out_->graph->AddEdge(src, output, retval, 0);
    }
    return OkStatus();
  }

  // Finds the output in the pruned graph that stands for `ref`.
  Status Resolve(const OutputRef& ref, Node** src, int* output) {
    auto it = feed_index_.find(ref);
    if (it == feed_index_.end()) {
      *src = copy_[ref.node->id()];
      *output = ref.index;
      return OkStatus();
    }
    Node*& arg = args_[it->second];
    if (arg == nullptr) {
      TF_RETURN_IF_ERROR(AddEndpoint("_Arg", "_arg",
                                     BaseType(ref.node->output_type(ref.index)),
                                     it->second, &arg));
    }
    *src = arg;
    *output = 0;
    return OkStatus();
  }

  // A feed is there from the start, but a Merge waits for an arrival: replaces
  // the _Arg by an Identity of it.
  Status MakeArrive(Node** arg) {
    NodeDef def;
    def.set_op("Identity");
    def.set_name(
        absl::StrCat((*arg)->name(), "_arrives_", out_->graph->num_node_ids()));
    (*def.mutable_attr())["T"].set_type((*arg)->output_type(0));
    Status status;
    Node* identity = out_->graph->AddNode(std::move(def), &status);
    out_->original.push_back(nullptr);
    TF_RETURN_IF_ERROR(status);
    out_->graph->AddEdge(*arg, 0, identity, 0);
    *arg = identity;
    return OkStatus();
  }

  Status AddEndpoint(const char* op, const char* stem, DataType type, int index,
                     Node** node) {
    NodeDef def;
    def.set_op(op);
    def.set_name(absl::StrCat(stem, "_", index));
    (*def.mutable_attr())["T"].set_type(type);
    (*def.mutable_attr())["index"].set_i(index);
    Status status;
    *node = out_->graph->AddNode(std::move(def), &status);
    out_->original.push_back(nullptr);
    return status;
  }

  const Graph& graph_;
  const absl::Span<const OutputRef> feeds_;
  const absl::Span<const OutputRef> fetches_;
  const absl::Span<Node* const> targets_;
  PrunedGraph* const out_;

  absl::flat_hash_map<OutputRef, int> feed_index_;
  absl::flat_hash_set<const Node*> fed_placeholders_;
  absl::flat_hash_map<int, Node*> args_;  // By feed.
  std::vector<bool> wanted_;
  std::vector<Node*> order_;
  std::vector<Node*> copy_;  // By id in graph_.
};

}  // namespace

Status PruneForRun(const Graph& graph, absl::Span<const OutputRef> feeds,
                   absl::Span<const OutputRef> fetches,
                   absl::Span<Node* const> targets, PrunedGraph* pruned) {
  return Pruner(graph, feeds, fetches, targets, pruned).Prune();
}

}  // namespace tensorwright
