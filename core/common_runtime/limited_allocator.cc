// SPDX-License-Identifier: Apache-2.0
// NewLimitedAllocator.
#include "core/common_runtime/limited_allocator.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/memory_in_use.h"

namespace tensorwright {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Pieces of this part of all memory, and larger ones, are noted with their ops.
constexpr int64_t kNotedPart = 4096;

// The allocator that had no memory left for this thread the last time.
thread_local const Allocator* failed = nullptr;

int64_t LimitOf(int64_t limit) { return limit > 0 ? limit : kNoLimit; }

class LimitedAllocator final : public Allocator {
 public:
  LimitedAllocator(Allocator* inner, std::string name, int64_t max_piece,
                   int64_t max_total)
      : inner_(inner),
        name_(std::move(name)),
        max_piece_(LimitOf(max_piece)),
        max_total_(LimitOf(max_total)) {}

  std::string Name() override {
    if (failed != this) return name_;
    failed = nullptr;
    return absl::StrCat(name_, ". ", DescribeUse());
  }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    failed = nullptr;
    if (num_bytes > static_cast<size_t>(max_piece_)) return nullptr;
    const int64_t wanted = static_cast<int64_t>(num_bytes);
    if (!Take(wanted)) {
      failed = this;
      return nullptr;
    }
    void* const p = inner_->AllocateRaw(alignment, num_bytes);
    if (p == nullptr) {
      in_use_.fetch_sub(wanted, std::memory_order_relaxed);
      return nullptr;
    }
    // DeallocateRaw counts the size that the inner allocator has rounded.
    in_use_.fetch_add(SizeOf(p) - wanted, std::memory_order_relaxed);
    uses_.fetch_add(1, std::memory_order_relaxed);
    if (IsNoted(SizeOf(p))) {
      absl::MutexLock lock(&mu_);
      noted_[p] = {num_bytes, AllocatingOp::Label()};
    }
    return p;
  }

  void DeallocateRaw(void* p) override {
    if (p == nullptr) return;
    if (IsNoted(SizeOf(p))) {
      absl::MutexLock lock(&mu_);
      noted_.erase(p);
    }
    in_use_.fetch_sub(SizeOf(p), std::memory_order_relaxed);
    inner_->DeallocateRaw(p);
    Release();
  }

  bool IsHostMemory() const override { return inner_->IsHostMemory(); }
  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* p) const override {
    return inner_->RequestedSize(p);
  }
  size_t AllocatedSize(const void* p) const override {
    return inner_->AllocatedSize(p);
  }
  bool ReadStats(AllocatorStats* stats) override {
    if (!inner_->ReadStats(stats)) return false;
    stats->bytes_in_use = in_use_.load(std::memory_order_relaxed);
    stats->bytes_limit = max_total_ == kNoLimit ? 0 : max_total_;
    return true;
  }

  // Gives up a use: that of its owner, or of a piece of memory.
  void Release() {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~LimitedAllocator() override = default;

  bool Take(int64_t bytes) {
    int64_t before = in_use_.load(std::memory_order_relaxed);
    do {
      if (bytes > max_total_ - before) return false;
    } while (!in_use_.compare_exchange_weak(before, before + bytes,
                                            std::memory_order_relaxed));
    return true;
  }
  int64_t SizeOf(const void* p) const {
    return static_cast<int64_t>(inner_->AllocatedSize(p));
  }

  bool IsNoted(int64_t bytes) const {
    return max_total_ != kNoLimit && bytes >= max_total_ / kNotedPart;
  }
  std::string DescribeUse() {
    absl::MutexLock lock(&mu_);
    std::vector<PieceInUse> pieces;
    for (const auto& [p, piece] : noted_) {
      pieces.push_back({piece.bytes, &piece.op});
    }
    // One of the uses is the owner's.
    return DescribeMemoryInUse(
        static_cast<size_t>(in_use_.load(std::memory_order_relaxed)),
        static_cast<size_t>(max_total_),
        static_cast<size_t>(uses_.load(std::memory_order_relaxed) - 1),
        &pieces);
  }

  struct Piece {
    size_t bytes;
    std::string op;
  };

  Allocator* const inner_;
  const std::string name_;
  const int64_t max_piece_;
  const int64_t max_total_;
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> uses_{1};
  absl::Mutex mu_;
  absl::flat_hash_map<void*, Piece> noted_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::shared_ptr<Allocator> NewLimitedAllocator(Allocator* inner,
                                               std::string name,
                                               int64_t max_piece,
                                               int64_t max_total) {
  return std::shared_ptr<Allocator>(
      new LimitedAllocator(inner, std::move(name), max_piece, max_total),
      [](Allocator* a) { static_cast<LimitedAllocator*>(a)->Release(); });
}

}  // namespace tensorwright
