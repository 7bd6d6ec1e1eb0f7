// SPDX-License-Identifier: Apache-2.0
// Host memory of those who run steps: how long freed memory is kept for reuse,
// and where tensors get theirs.
//
// cpu_allocator() keeps large blocks that were freed, so that the next step
// finds its memory in place (allocator.cc).  Code that runs steps holds a
// FreedMemoryReuse; when the last one is gone, all but 128 MiB of the blocks go
// back to the system, and later frees keep no more than that.  While there are
// steps, a block that nobody took for a minute goes back, too, once others are
// freed.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_

#include <cstddef>
#include <cstdint>

namespace tensorwright {

class Allocator;

// As long as one of these exists, more steps are expected; they are expected
// before the first one exists, too.  Threads: any.
class FreedMemoryReuse {
 public:
  FreedMemoryReuse();
  ~FreedMemoryReuse();
  FreedMemoryReuse(const FreedMemoryReuse&) = delete;
  FreedMemoryReuse& operator=(const FreedMemoryReuse&) = delete;
};

// Bytes of freed blocks that cpu_allocator() keeps.
size_t FreedMemoryKept();

// For tests: sets the clock by which the allocator tells that a minute is over.
void SetFreedMemoryClock(int64_t (*seconds)());

// While it lives, this thread's Tensor(dtype, shape), BuildTensor and the like
// take their memory from `allocator`, which is the host's and outlives both the
// scope and the tensors, instead of cpu_allocator().  Sessions with a limit of
// memory need it: datasets and queues make tensors without their context.
class TensorAllocatorScope {
 public:
  explicit TensorAllocatorScope(Allocator* allocator);
  ~TensorAllocatorScope();
  TensorAllocatorScope(const TensorAllocatorScope&) = delete;
  TensorAllocatorScope& operator=(const TensorAllocatorScope&) = delete;

  // Never null.
  static Allocator* Current();

 private:
  // Null: cpu_allocator().
  static thread_local Allocator* current_;

  Allocator* const outer_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_
