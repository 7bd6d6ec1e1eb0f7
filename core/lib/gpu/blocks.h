// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's blocks on the CPU, for the stand-in: what CUDA's words mean
// there.
//
// The threads of a block are fibers of one OS thread.  A thread that meets no
// barrier costs a call; one that does is put aside until the others have come.
// To show what a kernel relies on by mistake,
//   - the order of blocks and threads differs from launch to launch: forward,
//     backward, shuffled;
//   - shared memory is full of the byte 0xa5 when a block begins, and so is
//     what a shuffle reads from a lane outside its mask;
//   - a barrier that not all threads reach is an error that names the kernel.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_BLOCKS_H_
#define TENSORWRIGHT_CORE_LIB_GPU_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/lib/core/status.h"

// CUDA's type of sizes and places in three dimensions.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)  // NOLINT
      : x(x), y(y), z(z) {}
};

namespace tensorwright {
namespace gpu {
namespace emulation {

// The place of the running thread; the thread's own while it runs.
struct Place {
  dim3 thread, block, threads, blocks;
};
const Place& Here();

// The number of the running thread in its warp.
int Lane();

enum class Meeting { kBarrier, kCount, kBallot, kShuffle };

// Waits for all threads of the block.  Returns, for kCount, how many of them
// passed a `value` that is not 0.
uint64_t MeetBlock(Meeting meeting, uint64_t value);

// Waits for the lanes in `mask` of the warp.  Returns, for kBallot, the bits of
// the lanes whose `value` is not 0; for kShuffle, the value of lane `source`.
uint64_t MeetWarp(Meeting meeting, unsigned mask, uint64_t value, int source);

// The shared variable that `key` names in this block, aligned for all types.
void* SharedVariable(const void* key, size_t bytes);
void* DynamicSharedMemory();

// Runs body() for every thread of every block, in the calling OS thread.
// Internal, naming `kernel`, if threads wait for others that do not come; the
// blocks after that do not run.  At most 1,024 threads a block.
Status RunBlocks(const std::string& kernel, dim3 blocks, dim3 threads,
                 size_t shared_bytes, const std::function<void()>& body);

}  // namespace emulation
}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_BLOCKS_H_
