// SPDX-License-Identifier: Apache-2.0
// Host memory: counted, limited if wanted, with a small store of large blocks.
#include "core/framework/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/platform/logging.h"
#include "core/platform/mem.h"
#include "core/platform/memory_limit.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

// The C library gives a large block back to the system and maps a new one for
// the next; each page then costs a fault, more than many kernels' work on it.
// So large blocks are kept for reuse, up to a limit: together with what is in
// use, as much as was once in use together, which the next training step will
// want again, and kSlack, as it may want it in other sizes.
class LargeBlockStore {
 public:
  static constexpr size_t kMinBytes = size_t{128} << 10;
  static constexpr size_t kSlack = size_t{128} << 20;

  ~LargeBlockStore() {
    for (auto& [size, blocks] : blocks_) {
      for (const Stored& block : blocks) port::AlignedFree(block.p);
    }
  }

  // Sizes share a block if they round to the same: eight steps between powers
  // of two.
  static size_t RoundUp(size_t bytes) {
    const size_t step = std::bit_floor(bytes) / 8;
    return (bytes + step - 1) / step * step;
  }

  void* Take(size_t rounded) {
    mutex_lock l(mu_);
    const auto it = blocks_.find(rounded);
    if (it == blocks_.end() || it->second.empty()) return nullptr;
    void* p = it->second.back().p;
    it->second.pop_back();
    stored_ -= rounded;
    return p;
  }

  // False if the block is too large.  Where it does not fit, those that nobody
  // has taken for the longest time go.
  bool Put(void* p, size_t usable, size_t unused_of_peak) {
    const size_t limit = unused_of_peak + kSlack;
    const size_t step = std::bit_floor(usable) / 8;
    const size_t rounded = usable / step * step;
    if (rounded > limit) return false;
    DropUntil(limit - rounded);
    mutex_lock l(mu_);
    blocks_[rounded].push_back({p, ++clock_});
    stored_ += rounded;
    return true;
  }

  // Gives back what is beyond the limit.
  void Trim(size_t unused_of_peak) { DropUntil(unused_of_peak + kSlack); }

 private:
  struct Stored {
    void* p;
    uint64_t time;
  };

  void DropUntil(size_t at_most) {
    std::vector<void*> dropped;
    {
      mutex_lock l(mu_);
      while (stored_ > at_most) dropped.push_back(DropOldest());
    }
    for (void* old : dropped) port::AlignedFree(old);
  }

  // The store is not empty.  Blocks of one size are in the order of their
  // times.
  void* DropOldest() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    auto oldest = blocks_.end();
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it) {
      if (it->second.empty()) continue;
      if (oldest == blocks_.end() ||
          it->second.front().time < oldest->second.front().time) {
        oldest = it;
      }
    }
    void* p = oldest->second.front().p;
    oldest->second.erase(oldest->second.begin());
    stored_ -= oldest->first;
    return p;
  }

  mutex mu_;
  absl::flat_hash_map<size_t, std::vector<Stored>> blocks_ TF_GUARDED_BY(mu_);
  size_t stored_ TF_GUARDED_BY(mu_) = 0;
  uint64_t clock_ TF_GUARDED_BY(mu_) = 0;
};

// posix_memalign takes ten times as long as malloc, which is most of what a
// cheap op costs, so each thread keeps a few free blocks of every small size.
// A block may be freed by another thread than took it.
class SmallBlockCache {
 public:
  static constexpr size_t kMaxBytes = 1024;

  // A block of at least `bytes` (1 to kMaxBytes), aligned as all are; nullptr
  // if none is kept.
  static void* Take(size_t bytes) {
    List& list = lists_[ClassOf(bytes + kStep - 1)];
    Block* block = list.first;
    if (block == nullptr) return nullptr;
    list.first = block->next;
    --list.count;
    return block;
  }

  // False if the block is too large or was asked for as empty, or there are
  // enough of its size.
  static bool Put(void* p, size_t usable) {
    if (usable < kStep || usable >= kMaxBytes + kStep) return false;
    List& list = lists_[ClassOf(usable)];
    if (list.count >= kMaxBlocks || closed_) return false;
    // Made at a thread's first use; its destructor gives the blocks back.
    static thread_local Drain drain;
    (void)drain;
    list.first = new (p) Block{list.first};
    ++list.count;
    return true;
  }

  // What to ask the system for, so that blocks of one class are alike.
  static size_t RoundUp(size_t bytes) {
    return (bytes + kStep - 1) / kStep * kStep;
  }

 private:
  static constexpr size_t kStep = Allocator::kAllocatorAlignment;
  // Under AddressSanitizer freed memory must not be kept from it.
#ifdef __SANITIZE_ADDRESS__
  static constexpr int kMaxBlocks = 0;
#else
  static constexpr int kMaxBlocks = 32;
#endif

  struct Block {
    Block* next;
  };
  struct List {
    Block* first;
    int count;
  };
  struct Drain {
    ~Drain() {
      closed_ = true;
      for (List& list : lists_) {
        while (list.first != nullptr) {
          port::AlignedFree(std::exchange(list.first, list.first->next));
        }
      }
    }
  };

  static size_t ClassOf(size_t bytes) { return bytes / kStep; }

  static thread_local constinit List lists_[kMaxBytes / kStep + 1];
  static thread_local constinit bool closed_;  // The thread is ending.
};

