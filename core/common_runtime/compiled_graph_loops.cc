// SPDX-License-Identifier: Apache-2.0
// GraphCompiler: finds the loops whose iterations can run one after the other.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph_internal.h"

namespace tensorwright {

void GraphCompiler::AddLoops() {
  if (!memory_is_host_) return;
  for (size_t f = 1; f < c_.frames_.size(); ++f) {
    const int index = static_cast<int>(f);
    if (!IsSequential(index)) continue;
    FindLastUses(index);
    auto loop = std::make_unique<CompiledLoop>();
    for (const Node* enter : frames_.frames[f].enters) {
      const int i = info_[enter->id()].compiled;
      loop->enters.push_back(i);
      const CompiledNode& n = c_.nodes_[i];
      if (!n.is_constant_enter) continue;
      CompiledLoop::Invariant& invariant = loop->invariants.emplace_back();
      invariant.enter = i;
      for (int k = 0; k < n.num_edges; ++k) {
        invariant.inputs.push_back(c_.edges_[n.first_edge + k].input);
      }
    }
    for (const int i : c_.frames_[f].nodes) {
      const CompiledNode& n = c_.nodes_[i];
      CompiledLoop::Step& step = loop->steps.emplace_back();
      step.kind = LoopKind(n);
      step.node = i;
      step.first_control = static_cast<int>(loop->controls.size());
      for (const Edge* e : n.node->in_edges()) {
        const int src = info_[e->src()->id()].compiled;
        if (!e->IsControlEdge() || src < 0) continue;
        loop->controls.push_back(c_.nodes_[src].index_in_frame);
      }
      step.num_controls =
          static_cast<int>(loop->controls.size()) - step.first_control;
      if (step.kind == CompiledLoop::Kind::kExit) loop->exits.push_back(i);
      if (n.is_expensive) loop->expensive.push_back(i);
    }
    CompiledLoop* const made = loop.get();
    c_.frames_[f].loop = std::move(loop);
    made->scalars = ScalarLoop::Compile(c_.nodes_, c_.frames_[f]);
  }
}

bool GraphCompiler::IsSequential(int frame) const {
  for (const CompiledFrame& f : c_.frames_) {
    if (f.parent == frame) return false;
  }
  for (const Node* node : frames_.frames[frame].enters) {
    const CompiledNode& enter = c_.nodes_[info_[node->id()].compiled];
    if (!enter.is_constant_enter) {
      // A node that waits for it otherwise runs in the first iteration alone.
      if (enter.has_ref_outputs || !LeadsToMerges(enter)) return false;
      continue;
    }
    for (int k = 0; k < enter.num_edges; ++k) {
      if (c_.edges_[enter.first_edge + k].output < 0) return false;
    }
  }
  const std::vector<int>& nodes = c_.frames_[frame].nodes;
  return !EntersWaitForExits(frame) &&
         std::all_of(nodes.begin(), nodes.end(),
                     [this](int n) { return IsSequential(c_.nodes_[n]); });
}

bool GraphCompiler::IsSequential(const CompiledNode& n) const {
  if (n.async != nullptr || n.node->IsTransfer() || n.has_ref_outputs) {
    return false;
  }
  for (int i = 0; n.has_ref_inputs && i < n.num_inputs; ++i) {
    const Edge& e = *n.node->input_edge(i);
    if (!IsRefType(e.src()->output_type(e.src_output()))) continue;
    // The handle of a stack, say.  A value behind a reference may change from
    // one iteration to the next.
    const int src = info_[e.src()->id()].compiled;
    if (src < 0 || !c_.nodes_[src].is_constant_enter ||
        !IsRefType(n.node->input_type(i))) {
      return false;
    }
  }
  const CompiledFrame& frame = c_.frames_[n.frame];
  switch (n.node_class) {
    case NodeClass::kMerge: {
      if (!n.routes || frame.slot_uses[n.first_output + 1] > 0) return false;
      const bool looped = IsLooped(n, 0);
      for (int i = 0; i < n.num_inputs; ++i) {
        if (frame.input_slots[n.first_input + i] < 0 ||
            IsLooped(n, i) != looped) {
          return false;
        }
      }
      return true;
    }
    case NodeClass::kNextIteration:
      return n.passes_through && LeadsToMerges(n);
    case NodeClass::kExit:
      return n.passes_through;
    default:
      return true;
  }
}

bool GraphCompiler::LeadsToMerges(const CompiledNode& n) const {
  for (int k = 0; k < n.num_edges; ++k) {
    const CompiledEdge& e = c_.edges_[n.first_edge + k];
    if (e.output < 0 || c_.nodes_[e.dst].node_class != NodeClass::kMerge) {
      return false;
    }
  }
  return true;
}

bool GraphCompiler::EntersWaitForExits(int frame) const {
  // Nodes are in topological order: a pass from the first Exit to the last
  // Enter suffices, which is empty for nearly all loops.
  int first = static_cast<int>(c_.nodes_.size());
  int last = -1;
  for (const int i : c_.frames_[frame].nodes) {
    if (c_.nodes_[i].node_class == NodeClass::kExit) first = std::min(first, i);
  }
  for (const Node* enter : frames_.frames[frame].enters) {
    last = std::max(last, info_[enter->id()].compiled);
  }
  if (first > last) return false;
  std::vector<bool> waits(last + 1, false);
  for (int i = first; i <= last; ++i) {
    const CompiledNode& n = c_.nodes_[i];
    if (n.node_class == NodeClass::kExit && n.frame == frame) waits[i] = true;
    if (!waits[i] || n.node_class == NodeClass::kNextIteration) continue;
    if (n.enters_frame == frame) return true;
    for (int k = 0; k < n.num_edges; ++k) {
      const int dst = c_.edges_[n.first_edge + k].dst;
      if (dst <= last) waits[dst] = true;
    }
  }
  return false;
}

bool GraphCompiler::IsLooped(const CompiledNode& merge, int input) const {
  const Node& src = *merge.node->input_edge(input)->src();
  return src.IsEnter() || src.IsNextIteration();
}

CompiledLoop::Kind GraphCompiler::LoopKind(const CompiledNode& n) const {
  using Kind = CompiledLoop::Kind;
  if (n.kernel == nullptr) return Kind::kOrder;
  switch (n.node_class) {
    case NodeClass::kMerge:
      return IsLooped(n, 0) ? Kind::kLoopMerge : Kind::kMerge;
    case NodeClass::kSwitch:
      return n.routes ? Kind::kSwitch : Kind::kKernel;
    case NodeClass::kNextIteration:
      return Kind::kNextIteration;
    case NodeClass::kExit:
      return Kind::kExit;
    default:
      return n.passes_through ? Kind::kPassThrough : Kind::kKernel;
  }
}

}  // namespace tensorwright
