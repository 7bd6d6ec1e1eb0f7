// SPDX-License-Identifier: Apache-2.0
// FusedSchedule.

#include "core/kernels/fused_elementwise_op_schedule.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tensorwright {
namespace {

// What a tile of all slots may take of the first-level cache (32 KiB or more).
constexpr int64_t kTileBytes = 24 << 10;
constexpr int64_t kMinTile = 256;
constexpr int64_t kMaxTile = 4096;
// Tiles start where vectors do.
constexpr int64_t kTileMultiple = 64;

// Pieces of a constant size vectorise, as the output may be an input.
template <typename Bits>
void SelectLoop(const void* condition, const void* t, const void* e, void* y,
                int64_t n, int step) {
  const uint8_t* choose = static_cast<const uint8_t*>(condition);
  const Bits* yes = static_cast<const Bits*>(t);
  const Bits* no = static_cast<const Bits*>(e);
  Bits* out = static_cast<Bits*>(y);
  if (step == 0) {
    const Bits* from = *choose ? yes : no;
    if (n > 0 && from != out) std::memcpy(out, from, n * sizeof(Bits));
    return;
  }
  constexpr int kPiece = 16;
  int64_t i = 0;
  for (; i + kPiece <= n; i += kPiece) {
    Bits piece[kPiece];
    for (int j = 0; j < kPiece; ++j) {
      const Bits mask = static_cast<Bits>(-static_cast<Bits>(choose[i + j]));
      piece[j] = static_cast<Bits>((yes[i + j] & mask) | (no[i + j] & ~mask));
    }
    std::memcpy(out + i, piece, sizeof(piece));
  }
  for (; i < n; ++i) out[i] = choose[i] ? yes[i] : no[i];
}

// Broadcasting only lets ranks grow, or sizes away from 1: what a step reads
// comes before it in this order.
std::pair<int, int> PhaseOrder(const TensorShape& shape) {
  int stretched = 0;
  for (int i = 0; i < shape.dims(); ++i) stretched += shape.dim_size(i) != 1;
  return {shape.dims(), stretched};
}

// How positions in `shape` map to elements of a tensor of shape `from`, whose
// dimensions stand for the last of `shape` (or the first, `left_aligned`).
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

SelectLoopFn SelectLoopFor(int element_size) {
  switch (element_size) {
    case 1:
      return &SelectLoop<uint8_t>;
    case 2:
      return &SelectLoop<uint16_t>;
    case 4:
      return &SelectLoop<uint32_t>;
    case 8:
      return &SelectLoop<uint64_t>;
    default:
      return nullptr;
  }
}

int64_t FusedSchedule::Source::RunStart(int64_t r) const {
  int64_t at = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    at += r % dims[i] * strides[i];
    r /= dims[i];
  }
  return at;
}

int64_t FusedSchedule::Phase::num_tiles() const {
  if (elements == 0) return 0;
  return tiles_per_row > 0 ? elements / row * tiles_per_row
                           : (elements + tile - 1) / tile;
}

std::pair<int64_t, int64_t> FusedSchedule::Phase::Tile(int64_t index) const {
  if (tiles_per_row == 0) {
    return {index * tile, std::min((index + 1) * tile, elements)};
  }
  const int64_t start = index / tiles_per_row * row;
  const int64_t part = index % tiles_per_row * tile;
  return {start + part, start + std::min(part + tile, row)};
}

// Makes the code of one phase out of the steps of its shape.
class FusedSchedule::PhaseBuilder {
 public:
  PhaseBuilder(const FusedSchedule& schedule, const FusedProgram& program,
               const std::vector<int>& phase_of_step, int phase_index,
               Phase* phase)
      : schedule_(schedule),
        program_(program),
        phase_of_step_(phase_of_step),
        phase_index_(phase_index),
        phase_(*phase) {}

  // `leaves`: by value, whether a later phase or an output needs it.
  // `other_readers`: by input, whether another phase reads it.
  void Build(const std::vector<int>& steps, const std::vector<bool>& leaves,
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

 private:
  using Key = std::pair<int, bool>;  // Value; seen left-aligned.

  static bool IsLeftAligned(const FusedProgram::Step& step, int k) {
    return step.kind == ElementwiseKind::kSelect && k == 0;
  }
  Key KeyOf(const FusedProgram::Step& step, int k) const {
    const int value = schedule_.alias_[step.operands[k]];
    // Only a vector is aligned otherwise than the rest.
    return {value, IsLeftAligned(step, k) &&
                       schedule_.shapes_[value].dims() == 1 &&
                       phase_.shape.dims() > 1};
  }
  bool IsMadeHere(int value) const {
    return value >= program_.num_inputs() &&
           phase_of_step_[value - program_.num_inputs()] == phase_index_;
  }

  bool IsReduction(int step_index) const {
    return schedule_.loops_[step_index].reduce != nullptr;
  }

  void CollectSources(int step_index) {
    if (IsReduction(step_index)) return;  // Of what the phase itself makes.
    const FusedProgram::Step& step = program_.steps()[step_index];
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const Key key = KeyOf(step, static_cast<int>(k));
      if (IsMadeHere(key.first)) continue;
      const int slot = static_cast<int>(phase_.sources.size());
      if (!slot_.try_emplace(key, slot).second) continue;
      Source& source = phase_.sources.emplace_back();
      source.value = key.first;
      source.element_size = schedule_.SizeOf(key.first);
      SetAccess(schedule_.shapes_[key.first], phase_.shape, key.second,
                &source);
    }
  }

