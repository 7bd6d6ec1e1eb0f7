// SPDX-License-Identifier: Apache-2.0
// NewLimitedAllocator.
#include "core/common_runtime/limited_allocator.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace tensorwright {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

int64_t LimitOf(int64_t limit) { return limit > 0 ? limit : kNoLimit; }

class LimitedAllocator final : public Allocator {
 public:
  LimitedAllocator(Allocator* inner, std::string name, int64_t max_piece,
                   int64_t max_total)
      : inner_(inner),
        name_(std::move(name)),
        max_piece_(LimitOf(max_piece)),
        max_total_(LimitOf(max_total)) {}

  std::string Name() override { return name_; }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    if (num_bytes > static_cast<size_t>(max_piece_)) return nullptr;
    const int64_t wanted = static_cast<int64_t>(num_bytes);
    if (!Take(wanted)) return nullptr;
    void* const p = inner_->AllocateRaw(alignment, num_bytes);
    if (p == nullptr) {
      in_use_.fetch_sub(wanted, std::memory_order_relaxed);
      return nullptr;
    }
    // DeallocateRaw counts the size that the inner allocator has rounded.
    in_use_.fetch_add(SizeOf(p) - wanted, std::memory_order_relaxed);
    uses_.fetch_add(1, std::memory_order_relaxed);
    return p;
  }

  void DeallocateRaw(void* p) override {
    if (p == nullptr) return;
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

  Allocator* const inner_;
  const std::string name_;
  const int64_t max_piece_;
  const int64_t max_total_;
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> uses_{1};
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
