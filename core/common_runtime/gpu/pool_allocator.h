// SPDX-License-Identifier: Apache-2.0
// PoolAllocator: hands out pieces of large slabs, which it gets from a driver.
//
// Memory of a device is ordered by the compute stream: a piece that is given
// back may still be used by work that was enqueued before, and is handed out at
// once; whoever uses it from another stream first waits for an event that was
// recorded in the compute stream after the allocation.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_POOL_ALLOCATOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_POOL_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "core/framework/allocator.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Thread safe; lives as long as the process, because tensors outlive sessions.
class PoolAllocator final : public Allocator {
 public:
  struct Options {
    std::string name;
    bool is_host = false;
    // The most that slabs may be together.
    size_t limit = 0;
    // Slabs double from a few MiB on; else the first one takes the limit.
    bool grows = true;
    std::function<Status(size_t bytes, void** memory)> allocate;
    std::function<void(void* memory)> release;
  };
  explicit PoolAllocator(Options options) : options_(std::move(options)) {}

  // For errors: if this thread's last allocation failed, followed once by
  // DescribeUse.
  std::string Name() override;
  bool IsHostMemory() const override { return options_.is_host; }
  using Allocator::AllocateRaw;
  void* AllocateRaw(size_t alignment, size_t num_bytes) override;
  void DeallocateRaw(void* ptr) override;
  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* ptr) const override;
  size_t AllocatedSize(const void* ptr) const override;
  bool ReadStats(AllocatorStats* stats) override;
  bool ClearStats() override;
  // The largest pieces in use, with the ops that asked for them.
  std::string DescribeUse();

 private:
  struct Piece {
    size_t bytes = 0;
    size_t requested = 0;
    int slab = 0;
    bool is_free = true;
    std::string op;
  };
  using Pieces = std::map<char*, Piece>;

  void* Take(size_t num_bytes);
  // A free piece that is large enough, or end().
  Pieces::iterator Find(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Grow(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Gives the driver back what slabs have no piece in use.
  bool Shrink() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Pieces::iterator Join(Pieces::iterator piece)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  const Piece& PieceAt(const void* ptr) const ABSL_SHARED_LOCKS_REQUIRED(mu_);

  const Options options_;
  mutable absl::Mutex mu_;
  Pieces pieces_ ABSL_GUARDED_BY(mu_);
  std::set<std::pair<size_t, char*>> free_ ABSL_GUARDED_BY(mu_);
  std::map<int, std::pair<char*, size_t>> slabs_ ABSL_GUARDED_BY(mu_);
  int next_slab_ ABSL_GUARDED_BY(mu_) = 0;
  size_t slab_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  size_t next_slab_bytes_ ABSL_GUARDED_BY(mu_) = size_t{4} << 20;
  AllocatorStats stats_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_POOL_ALLOCATOR_H_
