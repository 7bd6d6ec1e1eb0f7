// SPDX-License-Identifier: Apache-2.0
// PhaseBuilder: finds the values that a phase reads and writes, gives registers
// to steps and chooses tiles.

#include "core/kernels/fused/cwise_ops_fused_phase.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "core/framework/attr_value.pb.h"

namespace tensorwright {
namespace {

// The part of the first-level cache (32 KiB or more) that a tile of all slots
// may take.
constexpr int64_t kTileBytes = 24 << 10;
constexpr int64_t kMinTile = 256;
constexpr int64_t kMaxTile = 4096;
// Tiles start at multiples of vectors.
constexpr int64_t kTileMultiple = 64;
// The most inputs whose memory an output may take over.
constexpr size_t kMostInPlace = 8;

// Sets how positions in `shape` map to elements of a tensor of shape `from`,
// whose dimensions stand for the last ones of `shape` (or the first ones, if
// `left_aligned`).
void SetAccess(const TensorShape& from, const TensorShape& shape,
               bool left_aligned, FusedSchedule::Source* source) {
  struct Group {
    int64_t size, stride;
  };
  std::vector<Group> groups;  // Innermost first.
  const int shift = left_aligned ? 0 : shape.dims() - from.dims();
  int64_t stride = 1;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    const int64_t size = shape.dim_size(i);
    const int k = i - shift;
    const int64_t own = k >= 0 && k < from.dims() ? from.dim_size(k) : 1;
    if (size == 1) continue;
    const int64_t step = own == 1 ? 0 : stride;
    stride *= own;
    if (!groups.empty() &&
        (step == 0 ? groups.back().stride == 0
                   : groups.back().stride != 0 &&
                         step == groups.back().stride * groups.back().size)) {
      groups.back().size *= size;
    } else {
      groups.push_back({size, step});
    }
  }
  using Access = FusedSchedule::Source::Access;
  if (groups.empty() || (groups.size() == 1 && groups[0].stride != 0)) {
    source->access = Access::kDirect;
    return;
  }
  if (groups.size() == 1) {
    source->access = Access::kScalar;
    return;
  }
  source->access = Access::kRuns;
  source->run = groups[0].size;
  source->run_step = groups[0].stride != 0;
  for (size_t i = groups.size() - 1; i >= 1; --i) {
    source->dims.push_back(groups[i].size);
    source->strides.push_back(groups[i].stride);
  }
  source->periodic = groups.size() == 2 && groups[1].stride == 0;
}

}  // namespace

void FusedSchedule::PhaseBuilder::Build(
    const std::vector<int>& steps, const std::vector<bool>& leaves,
    const std::vector<bool>& other_readers) {
  for (int step : steps) CollectSources(step);
  for (int step : steps) {
    const int value = program_.num_inputs() + step;
    if (!leaves[value] || IsReduction(step)) continue;
    slot_[{value, false}] =
        static_cast<int>(phase_.sources.size() + phase_.sinks.size());
    phase_.sinks.push_back(
        {value, schedule_.SizeOf(value), schedule_.output_[value], {}});
  }
  for (int step : steps) CountUses(step);
  for (int step : steps) Emit(step);
  for (int step : steps) AddReduction(step);
  FindInPlace(other_readers);
  ChooseTile();
}

FusedSchedule::PhaseBuilder::Key FusedSchedule::PhaseBuilder::KeyOf(
    const FusedProgram::Step& step, int k) const {
  const int value = schedule_.alias_[step.operands[k]];
  // Only a vector can be aligned differently from the rest.
  return {value, IsLeftAligned(step, k) &&
                     schedule_.shapes_[value].dims() == 1 &&
                     phase_.shape.dims() > 1};
}

void FusedSchedule::PhaseBuilder::CollectSources(int step_index) {
  // For values that the phase itself makes.
  if (IsReduction(step_index)) return;
  const FusedProgram::Step& step = program_.steps()[step_index];
  for (size_t k = 0; k < step.operands.size(); ++k) {
    const Key key = KeyOf(step, static_cast<int>(k));
    if (IsMadeHere(key.first)) continue;
    const int slot = static_cast<int>(phase_.sources.size());
    if (!slot_.try_emplace(key, slot).second) continue;
    Source& source = phase_.sources.emplace_back();
    source.value = key.first;
    source.element_size = schedule_.SizeOf(key.first);
    SetAccess(schedule_.shapes_[key.first], phase_.shape, key.second, &source);
  }
}

void FusedSchedule::PhaseBuilder::CountUses(int step_index) {
  const FusedProgram::Step& step = program_.steps()[step_index];
  for (size_t k = 0; k < step.operands.size(); ++k) {
    const int value = KeyOf(step, static_cast<int>(k)).first;
    ++uses_[value];
    ++total_uses_[value];
  }
}

