// SPDX-License-Identifier: Apache-2.0
// GraphCompiler: finds the values that nodes read and the nodes they wait for,
// the fetches, and the last read of each value.
#include <memory>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph_internal.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Status GraphCompiler::ConnectInputs(const Node& node) {
  const Info& info = info_[node.id()];
  if (node.IsRetval()) return AddFetch(node);
  if (info.compiled < 0) return OkStatus();
  CompiledNode& n = c_.nodes_[info.compiled];
  CompiledFrame& frame = c_.frames_[n.frame];
  int waits = 0;  // Data edges; a Merge needs only one of them.
  int controls = 0;
  for (const Edge* e : node.in_edges()) {
    const Info& src = info_[e->src()->id()];
    const bool arrives = src.compiled >= 0;
    if (e->IsControlEdge()) {
      controls += arrives;
      continue;
    }
    waits += arrives;
    const int input = n.first_input + e->dst_input();
    if (src.constant != nullptr) {
      const Tensor* constant = nullptr;
      TF_RETURN_IF_ERROR(ConstantFor(n, *e, &constant));
      frame.constant_inputs.emplace_back(input, constant);
      continue;
    }
    n.has_ref_inputs |= IsRefType(e->src()->output_type(e->src_output()));
    const int slot = SlotOf(*e);
    // A value that a constant Enter brings stays until the frame ends.
    if (arrives && c_.nodes_[src.compiled].is_constant_enter) continue;
    frame.input_slots[input] = slot;
    ++frame.slot_uses[slot];
  }
  if (node.IsMerge()) {
    for (int i = 0; i < n.num_inputs; ++i) {
      frame.merge_inputs.push_back(n.first_input + i);
    }
    // Bit 0: no live input yet; above it, control edges.
    frame.pending[n.index_in_frame] = 1 + 2 * controls;
  } else {
    frame.pending[n.index_in_frame] = waits + controls;
    if (waits + controls == 0) frame.ready.push_back(info.compiled);
  }
  return OkStatus();
}

Status GraphCompiler::ConstantFor(const CompiledNode& n, const Edge& e,
                                  const Tensor** constant) {
  Info& info = info_[e.src()->id()];
  *constant = info.constant;
  if (IsOnHost(n, e.dst_input())) return OkStatus();
  if (info.on_device == nullptr) {
    auto copy = std::make_unique<Tensor>();
    const Status status = c_.device_->MakeTensorFromProto(
        e.src()->FindAttr("value")->tensor(), OnHost(false), copy.get());
    if (!status.ok()) return errors::AttachNode(status, e.src()->name());
    info.on_device = copy.get();
    c_.constants_.push_back(std::move(copy));
  }
  *constant = info.on_device;
  return OkStatus();
}

int GraphCompiler::SlotOf(const Edge& e) const {
  const Info& src = info_[e.src()->id()];
  if (src.compiled < 0) return src.slot;
  const CompiledNode& n = c_.nodes_[src.compiled];
  return n.landing_slot >= 0 ? n.landing_slot : n.first_output + e.src_output();
}

Status GraphCompiler::AddFetch(const Node& retval) {
  const Edge& e = *retval.input_edge(0);
  if (frames_.FrameOf(retval) != 0) {
    return errors::AttachNode(
        errors::InvalidArgument("Tensor ", e.src()->name(), ":", e.src_output(),
                                " is inside a loop and cannot be fetched"),
        e.src()->name());
  }
  const Info& src = info_[e.src()->id()];
  const int slot = src.constant != nullptr ? -1 : SlotOf(e);
  // This use is never given back, which keeps the value until the run ends.
  if (slot >= 0) ++c_.frames_[0].slot_uses[slot];
  // If one value is fetched several times, the last fetch may take it.
  const auto [last, is_first] =
      last_fetch_.try_emplace(slot, c_.fetches_.size());
  if (!is_first) c_.fetches_[last->second].is_last = false;
  last->second = c_.fetches_.size();
  c_.fetches_.push_back(
      {IndexAttr(retval), slot, src.constant, e.src(), /*is_last=*/true});
  return OkStatus();
}

void GraphCompiler::AddEdges(size_t index) {
  CompiledNode& n = c_.nodes_[index];
  n.first_edge = static_cast<int>(c_.edges_.size());
  for (const Edge* e : n.node->out_edges()) {
    const int dst = info_[e->dst()->id()].compiled;
    if (dst < 0) continue;
    CompiledEdge& edge = c_.edges_.emplace_back();
    edge.dst = dst;
    edge.output = e->IsControlEdge() ? -1 : e->src_output();
    edge.input =
        e->IsControlEdge() ? -1 : c_.nodes_[dst].first_input + e->dst_input();
    edge.to_ref =
        !e->IsControlEdge() && IsRefType(e->dst()->input_type(e->dst_input()));
  }
  n.num_edges = static_cast<int>(c_.edges_.size()) - n.first_edge;
}

void GraphCompiler::FindLastUses(int index) {
  CompiledFrame& frame = c_.frames_[index];
  std::vector<int> last_reader(frame.slot_uses.size(), -1);
  for (const int i : frame.nodes) {
    const CompiledNode& n = c_.nodes_[i];
    for (int k = 0; k < n.num_inputs; ++k) {
      const int slot = frame.input_slots[n.first_input + k];
      if (slot >= 0) last_reader[slot] = i;
    }
  }
  if (index == 0) {
    for (const CompiledGraph::FetchSlot& fetch : c_.fetches_) {
      if (fetch.slot >= 0) last_reader[fetch.slot] = -2;
    }
  }
  frame.input_is_last.assign(frame.input_slots.size(), false);
  std::vector<int> reads(frame.slot_uses.size(), 0);  // For the node at hand.
  for (const int i : frame.nodes) {
    CompiledNode& n = c_.nodes_[i];
    n.first_release = static_cast<int>(c_.releases_.size());
    const auto count = [&](int by) {
      for (int k = 0; k < n.num_inputs; ++k) {
        const int slot = frame.input_slots[n.first_input + k];
        if (slot >= 0) reads[slot] += by;
      }
    };
    count(1);
    for (int k = 0; k < n.num_inputs; ++k) {
      const int slot = frame.input_slots[n.first_input + k];
      if (slot < 0 || last_reader[slot] != i) continue;
      // An op that reads a value twice must not overwrite it.
      if (reads[slot] == 1) frame.input_is_last[n.first_input + k] = true;
      c_.releases_.push_back(slot);
    }
    count(-1);
    for (int k = 0; k < n.num_outputs; ++k) {
      const int slot = n.first_output + k;
      if (last_reader[slot] == -1) c_.releases_.push_back(slot);
    }
    n.num_releases = static_cast<int>(c_.releases_.size()) - n.first_release;
  }
}

}  // namespace tensorwright
