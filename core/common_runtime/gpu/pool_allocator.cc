// SPDX-License-Identifier: Apache-2.0
// PoolAllocator.
#include "core/common_runtime/gpu/pool_allocator.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/common_runtime/memory_in_use.h"

namespace tensorwright {
namespace {

// Every piece begins at a multiple of it, which kernels' vector accesses like.
constexpr size_t kGrain = 256;

// The allocator that had no memory for this thread the last time.
thread_local const PoolAllocator* failed = nullptr;

size_t RoundUp(size_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

}  // namespace

std::string PoolAllocator::Name() {
  if (failed != this) return options_.name;
  failed = nullptr;
  return absl::StrCat(options_.name, ". ", DescribeUse());
}

PoolAllocator::Pieces::iterator PoolAllocator::Find(size_t bytes) {
  const auto it = free_.lower_bound({bytes, nullptr});
  return it == free_.end() ? pieces_.end() : pieces_.find(it->second);
}

void* PoolAllocator::AllocateRaw(size_t alignment, size_t num_bytes) {
  void* const p = alignment > kGrain ? nullptr : Take(num_bytes);
  failed = p == nullptr ? this : nullptr;
  return p;
}

void* PoolAllocator::Take(size_t num_bytes) {
  if (num_bytes > options_.limit) return nullptr;
  const size_t bytes = RoundUp(std::max<size_t>(num_bytes, 1));
  absl::MutexLock lock(&mu_);
  auto it = Find(bytes);
  if (it == pieces_.end() && (Grow(bytes) || (Shrink() && Grow(bytes)))) {
    it = Find(bytes);
  }
  if (it == pieces_.end()) return nullptr;
  char* const p = it->first;
  Piece& piece = it->second;
  free_.erase({piece.bytes, p});
  if (piece.bytes > bytes) {
    Piece rest;
    rest.bytes = piece.bytes - bytes;
    rest.slab = piece.slab;
    free_.insert({rest.bytes, p + bytes});
    pieces_.emplace_hint(std::next(it), p + bytes, std::move(rest));
    piece.bytes = bytes;
  }
  piece.is_free = false;
  piece.requested = num_bytes;
  piece.op = AllocatingOp::Label();
  ++stats_.num_allocs;
  stats_.bytes_in_use += static_cast<int64_t>(bytes);
  stats_.peak_bytes_in_use =
      std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_alloc_size =
      std::max(stats_.largest_alloc_size, static_cast<int64_t>(bytes));
  return p;
}

bool PoolAllocator::Grow(size_t bytes) {
  if (bytes > options_.limit - slab_bytes_) return false;
  const size_t room = options_.limit - slab_bytes_;
  size_t size =
      options_.grows ? std::min(room, std::max(bytes, next_slab_bytes_)) : room;
  void* memory = nullptr;
  // Others may have some of what the device said was free.
  while (!options_.allocate(size, &memory).ok()) {
    memory = nullptr;
    if (size == bytes) return false;
    size = std::max(bytes, RoundUp(size / 10 * 9));
    if (size < (size_t{1} << 20)) size = bytes;
  }
  if (options_.grows) next_slab_bytes_ = std::max(next_slab_bytes_, size) * 2;
  slab_bytes_ += size;
  const int slab = next_slab_++;
  char* const p = static_cast<char*>(memory);
  slabs_[slab] = {p, size};
  Piece piece;
  piece.bytes = size;
  piece.slab = slab;
  pieces_[p] = std::move(piece);
  free_.insert({size, p});
  return true;
}

bool PoolAllocator::Shrink() {
  bool any = false;
  for (auto it = slabs_.begin(); it != slabs_.end();) {
    const auto [p, size] = it->second;
    const auto piece = pieces_.find(p);
    if (!piece->second.is_free || piece->second.bytes != size) {
      ++it;
      continue;
    }
    free_.erase({size, p});
    pieces_.erase(piece);
    options_.release(p);
    slab_bytes_ -= size;
    it = slabs_.erase(it);
    any = true;
  }
  return any;
}

void PoolAllocator::DeallocateRaw(void* ptr) {
  if (ptr == nullptr) return;
  absl::MutexLock lock(&mu_);
  auto it = pieces_.find(static_cast<char*>(ptr));
  CHECK(it != pieces_.end() && !it->second.is_free)
      << options_.name << ": " << ptr << " was not allocated here";
  stats_.bytes_in_use -= static_cast<int64_t>(it->second.bytes);
  it->second.is_free = true;
  it->second.op.clear();
  it = Join(it);
  if (it != pieces_.begin()) {
    const auto before = std::prev(it);
    if (before->second.is_free) {
      free_.erase({before->second.bytes, before->first});
      it = Join(before);
    }
  }
  free_.insert({it->second.bytes, it->first});
}

// Joins a free piece with the one after it if that is free; neither stays in
// free_.
PoolAllocator::Pieces::iterator PoolAllocator::Join(Pieces::iterator piece) {
  const auto next = std::next(piece);
  if (next != pieces_.end() && next->second.is_free &&
      next->second.slab == piece->second.slab) {
    free_.erase({next->second.bytes, next->first});
    piece->second.bytes += next->second.bytes;
    pieces_.erase(next);
  }
  return piece;
}

const PoolAllocator::Piece& PoolAllocator::PieceAt(const void* ptr) const {
  const auto it = pieces_.find(static_cast<char*>(const_cast<void*>(ptr)));
  CHECK(it != pieces_.end()) << options_.name << ": " << ptr;
  return it->second;
}

size_t PoolAllocator::RequestedSize(const void* ptr) const {
  absl::MutexLock lock(&mu_);
  return PieceAt(ptr).requested;
}

size_t PoolAllocator::AllocatedSize(const void* ptr) const {
  absl::MutexLock lock(&mu_);
  return PieceAt(ptr).bytes;
}

bool PoolAllocator::ReadStats(AllocatorStats* stats) {
  absl::MutexLock lock(&mu_);
  *stats = stats_;
  stats->bytes_limit = static_cast<int64_t>(options_.limit);
  return true;
}

bool PoolAllocator::ClearStats() {
  absl::MutexLock lock(&mu_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}

std::string PoolAllocator::DescribeUse() {
  absl::MutexLock lock(&mu_);
  std::vector<PieceInUse> used;
  for (const auto& [p, piece] : pieces_) {
    if (!piece.is_free) used.push_back({piece.requested, &piece.op});
  }
  return DescribeMemoryInUse(static_cast<size_t>(stats_.bytes_in_use),
                             options_.limit, used.size(), &used);
}

}  // namespace tensorwright
