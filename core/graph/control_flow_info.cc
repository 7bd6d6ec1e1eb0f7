// SPDX-License-Identifier: Apache-2.0
// Finds the loop frame that each node of a graph runs in.
#include "core/graph/control_flow_info.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int kMaxParallelIterations = 1 << 16;
// Frames inside frames.  The executor ends them one inside the other.
constexpr int kMaxFrameDepth = 1000;

class Builder {
 public:
  Builder(const Graph& graph, absl::Span<Node* const> nodes,
          ControlFlowInfo* info)
      : graph_(graph),
        nodes_(nodes),
        is_member_(graph.num_node_ids(), false),
        info_(info) {
    for (const Node* node : nodes) is_member_[node->id()] = true;
  }

  Status Build() {
    info_->frames.assign(1, ControlFlowInfo::Frame());
    info_->frame_of.assign(graph_.num_node_ids(), -1);
    info_->output_frame.assign(graph_.num_node_ids(), -1);
    for (const Node* node : nodes_) {
      if (IsRoot(*node)) TF_RETURN_IF_ERROR(Visit(node, 0, nullptr));
    }
    while (!stack_.empty()) {
      const Node* node = stack_.back();
      stack_.pop_back();
      const int frame = info_->output_frame[node->id()];
      for (const Edge* e : node->out_edges()) {
        if (!is_member_[e->dst()->id()]) continue;
        TF_RETURN_IF_ERROR(Visit(e->dst(), frame, node));
      }
    }
    return CheckAllReached();
  }

 private:
  bool IsRoot(const Node& node) const {
    for (const Edge* e : node.in_edges()) {
      if (is_member_[e->src()->id()]) return false;
    }
    return true;
  }

  // `node` is reached from `from`, whose outputs are in `frame`.
  Status Visit(const Node* node, int frame, const Node* from) {
    int& known = info_->frame_of[node->id()];
    if (known == frame) return OkStatus();
    if (known >= 0) return Mismatch(*node, *from, frame, known);
    known = frame;
    int out = frame;
    if (node->IsEnter()) {
      TF_RETURN_IF_ERROR(EnterFrame(*node, frame, &out));
    } else if (node->IsExit()) {
      if (frame == 0) return OutsideLoops(*node, "leaves a loop");
      out = info_->frames[frame].parent;
    } else if (node->IsNextIteration() && frame == 0) {
      return OutsideLoops(*node, "goes on with a loop");
    }
    info_->output_frame[node->id()] = out;
    stack_.push_back(node);
    return OkStatus();
  }

  static Status OutsideLoops(const Node& node, absl::string_view does) {
    return errors::AttachNode(
        errors::InvalidArgument(node.type_string(), ": node ", node.name(), " ",
                                does, ", but is inside none"),
        node.name());
  }

  // A node that no node without inputs leads to waits for itself.
  Status CheckAllReached() const {
    for (const Node* node : nodes_) {
      if (info_->frame_of[node->id()] >= 0) continue;
      return errors::AttachNode(
          errors::InvalidArgument(
              node->type_string(), ": node ", node->name(),
              " can never run: it is in a loop that no Enter begins"),
          node->name());
    }
    return OkStatus();
  }

  Status EnterFrame(const Node& node, int parent, int* frame) {
    const AttrValue* name = node.FindAttr("frame_name");
    if (name == nullptr || name->s().empty()) {
      return errors::AttachNode(
          errors::InvalidArgument("Enter: node ", node.name(),
                                  " needs a non-empty attr frame_name"),
          node.name());
    }
    auto [it, is_new] = by_name_.try_emplace(
        {parent, name->s()}, static_cast<int>(info_->frames.size()));
    *frame = it->second;
    if (is_new) {
      depths_.push_back(depths_[parent] + 1);
      if (depths_.back() > kMaxFrameDepth) {
        return errors::AttachNode(
            errors::InvalidArgument("Enter: node ", node.name(),
                                    " begins a loop inside more than ",
                                    kMaxFrameDepth, " others"),
            node.name());
      }
      info_->frames.emplace_back();
      info_->frames.back().name = name->s();
      info_->frames.back().parent = parent;
    }
    ControlFlowInfo::Frame& f = info_->frames[*frame];
    f.enters.push_back(&node);
    const AttrValue* parallel = node.FindAttr("parallel_iterations");
    if (parallel != nullptr) {
      f.parallel_iterations = std::max<int64_t>(
          f.parallel_iterations,
          std::min<int64_t>(parallel->i(), kMaxParallelIterations));
    }
    return OkStatus();
  }

  std::string FrameName(int frame) const {
    return frame == 0 ? "the root frame"
                      : absl::StrCat("frame '", info_->frames[frame].name, "'");
  }

  Status Mismatch(const Node& node, const Node& from, int frame,
                  int known) const {
    return errors::AttachNode(
        errors::InvalidArgument("The inputs of node ", node.name(),
                                " must come from one frame, but that from ",
                                from.name(), " is in ", FrameName(frame),
                                " and another in ", FrameName(known)),
        node.name());
  }

  const Graph& graph_;
  const absl::Span<Node* const> nodes_;
  std::vector<bool> is_member_;  // By node id.
  ControlFlowInfo* const info_;
  std::vector<const Node*> stack_;
  std::map<std::pair<int, std::string>, int> by_name_;
  std::vector<int> depths_ = {0};  // By frame.
};

}  // namespace

Status BuildControlFlowInfo(const Graph& graph, ControlFlowInfo* info) {
  std::vector<Node*> nodes;
  for (Node* node : graph.op_nodes()) nodes.push_back(node);
  return BuildControlFlowInfo(graph, nodes, info);
}

Status BuildControlFlowInfo(const Graph& graph, absl::Span<Node* const> nodes,
                            ControlFlowInfo* info) {
  return Builder(graph, nodes, info).Build();
}

}  // namespace tensorwright
