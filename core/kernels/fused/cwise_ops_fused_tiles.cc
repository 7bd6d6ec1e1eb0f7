// SPDX-License-Identifier: Apache-2.0
// TileRunner.

#include "core/kernels/fused/cwise_ops_fused_tiles.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace tensorwright {
namespace {

constexpr int64_t kAlignment = 64;

int64_t RoundUp(int64_t n) {
  return (n + kAlignment - 1) / kAlignment * kAlignment;
}

// Registers of this thread.
char* ThreadScratch(int64_t bytes) {
  struct Buffer {
    std::unique_ptr<char[]> memory;
    int64_t size = 0;
  };
  static thread_local Buffer buffer;
  if (buffer.size < bytes + kAlignment) {
    buffer.size = bytes + kAlignment;
    buffer.memory = std::make_unique<char[]>(buffer.size);
  }
  const uintptr_t at = reinterpret_cast<uintptr_t>(buffer.memory.get());
  return reinterpret_cast<char*>(RoundUp(static_cast<int64_t>(at)));
}

template <typename Bits>
void FillWith(const char* from, int64_t count, char* to) {
  Bits value;
  std::memcpy(&value, from, sizeof(value));
  std::fill_n(reinterpret_cast<Bits*>(to), count, value);
}

// Writes `count` elements, or one of them `count` times.
void Fill(const char* from, int step, int size, int64_t count, char* to) {
  if (step == 1) {
    std::memcpy(to, from, count * size);
  } else if (size == 4) {
    FillWith<uint32_t>(from, count, to);
  } else if (size == 8) {
    FillWith<uint64_t>(from, count, to);
  } else if (size == 1) {
    std::memset(to, *from, count);
  } else {
    FillWith<uint16_t>(from, count, to);
  }
}
}  // namespace

TileRunner::TileRunner(const FusedSchedule::Phase& phase,
                       absl::Span<char* const> memory)
    : phase_(phase),
      slots_(phase.sources.size() + phase.sinks.size() +
             phase.register_sizes.size()) {
  const int64_t longest =
      phase.tiles_per_row > 0 ? std::min(phase.tile, phase.row) : phase.tile;
  const int64_t most = std::min(longest, phase.elements);
  int64_t bytes = 0;
  for (const auto& source : phase.sources) {
    if (source.access == FusedSchedule::Source::Access::kRuns) {
      bytes += RoundUp(most * source.element_size);
    }
  }
  for (int size : phase.register_sizes) bytes += RoundUp(most * size);
  char* scratch = ThreadScratch(bytes);
  const auto take = [&](int element_size) {
    char* taken = scratch;
    scratch += RoundUp(most * element_size);
    return taken;
  };
  int slot = 0;
  for (const auto& source : phase.sources) {
    Slot& s = slots_[slot++];
    s.base = memory[source.value];
    s.size = source.element_size;
    if (source.access == FusedSchedule::Source::Access::kRuns) {
      s.buffer = take(source.element_size);
    }
    if (source.access == FusedSchedule::Source::Access::kScalar) {
      s.at = s.base;
      s.step = 0;
    }
  }
  for (const auto& sink : phase.sinks) {
    Slot& s = slots_[slot++];
    s.base = memory[sink.value];
    s.size = sink.element_size;
  }
  for (int size : phase.register_sizes) slots_[slot++].at = take(size);
}

int TileRunner::Run(int64_t begin, int64_t n) {
  for (size_t i = 0; i < phase_.sources.size(); ++i) {
    Locate(phase_.sources[i], begin, n, &slots_[i]);
  }
  for (size_t i = 0; i < phase_.sinks.size(); ++i) {
    Slot& s = slots_[phase_.sources.size() + i];
    s.at = s.base + begin * s.size;
  }
  for (const FusedSchedule::Instruction& instruction : phase_.code) {
    const FusedLoop& loop = *instruction.loop;
    const Slot& a = slots_[instruction.operands[0]];
    char* result = slots_[instruction.result].at;
    if (!instruction.links.empty()) {
      RunChain(instruction, result, n);
    } else if (loop.binary != nullptr) {
      const Slot& b = slots_[instruction.operands[1]];
      if (!loop.binary(a.at, b.at, result, n, a.step, b.step)) {
        return instruction.step;
      }
    } else if (loop.unary != nullptr) {
      loop.unary(a.at, result, n);
    } else if (loop.select != nullptr) {
      loop.select(a.at, slots_[instruction.operands[1]].at,
                  slots_[instruction.operands[2]].at, result, n, a.step);
    } else if (result != a.at) {
      std::memcpy(result, a.at, n * loop.result_size);
    }
  }
  return -1;
}