void FusedSchedule::PhaseBuilder::AddReduction(int step_index) {
  if (!IsReduction(step_index)) return;
  Reduction& r = phase_.reductions.emplace_back();
  r.loop = &schedule_.loops_[step_index];
  r.slot = slot_.at(KeyOf(program_.steps()[step_index], 0));
  r.value = program_.num_inputs() + step_index;
  r.output = schedule_.output_[r.value];
  r.rows = schedule_.shapes_[r.value].num_elements();
  r.cols = r.rows == 0 ? 0 : phase_.shape.num_elements() / r.rows;
  phase_.cost += 1;
}

void FusedSchedule::PhaseBuilder::Emit(int step_index) {
  if (IsReduction(step_index)) return;
  const FusedProgram::Step& step = program_.steps()[step_index];
  const FusedLoop& loop = schedule_.loops_[step_index];
  std::vector<int> operands;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    operands.push_back(slot_.at(KeyOf(step, static_cast<int>(k))));
  }
  // A sum of many overwrites its result before it has read the last operand,
  // so only the others' result may be in an operand's register.
  const bool in_place = operands.size() <= 2 || loop.select != nullptr;
  if (in_place) ReleaseOperands(step);
  const int value = program_.num_inputs() + step_index;
  int& result = slot_.try_emplace(Key(value, false), -1).first->second;
  if (result < 0) result = NewRegister(loop.result_size);
  Instruction instruction;
  instruction.loop = &loop;
  instruction.step = step_index;
  instruction.result = result;
  if (JoinPrevious(step_index, operands, result)) {
    phase_.cost += loop.cost;
    return;
  }
  if (loop.binary != nullptr) {
    int first = operands[0];
    for (size_t k = 1; k < operands.size(); ++k) {
      instruction.operands[0] = first;
      instruction.operands[1] = operands[k];
      phase_.code.push_back(instruction);
      first = result;
    }
  } else {
    std::copy(operands.begin(), operands.end(), instruction.operands);
    phase_.code.push_back(instruction);
  }
  phase_.cost += loop.cost * std::max<int64_t>(1, operands.size() - 1);
  if (!in_place) ReleaseOperands(step);
}

bool FusedSchedule::PhaseBuilder::JoinPrevious(int step_index,
                                               const std::vector<int>& operands,
                                               int result) {
  if (phase_.code.empty() || operands.size() > 2) return false;
  Instruction& previous = phase_.code.back();
  const int value = program_.num_inputs() + previous.step;
  const FusedLoop& loop = schedule_.loops_[step_index];
  if (!loop.is_float || loop.result_size != previous.loop->result_size ||
      uses_[value] != 0 || total_uses_[value] != 1 ||
      previous.result < FirstRegister() ||
      static_cast<int>(previous.links.size()) == kMaxFusedLinks) {
    return false;
  }
  const FusedProgram::Step& step = program_.steps()[step_index];
  const int through = schedule_.alias_[step.operands[0]] == value ? 0 : 1;
  if (through == 1 &&
      (operands.size() < 2 || schedule_.alias_[step.operands[1]] != value)) {
    return false;
  }
  const ChainOp op = ChainOpOf(step.op->name(), through, loop.result_size);
  if (op == ChainOp::kNone || !MakeChain(&previous)) return false;
  Link& last = previous.links.back();
  const int other = operands.size() == 2 ? operands[1 - through] : -1;
  if (last.op == ChainOp::kMul && ProductAnd(op) != ChainOp::kNone) {
    last.op = ProductAnd(op);
    last.operands[1] = other;
  } else {
    previous.links.push_back({op, {other, -1}});
  }
  previous.step = step_index;
  previous.loop = &loop;
  previous.result = result;
  return true;
}

bool FusedSchedule::PhaseBuilder::MakeChain(Instruction* instruction) const {
  if (!instruction->links.empty()) return true;
  const FusedProgram::Step& step = program_.steps()[instruction->step];
  const FusedLoop& loop = *instruction->loop;
  if (!loop.is_float || step.operands.size() > 2) return false;
  const bool is_binary = step.operands.size() == 2;
  // The value that passes through the chain is a whole tile.
  const int through = IsWholeTile(instruction->operands[0]) ? 0 : 1;
  if (through == 1 && (!is_binary || !IsWholeTile(instruction->operands[1]))) {
    return false;
  }
  const ChainOp op = ChainOpOf(step.op->name(), through, loop.result_size);
  if (op == ChainOp::kNone) return false;
  const int other = is_binary ? instruction->operands[1 - through] : -1;
  instruction->operands[0] = instruction->operands[through];
  instruction->links.push_back({op, {other, -1}});
  return true;
}

