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

// Used by one thread for a range of tiles.  Its registers are buffers of that
// thread.
class TileRunner {
 public:
  // memory[v] is the buffer of value v, for each value that the phase reads or
  // writes.
  TileRunner(const FusedSchedule::Phase& phase, absl::Span<char* const> memory);

  // Runs all instructions on the elements begin to begin + n - 1.  Returns the
  // step that failed on one of them, or -1.
  int Run(int64_t begin, int64_t n);

  // The position of a slot's tile after Run.
  const char* At(int slot) const { return slots_[slot].at; }

 private:
  struct Slot {
    char* base = nullptr;
    char* buffer = nullptr;  // For a source whose elements must be gathered.
    char* at = nullptr;      // The position of the tile's first element.
    int step = 1;
    int size = 0;
    // For a source whose runs are all the same: how many elements `buffer`
    // holds, and the position in a run of the first one.
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

// Computes the reductions of a phase from its tiles.  The results do not depend
// on how threads share the tiles.
class PhaseReducer {
 public:
  // memory[v] is the buffer of value v, the result of a reduction.
  PhaseReducer(const FusedSchedule::Phase& phase,
               absl::Span<char* const> memory);

  // Takes a tile that `runner` has just run.  Many threads call it, once for
  // each tile.
  void AddTile(const TileRunner& runner, int64_t index);
  // Call it after the last AddTile.
  void Finish();

 private:
  char* Partial(size_t reduction, int64_t tile);

  const FusedSchedule::Phase& phase_;
  const absl::Span<char* const> memory_;
  // Used if rows are longer than tiles: for each reduction an array with one
  // partial result for each tile.
  absl::InlinedVector<std::vector<char>, 1> partials_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_TILES_H_