thread_local constinit SmallBlockCache::List
    SmallBlockCache::lists_[SmallBlockCache::kMaxBytes / kStep + 1] = {};
thread_local constinit bool SmallBlockCache::closed_ = false;

void RaiseTo(std::atomic<int64_t>* maximum, int64_t value) {
  int64_t seen = maximum->load(std::memory_order_relaxed);
  while (seen < value && !maximum->compare_exchange_weak(
                             seen, value, std::memory_order_relaxed)) {
  }
}

// Large tensors are walked from end to end, and an entry for each 4 KiB of them
// is more than the processor keeps.
void AskForHugePages(void* p, size_t bytes) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  const uintptr_t at = reinterpret_cast<uintptr_t>(p);
  const uintptr_t begin = (at + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (at + bytes) / kHugePage * kHugePage;
  // Advice: where it is not taken, pages are small.
  if (begin < end) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
}

class CpuAllocator final : public Allocator {
 public:
  CpuAllocator(std::string name, int64_t bytes_limit)
      : name_(std::move(name)), limit_(std::max<int64_t>(0, bytes_limit)) {}

  std::string Name() override { return name_; }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    if (limit_ > 0 &&
        num_bytes > static_cast<size_t>(std::max<int64_t>(
                        0, limit_ - in_use_.load(std::memory_order_relaxed)))) {
      return nullptr;
    }
    void* p = nullptr;
    if (num_bytes <= SmallBlockCache::kMaxBytes && num_bytes > 0 &&
        alignment <= kAllocatorAlignment) {
      p = SmallBlockCache::Take(num_bytes);
      if (p == nullptr) {
        p = port::AlignedMalloc(SmallBlockCache::RoundUp(num_bytes),
                                kAllocatorAlignment);
      }
    } else if (num_bytes < LargeBlockStore::kMinBytes ||
               alignment > kAllocatorAlignment) {
      p = port::AlignedMalloc(num_bytes, static_cast<int>(alignment));
    } else if (num_bytes <= size_t{1} << 62) {
      const size_t rounded = LargeBlockStore::RoundUp(num_bytes);
      p = store_.Take(rounded);
      if (p == nullptr) {
        store_.Trim(UnusedOfPeak(static_cast<int64_t>(rounded)));
        p = port::AlignedMalloc(rounded, kAllocatorAlignment);
        if (p != nullptr) AskForHugePages(p, rounded);
      }
    }
    if (p == nullptr) return nullptr;
    const int64_t size = static_cast<int64_t>(port::AllocatedSize(p));
    num_allocs_.fetch_add(1, std::memory_order_relaxed);
    RaiseTo(&peak_, in_use_.fetch_add(size, std::memory_order_relaxed) + size);
    RaiseTo(&largest_, size);
    return p;
  }

  void DeallocateRaw(void* p) override {
    if (p == nullptr) return;
    const size_t size = port::AllocatedSize(p);
    in_use_.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
    if (SmallBlockCache::Put(p, size)) return;
    if (size >= LargeBlockStore::kMinBytes &&
        store_.Put(p, size, UnusedOfPeak())) {
      return;
    }
    port::AlignedFree(p);
  }

  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* p) const override {
    return port::AllocatedSize(p);
  }

  bool ReadStats(AllocatorStats* stats) override {
    stats->num_allocs = num_allocs_.load(std::memory_order_relaxed);
    stats->bytes_in_use = in_use_.load(std::memory_order_relaxed);
    stats->peak_bytes_in_use = peak_.load(std::memory_order_relaxed);
    stats->largest_alloc_size = largest_.load(std::memory_order_relaxed);
    stats->bytes_limit = limit_;
    return true;
  }

  bool ClearStats() override {
    num_allocs_ = 0;
    peak_ = in_use_.load();
    largest_ = 0;
    return true;
  }

 private:
  // Bytes that were in use at the peak and, with `more` in use, are not now.
  size_t UnusedOfPeak(int64_t more = 0) const {
    return static_cast<size_t>(std::max<int64_t>(
        0, peak_.load(std::memory_order_relaxed) -
               in_use_.load(std::memory_order_relaxed) - more));
  }

  const std::string name_;
  const int64_t limit_;
  LargeBlockStore store_;
  std::atomic<int64_t> num_allocs_{0}, in_use_{0}, peak_{0}, largest_{0};
};

}  // namespace

std::string AllocatorStats::DebugString() const {
  return absl::StrCat("Limit: ", bytes_limit, "\nInUse: ", bytes_in_use,
                      "\nMaxInUse: ", peak_bytes_in_use,
                      "\nNumAllocs: ", num_allocs,
                      "\nMaxAllocSize: ", largest_alloc_size, "\n");
}

size_t Allocator::RequestedSize(const void*) const {
  LOG(FATAL) << "this allocator does not track sizes";
  return 0;
}

Allocator* cpu_allocator() {
  // More than the machine has would end the process when it is written to.
  static Allocator* const allocator =
      new CpuAllocator("cpu", port::MemoryLimit());
  return allocator;
}

std::unique_ptr<Allocator> MakeCpuAllocator(std::string name,
                                            int64_t bytes_limit) {
  return std::make_unique<CpuAllocator>(std::move(name), bytes_limit);
}

}  // namespace tensorwright
