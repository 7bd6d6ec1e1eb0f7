// SPDX-License-Identifier: Apache-2.0
// FusedSchedule.

#include "core/kernels/fused/cwise_ops_fused_schedule.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/kernels/fused/cwise_ops_fused_phase.h"

namespace tensorwright {
namespace {

// Works on pieces of a constant size, which vectorise, since the output may be
// an input.
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

// Broadcasting only increases ranks, or sizes from 1: the operands of a step
// come before it in this order.
std::pair<int, int> PhaseOrder(const TensorShape& shape) {
  int stretched = 0;
  for (int i = 0; i < shape.dims(); ++i) stretched += shape.dim_size(i) != 1;
  return {shape.dims(), stretched};
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
  const Order order = OrderSteps(program);
  std::vector<bool> leaves, shared;
  FindCrossings(program, order.phase_of_step, &leaves, &shared);
  phases_.resize(order.shapes.size());
  for (size_t p = 0; p < phases_.size(); ++p) {
    phases_[p].shape = *order.shapes[p];
    PhaseBuilder(*this, program, order.phase_of_step, static_cast<int>(p),
                 &phases_[p])
        .Build(order.steps[p], leaves, shared);
  }
}

FusedSchedule::Order FusedSchedule::OrderSteps(
    const FusedProgram& program) const {
  const int num_steps = static_cast<int>(program.steps().size());
  Order order;
  order.phase_of_step.assign(num_steps, -1);
  for (int i = 0; i < num_steps; ++i) {
    if (alias_[num_inputs_ + i] != num_inputs_ + i) continue;
    const TensorShape* shape = &shapes_[PhaseValue(program, i)];
    const bool known = std::any_of(
        order.shapes.rbegin(), order.shapes.rend(),
        [shape](const TensorShape* other) { return *other == *shape; });
    if (!known) order.shapes.push_back(shape);
  }
  std::stable_sort(order.shapes.begin(), order.shapes.end(),
                   [](const TensorShape* a, const TensorShape* b) {
                     return PhaseOrder(*a) < PhaseOrder(*b);
                   });
  order.steps.resize(order.shapes.size());
  for (int i = 0; i < num_steps; ++i) {
    if (alias_[num_inputs_ + i] != num_inputs_ + i) continue;
    int phase = 0;
    while (*order.shapes[phase] != shapes_[PhaseValue(program, i)]) ++phase;
    order.phase_of_step[i] = phase;
    order.steps[phase].push_back(i);
  }
  return order;
}

void FusedSchedule::FindCrossings(const FusedProgram& program,
                                  const std::vector<int>& phase_of_step,
                                  std::vector<bool>* leaves,
                                  std::vector<bool>* shared) const {
  leaves->assign(shapes_.size(), false);
  shared->assign(num_inputs_, false);
  std::vector<int> reader(num_inputs_, -1);
  for (int64_t result : program.results()) (*leaves)[result] = true;
  for (size_t i = 0; i < phase_of_step.size(); ++i) {
    if (phase_of_step[i] < 0) continue;
    for (int operand : program.steps()[i].operands) {
      const int value = alias_[operand];
      if (value >= num_inputs_) {
        if (phase_of_step[value - num_inputs_] != phase_of_step[i]) {
          (*leaves)[value] = true;
        }
      } else if (reader[value] >= 0 && reader[value] != phase_of_step[i]) {
        (*shared)[value] = true;
      } else {
        reader[value] = phase_of_step[i];
      }
    }
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
