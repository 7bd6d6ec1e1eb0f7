// SPDX-License-Identifier: Apache-2.0
// Aligned memory from the system.
#ifndef TENSORWRIGHT_CORE_PLATFORM_MEM_H_
#define TENSORWRIGHT_CORE_PLATFORM_MEM_H_

#include <cstddef>
#include <cstdint>

namespace tensorwright {
namespace port {

// `minimum_alignment` is a power of two; nullptr if there is no memory.  Free
// with AlignedFree.
void* AlignedMalloc(size_t size, int minimum_alignment);
void AlignedFree(void* aligned_memory);
void* Malloc(size_t size);
void* Realloc(void* ptr, size_t size);
void Free(void* ptr);

// The number of bytes that the allocation really has.
size_t AllocatedSize(const void* ptr);

// Physical memory of the machine that is free, in bytes; INT64_MAX if unknown.
int64_t AvailableRam();

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_MEM_H_