int FusedSchedule::PhaseBuilder::NewRegister(int element_size) {
  std::vector<int>& free = free_[element_size];
  if (!free.empty()) {
    const int slot = free.back();
    free.pop_back();
    return slot;
  }
  phase_.register_sizes.push_back(element_size);
  return FirstRegister() + static_cast<int>(phase_.register_sizes.size()) - 1;
}

void FusedSchedule::PhaseBuilder::ReleaseOperands(
    const FusedProgram::Step& step) {
  for (size_t k = 0; k < step.operands.size(); ++k) {
    const Key key = KeyOf(step, static_cast<int>(k));
    if (--uses_[key.first] > 0) continue;
    const int slot = slot_.at(key);
    if (slot < FirstRegister()) continue;
    const int size = phase_.register_sizes[slot - FirstRegister()];
    free_[size].push_back(slot);
  }
}

void FusedSchedule::PhaseBuilder::FindInPlace(
    const std::vector<bool>& other_readers) {
  const int num_sources = static_cast<int>(phase_.sources.size());
  std::vector<int> last_read(num_sources, -1);
  std::vector<int> first_write(FirstRegister(), -1);
  for (size_t i = 0; i < phase_.code.size(); ++i) {
    const Instruction& instruction = phase_.code[i];
    const auto read = [&](int slot) {
      if (slot >= 0 && slot < num_sources)
        last_read[slot] = static_cast<int>(i);
    };
    for (int k = 0; k < Arity(instruction); ++k) read(instruction.operands[k]);
    for (const Link& link : instruction.links) {
      read(link.operands[0]);
      read(link.operands[1]);
    }
    const int result = instruction.result;
    if (result < FirstRegister() && first_write[result] < 0) {
      first_write[result] = static_cast<int>(i);
    }
  }
  std::vector<int> free;  // Sources that may be overwritten.
  // By instruction, the sources that it is the last to read.
  std::vector<std::vector<int>> ends(phase_.code.size());
  for (int k = 0; k < num_sources; ++k) {
    const Source& source = phase_.sources[k];
    if (source.access != Source::Access::kDirect ||
        source.value >= program_.num_inputs() || other_readers[source.value]) {
      continue;
    }
    free.push_back(k);
    if (last_read[k] >= 0) ends[last_read[k]].push_back(k);
  }
  absl::c_stable_sort(
      free, [&](int a, int b) { return last_read[a] < last_read[b]; });
  for (size_t s = 0; s < phase_.sinks.size(); ++s) {
    Sink& sink = phase_.sinks[s];
    if (sink.output < 0) continue;
    const int write = first_write[num_sources + s];
    // A run tries them in turn, so they are few: first the sources that the
    // instruction itself reads, which no other sink wants as much.
    const auto add = [&](const std::vector<int>& sources) {
      for (int k : sources) {
        if (last_read[k] > write || sink.in_place.size() == kMostInPlace)
          return;
        const Source& source = phase_.sources[k];
        if (source.element_size == sink.element_size &&
            absl::c_find(sink.in_place, source.value) == sink.in_place.end()) {
          sink.in_place.push_back(source.value);
        }
      }
    };
    if (write >= 0) add(ends[write]);
    add(free);
  }
}

int FusedSchedule::PhaseBuilder::Arity(const Instruction& instruction) {
  const FusedLoop& loop = *instruction.loop;
  if (!instruction.links.empty()) return 1;
  return loop.select != nullptr ? 3 : loop.binary != nullptr ? 2 : 1;
}

void FusedSchedule::PhaseBuilder::ChooseTile() {
  int64_t bytes = 0;  // The bytes of one element in all slots.
  int64_t run = 0;
  for (const Source& source : phase_.sources) {
    if (source.access == Source::Access::kScalar) continue;
    bytes += source.element_size;
    if (source.access == Source::Access::kRuns && run == 0) run = source.run;
  }
  for (const Sink& sink : phase_.sinks) bytes += sink.element_size;
  for (int size : phase_.register_sizes) bytes += size;
  int64_t tile = kTileBytes / std::max<int64_t>(1, bytes);
  tile = std::clamp(tile / kTileMultiple * kTileMultiple, kMinTile, kMaxTile);
  phase_.elements = phase_.shape.num_elements();
  if (!phase_.reductions.empty()) run = phase_.reductions[0].cols;
  if (run > 0 && run <= tile) {
    tile = tile / run * run;
  } else if (run > tile) {
    phase_.row = run;
    phase_.tiles_per_row = (run + tile - 1) / tile;
    tile = (run + phase_.tiles_per_row - 1) / phase_.tiles_per_row;
    tile = (tile + kTileMultiple - 1) / kTileMultiple * kTileMultiple;
    phase_.tiles_per_row = (run + tile - 1) / tile;
  }
  phase_.tile = tile;
}

}  // namespace tensorwright
