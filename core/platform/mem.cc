// SPDX-License-Identifier: Apache-2.0
// Aligned memory from the C library.
#include "core/platform/mem.h"

#include <malloc.h>
#include <sys/sysinfo.h>

#include <cstdlib>
#include <limits>

namespace tensorwright {
namespace port {

void* AlignedMalloc(size_t size, int minimum_alignment) {
  const size_t alignment = minimum_alignment < static_cast<int>(sizeof(void*))
                               ? sizeof(void*)
                               : minimum_alignment;
  void* p = nullptr;
  return posix_memalign(&p, alignment, size) == 0 ? p : nullptr;
}

void AlignedFree(void* aligned_memory) { std::free(aligned_memory); }
void* Malloc(size_t size) { return std::malloc(size); }
void* Realloc(void* ptr, size_t size) { return std::realloc(ptr, size); }
void Free(void* ptr) { std::free(ptr); }

size_t AllocatedSize(const void* ptr) {
  return malloc_usable_size(const_cast<void*>(ptr));
}

int64_t AvailableRam() {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(info.freeram) * info.mem_unit;
}

}  // namespace port
}  // namespace tensorwright
