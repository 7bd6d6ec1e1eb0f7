// SPDX-License-Identifier: Apache-2.0
// GuardedAllocator.
#include "core/common_runtime/guarded_allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/platform/logging.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

constexpr unsigned char kPattern = 0xA5;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

class Guarded final : public Allocator {
 public:
  explicit Guarded(bool at_end) : at_end_(at_end) {}

  std::string Name() override { return "cpu_guarded"; }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    if (num_bytes > size_t{1} << 46 || alignment > page_) return nullptr;
    Block block;
    block.size = num_bytes;
    block.pages = std::max(page_, RoundUp(num_bytes, page_));
    void* const mapped =
        mmap(nullptr, block.pages + 2 * page_, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    block.first = static_cast<unsigned char*>(mapped) + page_;
    // A process has so many mappings; a buffer without its guards would prove
    // nothing.
    if (mprotect(mapped, page_, PROT_NONE) != 0 ||
        mprotect(block.first + block.pages, page_, PROT_NONE) != 0) {
      munmap(mapped, block.pages + 2 * page_);
      return nullptr;
    }
    unsigned char* p = block.first;
    if (at_end_) p += block.pages - RoundUp(num_bytes, alignment);
    std::memset(block.first, kPattern, p - block.first);
    unsigned char* const end = p + num_bytes;
    std::memset(end, kPattern, block.first + block.pages - end);
    mutex_lock lock(mu_);
    blocks_[p] = block;
    return p;
  }

  void DeallocateRaw(void* p) override {
    if (p == nullptr) return;
    const Block block = Find(p, /*remove=*/true);
    const auto* const begin = static_cast<const unsigned char*>(p);
    Check(block.first, begin, "before its buffer", block.size);
    Check(begin + block.size, block.first + block.pages, "behind its buffer",
          block.size);
    munmap(block.first - page_, block.pages + 2 * page_);
  }

  bool TracksAllocationSizes() const override { return true; }
  size_t RequestedSize(const void* p) const override {
    return const_cast<Guarded*>(this)->Find(p, /*remove=*/false).size;
  }

 private:
  struct Block {
    unsigned char* first = nullptr;  // The first byte of its pages.
    size_t pages = 0;                // The bytes of its pages.
    size_t size = 0;                 // The bytes of the buffer.
  };

  Block Find(const void* p, bool remove) {
    mutex_lock lock(mu_);
    const auto it = blocks_.find(p);
    CHECK(it != blocks_.end()) << "a buffer is freed that is not there";
    const Block block = it->second;
    if (remove) blocks_.erase(it);
    return block;
  }

  static void Check(const unsigned char* begin, const unsigned char* end,
                    const char* where, size_t size) {
    const unsigned char* const changed =
        std::find_if(begin, end, [](unsigned char c) { return c != kPattern; });
    if (changed == end) return;
    LOG(FATAL) << "a kernel has written " << where << ", which has " << size
               << " bytes";
  }

  const bool at_end_;
  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  mutex mu_;
  absl::flat_hash_map<const void*, Block> blocks_ TF_GUARDED_BY(mu_);
};

// Each buffer is a block of the heap, of the size that was asked for.
class Plain final : public Allocator {
 public:
  std::string Name() override { return "cpu_heap"; }

  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    void* p = nullptr;
    alignment = std::max(alignment, sizeof(void*));
    return posix_memalign(&p, alignment, num_bytes) == 0 ? p : nullptr;
  }

  void DeallocateRaw(void* p) override { std::free(p); }
};

}  // namespace

Allocator* GuardedAllocator() {
  static Allocator* const allocator = []() -> Allocator* {
    const char* const wish = std::getenv("TENSORWRIGHT_GUARD_PAGES");
    if (wish == nullptr) return nullptr;
    const absl::string_view place = wish;
    if (place == "heap") return new Plain;
    if (place != "begin" && place != "end") {
      LOG(ERROR) << "TENSORWRIGHT_GUARD_PAGES must be 'begin', 'end' or "
                    "'heap', got '"
                 << place << "'";
      return nullptr;
    }
    return new Guarded(place == "end");
  }();
  return allocator;
}

}  // namespace tensorwright
