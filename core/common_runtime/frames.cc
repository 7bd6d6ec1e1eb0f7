// SPDX-License-Identifier: Apache-2.0
// Frames and iterations.
#include "core/common_runtime/frames.h"

#include <algorithm>
#include <string>

#include "core/common_runtime/executor.h"

namespace tensorwright {
namespace {

// The id is the same in every partition and process: frames meet in rendezvous
// keys.
uint64_t FrameId(uint64_t parent, int64_t iteration, const std::string& name) {
  uint64_t h = 0xcbf29ce484222325u ^ parent;
  const auto mix = [&h](uint64_t v) {
    h = (h ^ v) * 0x100000001b3u;
    h ^= h >> 29;
  };
  mix(static_cast<uint64_t>(iteration));
  for (char c : name) mix(static_cast<unsigned char>(c));
  return h;
}

// Moves the value of a slot to another one.
void MoveSlot(OutputSlot* from, OutputSlot* to) {
  to->mutex_if_ref = from->mutex_if_ref;
  if (from->tensor == nullptr) {
    to->tensor = nullptr;
  } else if (from->mutex_if_ref != nullptr) {
    to->tensor = from->tensor;
  } else {
    to->value = std::move(from->value);
    to->tensor = &to->value;
  }
}

}  // namespace

FrameManager::FrameManager(const CompiledGraph& graph)
    : graph_(graph),
      free_iterations_(graph.frames().size()),
      free_frames_(graph.frames().size()),
      sequential_(graph.frames().size()) {
  for (const CompiledNode& n : graph.nodes()) has_refs_ |= n.has_ref_inputs;
}

FrameManager::~FrameManager() = default;

std::unique_ptr<Iteration> FrameManager::MakeIteration(int frame) const {
  const CompiledFrame& f = graph_.frames()[frame];
  auto iteration = std::make_unique<Iteration>();
  iteration->nodes.resize(f.nodes.size());
  iteration->slots.resize(f.slot_uses.size());
  iteration->uses = std::vector<std::atomic<int>>(f.slot_uses.size());
  iteration->inputs.resize(f.input_slots.size());
  if (has_refs_) iteration->deref.resize(f.input_slots.size());
  NodeRunner::PointInputs(f, absl::MakeSpan(iteration->slots),
                          absl::MakeSpan(iteration->inputs));
  return iteration;
}

void FrameManager::ResetIteration(int frame, Iteration* iteration) const {
  const CompiledFrame& f = graph_.frames()[frame];
  iteration->outstanding_nodes = 0;
  iteration->outstanding_frames = 0;
  iteration->children.clear();
  for (size_t i = 0; i < f.pending.size(); ++i) {
    iteration->nodes[i] = {f.pending[i], 0};
  }
  for (size_t i = 0; i < f.slot_uses.size(); ++i) {
    iteration->uses[i].store(f.slot_uses[i], std::memory_order_relaxed);
    iteration->slots[i].value.ReleaseBuffer();
    iteration->slots[i].Clear();
  }
  for (int input : f.merge_inputs) iteration->inputs[input] = TensorValue();
}

Iteration* FrameManager::BeginRoot(ReadyList* ready) {
  if (root_ == nullptr) {
    all_frames_.push_back(std::make_unique<FrameState>());
    all_iterations_.push_back(MakeIteration(0));
    root_ = all_iterations_.back().get();
    root_->frame = all_frames_.back().get();
  }
  exited_twice_ = nullptr;
  ResetIteration(0, root_);
  for (int node : graph_.frames()[0].ready) {
    ready->push_back({node, root_, false});
  }
  root_->outstanding_nodes = static_cast<int>(ready->size());
  return root_;
}

void FrameManager::NodeDone(const ReadyNode& n, ReadyList* ready) {
  if (n.loop != nullptr) return EndLoop(n.loop, ready);
  const CompiledNode& node = graph_.nodes()[n.node];
  OutputSlot* slots = n.iteration->slots.data() + node.first_output;
  switch (node.node_class) {
    case NodeClass::kEnter:
      Enter(n, slots, ready);
      break;
    case NodeClass::kExit:
      Exit(n, slots, ready);
      break;
    case NodeClass::kNextIteration:
      NextIteration(n, slots, ready);
      break;
    default:
      // A Recv that got a dead value counts as dead itself.
      Deliver(n.node,
              n.dead || (node.node->IsRecv() && slots[0].tensor == nullptr),
              slots, n.iteration, ready);
      // Drops the outputs that nobody reads.
      for (int i = 0; i < node.num_outputs; ++i) {
        if (n.iteration->uses[node.first_output + i].load(
                std::memory_order_relaxed) == 0) {
          slots[i].value.ReleaseBuffer();
        }
      }
  }
  --n.iteration->outstanding_nodes;
  if (n.iteration != root_) CleanUp(n.iteration->frame, ready);
}

void FrameManager::Deliver(int index, bool dead, OutputSlot* slots,
                           Iteration* to, ReadyList* ready) {
  const CompiledNode& node = graph_.nodes()[index];
  const CompiledEdge* edges = graph_.edges().data() + node.first_edge;
  for (int i = 0; i < node.num_edges; ++i) {
    DeliverEdge(node, edges[i], dead, slots, to, ready);
  }
}

void FrameManager::DeliverEdge(const CompiledNode& source,
                               const CompiledEdge& edge, bool dead,
                               OutputSlot* slots, Iteration* to,
                               ReadyList* ready) {
  const CompiledNode& dst = graph_.nodes()[edge.dst];
  NodeState& state = to->nodes[dst.index_in_frame];
  const bool is_control = edge.output < 0;
  OutputSlot* slot = is_control ? nullptr : &slots[edge.output];
  const bool edge_is_dead = dead || (!is_control && slot->tensor == nullptr);
  bool is_ready = false;
  bool is_dead = false;
  if (dst.node_class == NodeClass::kMerge) {
    if (is_control) {
      state.pending -= 2;
      is_dead = state.dead >= dst.num_inputs;
      is_ready = state.pending == 0 || (state.pending == 1 && is_dead);
    } else if (!edge_is_dead) {
      // The Merge takes the first live input.
      if ((state.pending & 1) != 0) {
        state.pending &= ~1;
        to->inputs[edge.input] = TensorValue(slot->mutex_if_ref, slot->tensor);
        is_ready = state.pending == 0;
      }
    } else {
      // A dead Enter is a loop on a branch that was not taken: there will be no
      // value from the NextIteration either.
      const bool is_loop =
          source.node_class == NodeClass::kEnter && !source.is_constant_enter;
      state.dead = is_loop ? dst.num_inputs : state.dead + 1;
      is_dead = state.dead >= dst.num_inputs;
      is_ready = state.pending == 1 && is_dead;
    }
    // A Merge becomes ready once: later inputs do not count.
    if (is_ready) state.pending = 0;
  } else {
    if (edge_is_dead) {
      ++state.dead;
    } else if (!is_control &&
               (slot->mutex_if_ref != nullptr || source.is_constant_enter)) {
      to->inputs[edge.input] = TensorValue(slot->mutex_if_ref, slot->tensor);
    }
    is_ready = --state.pending == 0;
    is_dead = state.dead > 0 && dst.node_class != NodeClass::kControlTrigger;
  }
  if (is_ready) {
    ready->push_back({edge.dst, to, is_dead});
    ++to->outstanding_nodes;
  }
}

void FrameManager::Land(int index, bool dead, OutputSlot* slot, Iteration* to,
                        ReadyList* ready) {
  const CompiledNode& node = graph_.nodes()[index];
  OutputSlot* landing = &to->slots[node.landing_slot];
  if (!dead) MoveSlot(slot, landing);
  Deliver(index, dead, landing, to, ready);
  if (to->uses[node.landing_slot].load(std::memory_order_relaxed) == 0) {
    landing->value.ReleaseBuffer();
  }
}

void FrameManager::Enter(const ReadyNode& n, OutputSlot* slot,
                         ReadyList* ready) {
  const CompiledNode& node = graph_.nodes()[n.node];
  FrameState* frame = FindOrMakeFrame(node.enters_frame, n.iteration, ready);
  const bool dead = n.dead || slot->tensor == nullptr;
  if (frame->is_sequential) {
    frame->sequential->Enter(n.node, dead ? nullptr : slot);
    if (--frame->enters_to_come > 0) return;
    ready->push_back({n.node, n.iteration, /*dead=*/false, frame});
    ++n.iteration->outstanding_nodes;
    return;
  }
  if (node.is_constant_enter) {
    frame->invariants.push_back({n.node, dead, std::make_unique<OutputSlot>()});
    FrameState::Invariant& invariant = frame->invariants.back();
    if (!dead) MoveSlot(slot, invariant.value.get());
    for (Iteration* iteration : frame->iterations) {
      Deliver(n.node, dead, invariant.value.get(), iteration, ready);
    }
  } else {
    Land(n.node, dead, slot, frame->iterations.front(), ready);
  }
  if (--frame->enters_to_come == 0) CleanUp(frame, ready);
}

void FrameManager::Exit(const ReadyNode& n, OutputSlot* slot,
                        ReadyList* ready) {
  FrameState* frame = n.iteration->frame;
  std::vector<int>& dead_exits = frame->dead_exits;
  if (n.dead || slot->tensor == nullptr) {
    // The Exit is dead in every iteration but the last; whether it was live in
    // one is known when the frame ends.
    if (std::find(dead_exits.begin(), dead_exits.end(), n.node) ==
        dead_exits.end()) {
      dead_exits.push_back(n.node);
    }
    return;
  }
  std::vector<int>& live_exits = frame->live_exits;
  if (std::find(live_exits.begin(), live_exits.end(), n.node) !=
      live_exits.end()) {
    // The parent may be reading the first value, so the second one is dropped.
    exited_twice_ = graph_.nodes()[n.node].node;
    return;
  }
  live_exits.push_back(n.node);
  Land(n.node, /*dead=*/false, slot, frame->parent, ready);
}

void FrameManager::NextIteration(const ReadyNode& n, OutputSlot* slot,
                                 ReadyList* ready) {
  // Deadness ends here; otherwise a loop would never end.
  if (n.dead || slot->tensor == nullptr) return;
  FrameState* frame = n.iteration->frame;
  const int64_t number = n.iteration->number + 1;
  if (number == frame->next_number) {
    const int limit = graph_.frames()[frame->frame].parallel_iterations;
    if (static_cast<int>(frame->iterations.size()) >= limit) {
      frame->waiting.emplace_back(n.node, OutputSlot());
      MoveSlot(slot, &frame->waiting.back().second);
      return;
    }
    BeginIteration(frame, ready);
  }
  Iteration* to = nullptr;
  for (Iteration* it : frame->iterations) {
    if (it->number == number) to = it;
  }
  Land(n.node, /*dead=*/false, slot, to, ready);
}

FrameState* FrameManager::FindOrMakeFrame(int index, Iteration* parent,
                                          ReadyList* ready) {
  for (const auto& [frame, state] : parent->children) {
    if (frame == index) return state;
  }
  FrameState* state;
  if (free_frames_[index].empty()) {
    all_frames_.push_back(std::make_unique<FrameState>());
    state = all_frames_.back().get();
  } else {
    state = free_frames_[index].back();
    free_frames_[index].pop_back();
  }
  const CompiledFrame& frame = graph_.frames()[index];
  state->frame = index;
  state->id = FrameId(parent->frame->id, parent->number, frame.name);
  state->parent = parent;
  state->enters_to_come = frame.num_enters;
  state->next_number = 0;
  state->iterations.clear();
  state->waiting.clear();
  state->invariants.clear();
  state->dead_exits.clear();
  state->live_exits.clear();
  parent->children.emplace_back(index, state);
  ++parent->outstanding_frames;
  state->is_sequential = sequential_[index];
  if (!state->is_sequential) {
    BeginIteration(state, ready);
    return state;
  }
  if (state->sequential == nullptr) {
    state->sequential = std::make_unique<SequentialLoop>(graph_, index);
  }
  state->sequential->Begin(state->id);
  return state;
}

Iteration* FrameManager::BeginIteration(FrameState* frame, ReadyList* ready) {
  Iteration* iteration;
  std::vector<Iteration*>& free = free_iterations_[frame->frame];
  if (free.empty()) {
    all_iterations_.push_back(MakeIteration(frame->frame));
    iteration = all_iterations_.back().get();
  } else {
    iteration = free.back();
    free.pop_back();
  }
  ResetIteration(frame->frame, iteration);
  iteration->frame = frame;
  iteration->number = frame->next_number++;
  frame->iterations.push_back(iteration);
  for (const FrameState::Invariant& v : frame->invariants) {
    Deliver(v.node, v.dead, v.value.get(), iteration, ready);
  }
  for (auto& [node, slot] : frame->waiting) {
    if (slot.mutex_if_ref == nullptr) slot.tensor = &slot.value;
    Land(node, /*dead=*/false, &slot, iteration, ready);
  }
  frame->waiting.clear();
  return iteration;
}

void FrameManager::CleanUp(FrameState* frame, ReadyList* ready) {
  // Iterations end in order: a later one may still get values from an earlier
  // one, and the first one from Enters.
  while (!frame->iterations.empty()) {
    Iteration* oldest = frame->iterations.front();
    if (oldest->outstanding_nodes > 0 || oldest->outstanding_frames > 0 ||
        (oldest->number == 0 && frame->enters_to_come > 0)) {
      return;
    }
    frame->iterations.pop_front();
    free_iterations_[frame->frame].push_back(oldest);
    if (!frame->waiting.empty()) BeginIteration(frame, ready);
  }
  if (frame->enters_to_come == 0) EndFrame(frame, ready);
}

void FrameManager::EndFrame(FrameState* frame, ReadyList* ready) {
  Iteration* parent = frame->parent;
  for (int node : frame->dead_exits) {
    const auto& live = frame->live_exits;
    if (std::find(live.begin(), live.end(), node) != live.end()) continue;
    OutputSlot dead;
    Deliver(node, /*dead=*/true, &dead, parent, ready);
  }
  CloseFrame(frame, ready);
}

void FrameManager::EndLoop(FrameState* frame, ReadyList* ready) {
  Iteration* parent = frame->parent;
  for (SequentialLoop::Result& result : frame->sequential->results()) {
    const bool dead = result.value.tensor == nullptr;
    if (dead) {
      Deliver(result.node, dead, &result.value, parent, ready);
    } else {
      Land(result.node, dead, &result.value, parent, ready);
    }
  }
  if (frame->sequential->exited_twice() != nullptr) {
    exited_twice_ = frame->sequential->exited_twice();
  }
  frame->sequential->End();
  --parent->outstanding_nodes;
  CloseFrame(frame, ready);
}

void FrameManager::CloseFrame(FrameState* frame, ReadyList* ready) {
  Iteration* parent = frame->parent;
  auto& children = parent->children;
  children.erase(std::find(children.begin(), children.end(),
                           std::pair<int, FrameState*>(frame->frame, frame)));
  --parent->outstanding_frames;
  frame->invariants.clear();
  free_frames_[frame->frame].push_back(frame);
  if (parent != root_) CleanUp(parent->frame, ready);
}

}  // namespace tensorwright