  void CountUses(int step_index) {
    const FusedProgram::Step& step = program_.steps()[step_index];
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const int value = KeyOf(step, static_cast<int>(k)).first;
      ++uses_[value];
      ++total_uses_[value];
    }
  }

  // Its operand keeps its register to the end: the use is never given back.
  void AddReduction(int step_index) {
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

  void Emit(int step_index) {
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
    if (JoinPrevious(step, operands, result)) {
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

  // Makes a pair of the step and the one before it, if that has no other reader
  // and they go together.  What the first one reads is still where it was.
  bool JoinPrevious(const FusedProgram::Step& step,
                    const std::vector<int>& operands, int result) {
    if (phase_.code.empty() || operands.size() != 2) return false;
    Instruction& previous = phase_.code.back();
    const int value = program_.num_inputs() + previous.step;
    const FusedProgram::Step& first = program_.steps()[previous.step];
    if (previous.pair != FusedPair::kNone || !previous.loop->is_float ||
        first.operands.size() != 2 || uses_[value] != 0 ||
        total_uses_[value] != 1 || previous.result < FirstRegister()) {
      return false;
    }
    const bool swapped = schedule_.alias_[step.operands[0]] != value;
    if (swapped && (schedule_.alias_[step.operands[1]] != value ||
                    step.op->name() == "Sub")) {
      return false;
    }
    const FusedPair pair = FusedPairOf(first.op->name(), step.op->name());
    if (pair == FusedPair::kNone) return false;
    // x is a whole tile; Mul and Add do not mind the order.
    if (!IsWholeTile(previous.operands[0]) && first.op->name() != "Sub") {
      std::swap(previous.operands[0], previous.operands[1]);
    }
    if (!IsWholeTile(previous.operands[0])) return false;
    previous.pair = pair;
    previous.operands[2] = operands[swapped ? 0 : 1];
    previous.result = result;
    return true;
  }
  bool IsWholeTile(int slot) const {
    return slot >= static_cast<int>(phase_.sources.size()) ||
           phase_.sources[slot].access == Source::Access::kDirect;
  }

  int FirstRegister() const {
    return static_cast<int>(phase_.sources.size() + phase_.sinks.size());
  }

  int NewRegister(int element_size) {
    std::vector<int>& free = free_[element_size];
    if (!free.empty()) {
      const int slot = free.back();
      free.pop_back();
      return slot;
    }
    phase_.register_sizes.push_back(element_size);
    return FirstRegister() + static_cast<int>(phase_.register_sizes.size()) - 1;
  }

  void ReleaseOperands(const FusedProgram::Step& step) {
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const Key key = KeyOf(step, static_cast<int>(k));
      if (--uses_[key.first] > 0) continue;
      const int slot = slot_.at(key);
      if (slot < FirstRegister()) continue;
      const int size = phase_.register_sizes[slot - FirstRegister()];
      free_[size].push_back(slot);
    }
  }

  // An output may take the place of an input that is read, element by element,
  // no later than the output is written.
  void FindInPlace(const std::vector<bool>& other_readers) {
    const int num_sources = static_cast<int>(phase_.sources.size());
    std::vector<int> last_read(num_sources, -1);
    std::vector<int> first_write(FirstRegister(), -1);
    for (size_t i = 0; i < phase_.code.size(); ++i) {
      const Instruction& instruction = phase_.code[i];
      for (int k = 0; k < Arity(instruction); ++k) {
        const int slot = instruction.operands[k];
        if (slot < num_sources) last_read[slot] = static_cast<int>(i);
      }
      const int result = instruction.result;
      if (result < FirstRegister() && first_write[result] < 0) {
        first_write[result] = static_cast<int>(i);
      }
    }
    for (size_t s = 0; s < phase_.sinks.size(); ++s) {
      Sink& sink = phase_.sinks[s];
      if (sink.output < 0) continue;
      for (int k = 0; k < num_sources; ++k) {
        const Source& source = phase_.sources[k];
        if (source.access == Source::Access::kDirect &&
            source.value < program_.num_inputs() &&
            !other_readers[source.value] &&
            source.element_size == sink.element_size &&
            last_read[k] <= first_write[num_sources + s]) {
          sink.in_place.push_back(source.value);
        }
      }
    }
  }

  static int Arity(const Instruction& instruction) {
    const FusedLoop& loop = *instruction.loop;
    if (instruction.pair != FusedPair::kNone) return 3;
    return loop.select != nullptr ? 3 : loop.binary != nullptr ? 2 : 1;
  }

  void ChooseTile() {
    int64_t bytes = 0;  // Of one element in all slots.
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

  const FusedSchedule& schedule_;
  const FusedProgram& program_;
  const std::vector<int>& phase_of_step_;
  const int phase_index_;
  Phase& phase_;
  absl::flat_hash_map<Key, int> slot_;
  absl::flat_hash_map<int, int> uses_;               // That are still to come.
  absl::flat_hash_map<int, int> total_uses_;         // By value.
  absl::flat_hash_map<int, std::vector<int>> free_;  // By element size.
};

FusedSchedule::FusedSchedule(const FusedProgram& program,
                             absl::Span<const FusedLoop> loops,
                             absl::Span<const int> input_sizes,
                             std::vector<TensorShape> shapes)
    : num_inputs_(program.num_inputs()),
      loops_(loops),
      input_sizes_(input_sizes.begin(), input_sizes.end()),
      shapes_(std::move(shapes)),
      output_(shapes_.size(), -1) {
  for (size_t i = 0; i < program.results().size(); ++i) {
    output_[program.results()[i]] = static_cast<int>(i);
  }
  FindAliases(program);
  // Phases by shape, in the order in which they can run.
  const int num_steps = static_cast<int>(program.steps().size());
  std::vector<int> phase_of_step(num_steps, -1);
  std::vector<const TensorShape*> phase_shapes;
  for (int i = 0; i < num_steps; ++i) {
    if (alias_[num_inputs_ + i] != num_inputs_ + i) continue;
    const TensorShape* shape = &shapes_[PhaseValue(program, i)];
    const bool known = std::any_of(
        phase_shapes.rbegin(), phase_shapes.rend(),
        [shape](const TensorShape* other) { return *other == *shape; });
    if (!known) phase_shapes.push_back(shape);
  }
  std::stable_sort(phase_shapes.begin(), phase_shapes.end(),
                   [](const TensorShape* a, const TensorShape* b) {
                     return PhaseOrder(*a) < PhaseOrder(*b);
                   });
  std::vector<std::vector<int>> steps(phase_shapes.size());
  for (int i = 0; i < num_steps; ++i) {
    if (alias_[num_inputs_ + i] != num_inputs_ + i) continue;
    int phase = 0;
    while (*phase_shapes[phase] != shapes_[PhaseValue(program, i)]) ++phase;
    phase_of_step[i] = phase;
    steps[phase].push_back(i);
  }
  // What leaves a phase, and which inputs several of them read.
  std::vector<bool> leaves(shapes_.size(), false);
  std::vector<int> reader(num_inputs_, -1);
  std::vector<bool> shared(num_inputs_, false);
  for (int64_t result : program.results()) leaves[result] = true;
  for (int i = 0; i < num_steps; ++i) {
    if (phase_of_step[i] < 0) continue;
    for (int operand : program.steps()[i].operands) {
      const int value = alias_[operand];
      if (value >= num_inputs_) {
        if (phase_of_step[value - num_inputs_] != phase_of_step[i]) {
          leaves[value] = true;
        }
      } else if (reader[value] >= 0 && reader[value] != phase_of_step[i]) {
        shared[value] = true;
      } else {
        reader[value] = phase_of_step[i];
      }
    }
  }
  phases_.resize(phase_shapes.size());
  for (size_t p = 0; p < phases_.size(); ++p) {
    phases_[p].shape = *phase_shapes[p];
    PhaseBuilder(*this, program, phase_of_step, static_cast<int>(p),
                 &phases_[p])
        .Build(steps[p], leaves, shared);
  }
}

void FusedSchedule::FindAliases(const FusedProgram& program) {
  alias_.resize(shapes_.size());
  for (int v = 0; v < static_cast<int>(alias_.size()); ++v) {
    alias_[v] = v;
    if (v < num_inputs_ || output_[v] >= 0) continue;
    const FusedProgram::Step& step = program.steps()[v - num_inputs_];
    const FusedLoop& loop = loops_[v - num_inputs_];
    if (loop.unary == nullptr && loop.binary == nullptr &&
        loop.select == nullptr && loop.reduce == nullptr) {
      alias_[v] = alias_[step.operands[0]];
    }
  }
}

int FusedSchedule::PhaseValue(const FusedProgram& program, int step) const {
  return loops_[step].reduce == nullptr
             ? num_inputs_ + step
             : alias_[program.steps()[step].operands[0]];
}

int FusedSchedule::SizeOf(int value) const {
  return value < num_inputs_ ? input_sizes_[value]
                             : loops_[value - num_inputs_].result_size;
}

}  // namespace tensorwright