void TileRunner::RunChain(const FusedSchedule::Instruction& instruction,
                          char* result, int64_t n) const {
  FusedLink links[kMaxFusedLinks];
  int count = 0;
  for (const FusedSchedule::Link& link : instruction.links) {
    FusedLink& to = links[count++];
    to.op = link.op;
    for (int i = 0; i < 2; ++i) {
      if (link.operands[i] < 0) continue;
      to.operands[i] = slots_[link.operands[i]].at;
      to.steps[i] = slots_[link.operands[i]].step;
    }
  }
  RunFusedChain(instruction.loop->result_size,
                slots_[instruction.operands[0]].at,
                absl::MakeConstSpan(links, count), result, n);
}

void TileRunner::Locate(const FusedSchedule::Source& source, int64_t begin,
                        int64_t n, Slot* slot) {
  if (source.access == FusedSchedule::Source::Access::kScalar) return;
  if (source.access == FusedSchedule::Source::Access::kDirect) {
    slot->at = slot->base + begin * slot->size;
    return;
  }
  const int64_t run = source.run;
  int64_t r = begin / run, offset = begin % run;
  const auto element = [&] {
    return slot->base +
           (source.RunStart(r) + offset * source.run_step) * slot->size;
  };
  if (offset + n <= run) {
    slot->at = element();
    slot->step = source.run_step;
    return;
  }
  slot->at = slot->buffer;
  slot->step = 1;
  if (source.periodic && slot->offset == offset && slot->filled >= n) return;
  slot->offset = offset;
  slot->filled = n;
  char* to = slot->buffer;
  for (int64_t left = n; left > 0; ++r, offset = 0) {
    const int64_t count = std::min(run - offset, left);
    Fill(element(), source.run_step, slot->size, count, to);
    to += count * slot->size;
    left -= count;
  }
}

namespace {

void Divide(char* x, int size, double by) {
  if (size == 4) {
    *reinterpret_cast<float*>(x) /= static_cast<float>(by);
  } else {
    *reinterpret_cast<double*>(x) /= by;
  }
}

void Store(double value, char* x, int size) {
  if (size == 4) {
    *reinterpret_cast<float*>(x) = static_cast<float>(value);
  } else {
    *reinterpret_cast<double*>(x) = value;
  }
}

}  // namespace

PhaseReducer::PhaseReducer(const FusedSchedule::Phase& phase,
                           absl::Span<char* const> memory)
    : phase_(phase), memory_(memory) {
  if (phase.tiles_per_row == 0) return;
  for (const FusedSchedule::Reduction& r : phase.reductions) {
    partials_.emplace_back(phase.num_tiles() * r.loop->result_size);
  }
}

char* PhaseReducer::Partial(size_t reduction, int64_t tile) {
  return partials_[reduction].data() +
         tile * phase_.reductions[reduction].loop->result_size;
}

void PhaseReducer::AddTile(const TileRunner& runner, int64_t index) {
  const auto [first, last] = phase_.Tile(index);
  for (size_t i = 0; i < phase_.reductions.size(); ++i) {
    const FusedSchedule::Reduction& r = phase_.reductions[i];
    const int size = r.loop->result_size;
    const char* at = runner.At(r.slot);
    if (phase_.tiles_per_row > 0) {
      r.loop->reduce(at, last - first, Partial(i, index));
      continue;
    }
    char* result = memory_[r.value] + first / r.cols * size;
    for (int64_t e = first; e < last; e += r.cols) {
      r.loop->reduce(at, r.cols, result);
      if (r.loop->is_mean) Divide(result, size, r.cols);
      at += r.cols * size;
      result += size;
    }
  }
}

void PhaseReducer::Finish() {
  for (size_t i = 0; i < phase_.reductions.size(); ++i) {
    const FusedSchedule::Reduction& r = phase_.reductions[i];
    const int size = r.loop->result_size;
    for (int64_t row = 0; row < r.rows; ++row) {
      char* result = memory_[r.value] + row * size;
      if (phase_.elements == 0) {
        Store(r.loop->of_nothing, result, size);
      } else if (phase_.tiles_per_row > 0) {
        r.loop->reduce(Partial(i, row * phase_.tiles_per_row),
                       phase_.tiles_per_row, result);
        if (r.loop->is_mean) Divide(result, size, r.cols);
      }
    }
  }
}

}  // namespace tensorwright
