// SPDX-License-Identifier: Apache-2.0
// How long freed memory is kept for reuse.
//
// cpu_allocator() keeps large blocks that were freed, so that the next step
// finds its memory in place (allocator.cc).  Whoever runs steps says so; when
// the last one is done, all but 128 MiB of it go back to the system, and no
// more than that is kept of what is freed afterwards.  While there are steps, a
// block that nobody took for a minute goes back, too, once others are freed.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_

#include <cstddef>
#include <cstdint>

namespace tensorwright {

// As long as one exists there will be steps.  Before the first one there may be
// some, too.  Threads: any.
class FreedMemoryReuse {
 public:
  FreedMemoryReuse();
  ~FreedMemoryReuse();
  FreedMemoryReuse(const FreedMemoryReuse&) = delete;
  FreedMemoryReuse& operator=(const FreedMemoryReuse&) = delete;
};

// Bytes of freed blocks that cpu_allocator() keeps.
size_t FreedMemoryKept();

// For tests: what tells the time by which a minute is over.
void SetFreedMemoryClock(int64_t (*seconds)());

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_REUSE_H_
