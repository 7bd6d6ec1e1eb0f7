// SPDX-License-Identifier: Apache-2.0
// TileRunner: runs the code of a phase on tiles.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_TILES_H_
#define TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_TILES_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"

namespace tensorwright {

// For one thread and one stretch of tiles; its registers are the thread's.
class TileRunner {
 public:
  // `memory`: by value, where it is: what comes into the phase or leaves it.
  TileRunner(const FusedSchedule::Phase& phase, absl::Span<char* const> memory);

  // Runs all code on the elements begin ... begin + n - 1.  The step that
  // failed on one of them, or -1.
  int Run(int64_t begin, int64_t n);

  // Where Run left the tile of a slot.
  const char* At(int slot) const { return slots_[slot].at; }

 private:
  struct Slot {
    char* base = nullptr;
    char* buffer = nullptr;  // Of a source whose elements must be gathered.
    char* at = nullptr;      // Of the tile's first element.
    int step = 1;
    int size = 0;
    // What `buffer` holds, of a source whose runs are all the same: so many
    // elements, from that place in a run.
    int64_t filled = 0;
    int64_t offset = -1;
  };

  static void Locate(const FusedSchedule::Source& source, int64_t begin,
                     int64_t n, Slot* slot);

  void RunChain(const FusedSchedule::Instruction& instruction, char* result,
                int64_t n) const;

  const FusedSchedule::Phase& phase_;
  absl::InlinedVector<Slot, 24> slots_;
};

// What the reductions of a phase make of its tiles.  Their results do not
// depend on how tiles are shared out among threads.
class PhaseReducer {
 public:
  // `memory`: where results go, by value.
  PhaseReducer(const FusedSchedule::Phase& phase,
               absl::Span<char* const> memory);

  // A tile that `runner` has just run.  Called by many threads, once a tile.
  void AddTile(const TileRunner& runner, int64_t index);
  // When all tiles are there.
  void Finish();

 private:
  char* Partial(size_t reduction, int64_t tile);

  const FusedSchedule::Phase& phase_;
  const absl::Span<char* const> memory_;
  // By reduction, an element a tile, where rows are longer than tiles.
  absl::InlinedVector<std::vector<char>, 1> partials_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_TILES_H_
