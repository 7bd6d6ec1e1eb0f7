// SPDX-License-Identifier: Apache-2.0
// The allocators that tensors get their memory from.
//
// An Allocator gives out raw memory of one kind: the host's, or a device's.
// Lack of memory is a null pointer, which callers turn into ResourceExhausted;
// nothing here throws or ends the process.  A device chooses among its
// allocators by AllocatorAttributes.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#if __cplusplus >= 201703L
#include <optional>
#endif

namespace tensorwright {

// How an allocation may be made: TensorFlow's hints. The allocators of this
// library never retry and log nothing, so they ignore both.
struct AllocationAttributes {
  AllocationAttributes() = default;
  bool no_retry_on_failure = false;
  bool allocation_will_be_logged = false;
};

// Counts since the allocator was made or its statistics were cleared.  Sizes in
// bytes, as they were given out: rounded up, so a little more than was asked
// for.
struct AllocatorStats {
  // Allocations that succeeded.
  int64_t num_allocs = 0;
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_size = 0;
  // The most that bytes_in_use may reach; 0: no limit.
  int64_t bytes_limit = 0;

  // One line for each number, for logs.
  std::string DebugString() const;
};

// Thread-safe: memory may be given back by another thread than asked for it.
// Owned by its device and alive for as long as any of its memory.
class Allocator {
 public:
  // In bytes. Vector units and Eigen's maps ask for this alignment.
  static constexpr size_t kAllocatorAlignment = 64;

  virtual ~Allocator() = default;

  // For messages; need not be unique.
  virtual std::string Name() = 0;

  // Memory of `num_bytes` aligned to `alignment` bytes, a power of two; nullptr
  // if there is not enough, or a limit would be exceeded.  Not initialized.
  // The caller gives it back with DeallocateRaw of the same allocator.  The
  // form with attributes is the same unless a subclass says otherwise.
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes) = 0;
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes,
                            const AllocationAttributes&) {
    return AllocateRaw(alignment, num_bytes);
  }
  // Gives back what AllocateRaw returned; nullptr is allowed.
  virtual void DeallocateRaw(void* ptr) = 0;

  // The memory can be read and written by the CPU.
  virtual bool IsHostMemory() const { return true; }

  // Does the allocator remember the size of each piece it gave out?
  virtual bool TracksAllocationSizes() const { return false; }
  // How many bytes the caller asked for, and how many were allocated, for
  // memory that is still in use.  An allocator that does not keep the first
  // number answers the second for both.  If TracksAllocationSizes() is false,
  // RequestedSize ends the process.
  virtual size_t RequestedSize(const void* ptr) const;
  virtual size_t AllocatedSize(const void* ptr) const {
    return RequestedSize(ptr);
  }

  // Fills *stats; false if there are no statistics.
  virtual bool ReadStats(AllocatorStats* /*stats*/) { return false; }
#if __cplusplus >= 201703L
  std::optional<AllocatorStats> GetStats() {
    AllocatorStats stats;
    if (!ReadStats(&stats)) return std::nullopt;
    return stats;
  }
#endif
  // Sets the peak to what is in use now, and the count and the largest
  // allocation to 0; false if there are no statistics.
  virtual bool ClearStats() { return false; }

  // `n` objects of type T, default-constructed unless T is plain bytes; nullptr
  // on overflow or lack of memory.  Given back by Deallocate with the same `n`,
  // which destroys them; null is allowed.  Host memory only.
  template <typename T>
  T* Allocate(size_t n) {
    if (n > std::numeric_limits<size_t>::max() / sizeof(T)) return nullptr;
    void* p = AllocateRaw(kAllocatorAlignment, n * sizeof(T));
    if (p == nullptr) return nullptr;
    T* t = static_cast<T*>(p);
    if constexpr (!std::is_trivially_default_constructible<T>::value) {
      for (size_t i = 0; i < n; ++i) ::new (static_cast<void*>(t + i)) T;
    }
    return t;
  }
  template <typename T>
  void Deallocate(T* ptr, size_t n) {
    if (ptr == nullptr) return;
    if constexpr (!std::is_trivially_destructible<T>::value) {
      for (size_t i = 0; i < n; ++i) ptr[i].~T();
    }
    DeallocateRaw(ptr);
  }
};

// Chooses one of a device's allocators, by packed bits; kernels pass them to
// allocate_temp and the like.  Without any bit it means the device's own
// memory.  A value.
struct AllocatorAttributes {
  // Memory that the CPU reads and writes.  The two after it: memory that a
  // network card, or a GPU, copies to and from fast.  Bits are only added:
  // setting false changes nothing.
  void set_on_host(bool v) { value |= static_cast<uint32_t>(v); }
  bool on_host() const { return value & 1; }
  void set_nic_compatible(bool v) { value |= static_cast<uint32_t>(v) << 1; }
  bool nic_compatible() const { return value & 2; }
  void set_gpu_compatible(bool v) { value |= static_cast<uint32_t>(v) << 2; }
  bool gpu_compatible() const { return value & 4; }

  void Merge(AllocatorAttributes other) { value |= other.value; }
  // Would memory made for `other` do for this? True if each bit here is set
  // there, too.
  bool IsEqualOrLessRestrictiveThan(const AllocatorAttributes& other) const {
    return (value | other.value) == other.value;
  }

  uint32_t value = 0;
};

// The host memory of the process; never null, never destroyed.  Its limit is
// what the machine or the process's control group has (memory_limit.h).
Allocator* cpu_allocator();

// Host memory with its own counts and, if `bytes_limit` > 0, its own limit: one
// for each CPU device after the first.  The limit is tested before an
// allocation without a lock, so threads that allocate at the same time may
// exceed it by what they ask for.  Freed large blocks are kept for reuse; they
// do not count as in use.
std::unique_ptr<Allocator> MakeCpuAllocator(std::string name,
                                            int64_t bytes_limit = 0);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ALLOCATOR_H_
