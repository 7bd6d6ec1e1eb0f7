// SPDX-License-Identifier: Apache-2.0
// Host memory: counted, limited if wanted, with a small store of large blocks.
#include "core/framework/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/allocator_reuse.h"
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
// want again, and kSlack, as it may want it in other sizes.  If no step is to
// come, the limit is kSlack alone.  A block that nobody has taken for
// kIdleSeconds goes: steps that take so long can fault memory in anew, at some
// gigabytes a second.
class LargeBlockStore {
 public:
  static constexpr size_t kMinBytes = size_t{128} << 10;
  static constexpr size_t kSlack = size_t{128} << 20;
  static constexpr int64_t kIdleSeconds = 60;

  ~LargeBlockStore() { DropAll(); }

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

  // False if the block is too large.  If it does not fit, the blocks that
  // nobody has taken for the longest time make room.
  bool Put(void* p, size_t usable, size_t unused_of_peak) {
    const size_t limit =
        kSlack + (shrunk_.load(std::memory_order_relaxed) ? 0 : unused_of_peak);
    const size_t step = std::bit_floor(usable) / 8;
    const size_t rounded = usable / step * step;
    if (rounded > limit) return false;
    DropUntil(limit - rounded);
    const int64_t now = now_.load(std::memory_order_relaxed)();
    bool sweeps = false;
    {
      mutex_lock l(mu_);
      blocks_[rounded].push_back({p, ++clock_, now});
      stored_ += rounded;
      sweeps = now != swept_;
      swept_ = now;
    }
    if (sweeps) DropIdle(now);
    return true;
  }

  // Frees the blocks that are beyond the limit.
  void Trim(size_t unused_of_peak) { DropUntil(unused_of_peak + kSlack); }

  // Keeps at most kSlack from now on; otherwise the peak counts as well.
  void Shrink() {
    shrunk_ = true;
    std::vector<Dropped> dropped;
    {
      mutex_lock l(mu_);
      while (stored_ > kSlack) dropped.push_back(DropOldest());
    }
    for (const Dropped& block : dropped) ReturnToSystem(block);
  }
  void Unshrink() { shrunk_ = false; }

  void set_clock(int64_t (*seconds)()) { now_ = seconds; }
  size_t stored() {
    mutex_lock l(mu_);
    return stored_;
  }

 private:
  struct Stored {
    void* p;
    uint64_t time;    // Counts blocks.
    int64_t seconds;  // The time at which it was stored.
  };
  struct Dropped {
    void* p;
    size_t bytes;
  };

  // Frees memory so that the process is smaller at once: the C library keeps
  // blocks of up to 32 MiB that do not end its heap.
  static void ReturnToSystem(const Dropped& block) {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t at = reinterpret_cast<uintptr_t>(block.p);
    const uintptr_t begin = (at + kPage - 1) / kPage * kPage;
    const uintptr_t end = (at + block.bytes) / kPage * kPage;
    // This is advice: if the system ignores it, the block is freed as usual.
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    port::AlignedFree(block.p);
  }

  void DropAll() {
    for (auto& [size, blocks] : blocks_) {
      for (const Stored& block : blocks) port::AlignedFree(block.p);
    }
  }

  static int64_t CoarseSeconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
  }

  void DropIdle(int64_t now) {
    std::vector<Dropped> dropped;
    {
      mutex_lock l(mu_);
      for (auto& [size, blocks] : blocks_) {
        const auto idle = std::find_if(
            blocks.begin(), blocks.end(), [now](const Stored& block) {
              return now - block.seconds < kIdleSeconds;
            });
        for (auto it = blocks.begin(); it != idle; ++it) {
          dropped.push_back({it->p, size});
          stored_ -= size;
        }
        blocks.erase(blocks.begin(), idle);
      }
    }
    for (const Dropped& block : dropped) ReturnToSystem(block);
  }

  void DropUntil(size_t at_most) {
    std::vector<void*> dropped;
    {
      mutex_lock l(mu_);
      while (stored_ > at_most) dropped.push_back(DropOldest().p);
    }
    for (void* old : dropped) port::AlignedFree(old);
  }

  // The store is not empty.  Blocks of one size are in the order of their
  // times.
  Dropped DropOldest() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    auto oldest = blocks_.end();
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it) {
      if (it->second.empty()) continue;
      if (oldest == blocks_.end() ||
          it->second.front().time < oldest->second.front().time) {
        oldest = it;
      }
    }
    const Dropped dropped{oldest->second.front().p, oldest->first};
    oldest->second.erase(oldest->second.begin());
    stored_ -= oldest->first;
    return dropped;
  }

  std::atomic<int64_t (*)()> now_{CoarseSeconds};
  mutex mu_;
  std::atomic<bool> shrunk_{false};
  int64_t swept_ TF_GUARDED_BY(mu_) = 0;  // The second of the last DropIdle.
  absl::flat_hash_map<size_t, std::vector<Stored>> blocks_ TF_GUARDED_BY(mu_);
  size_t stored_ TF_GUARDED_BY(mu_) = 0;
  uint64_t clock_ TF_GUARDED_BY(mu_) = 0;
};

// posix_memalign takes ten times as long as malloc, which is most of what a
// cheap op costs, so each thread keeps a few free blocks of every small size. A
// thread may free a block that another one took.
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

  // False if the block is too large or its caller asked for no bytes, or the
  // cache has enough of its size.
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

  // Rounds the size to ask the system for, so that blocks of one class are
  // alike.
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

// Kernels walk large tensors from end to end, and an entry for each 4 KiB of
// them is more than the processor keeps.
void AskForHugePages(void* p, size_t bytes) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  const uintptr_t at = reinterpret_cast<uintptr_t>(p);
  const uintptr_t begin = (at + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (at + bytes) / kHugePage * kHugePage;
  // This is advice: if the system ignores it, pages are small.
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

  LargeBlockStore* store() { return &store_; }

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
  // The bytes that were in use at the peak and would not be now, with `more` in
  // use as well.
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

namespace {

CpuAllocator* ProcessAllocator() {
  // The limit is the machine's memory: a process that writes to more would be
  // ended.
  static CpuAllocator* const allocator =
      new CpuAllocator("cpu", port::MemoryLimit());
  return allocator;
}

struct Reuses {
  mutex mu;
  int count TF_GUARDED_BY(mu) = 0;
};

// Never destroyed: sessions may be closed as the process ends.
Reuses* GlobalReuses() {
  static Reuses* const reuses = new Reuses;
  return reuses;
}

}  // namespace

Allocator* cpu_allocator() { return ProcessAllocator(); }

FreedMemoryReuse::FreedMemoryReuse() {
  Reuses* const reuses = GlobalReuses();
  mutex_lock l(reuses->mu);
  if (++reuses->count == 1) ProcessAllocator()->store()->Unshrink();
}

FreedMemoryReuse::~FreedMemoryReuse() {
  Reuses* const reuses = GlobalReuses();
  mutex_lock l(reuses->mu);
  if (--reuses->count == 0) ProcessAllocator()->store()->Shrink();
}

void SetFreedMemoryClock(int64_t (*seconds)()) {
  ProcessAllocator()->store()->set_clock(seconds);
}

size_t FreedMemoryKept() { return ProcessAllocator()->store()->stored(); }

std::unique_ptr<Allocator> MakeCpuAllocator(std::string name,
                                            int64_t bytes_limit) {
  return std::make_unique<CpuAllocator>(std::move(name), bytes_limit);
}

}  // namespace tensorwright
