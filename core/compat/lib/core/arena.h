// SPDX-License-Identifier: Apache-2.0
// Memory for many small objects that are freed together.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_ARENA_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace tensorwright {
namespace core {

// Frees all of its memory when it is destroyed; not thread-safe.
class Arena {
 public:
  explicit Arena(size_t block_size)
      : block_size_(std::max<size_t>(block_size, 64)) {}

  // Uninitialized; `alignment` is a power of 2.
  char* Alloc(size_t size) { return AllocAligned(size, 1); }
  char* AllocAligned(size_t size, size_t alignment) {
    void* at = next_;
    if (next_ == nullptr || std::align(alignment, size, at, left_) == nullptr) {
      left_ = std::max(block_size_, size + alignment);
      blocks_.emplace_back(new char[left_]);
      at = blocks_.back().get();
      std::align(alignment, size, at, left_);
    }
    next_ = static_cast<char*>(at) + size;
    left_ -= size;
    return static_cast<char*>(at);
  }
  char* Memdup(const char* s, size_t bytes) {
    char* copy = Alloc(bytes);
    std::memcpy(copy, s, bytes);
    return copy;
  }
  // Frees everything.
  void Reset() {
    blocks_.clear();
    next_ = nullptr;
    left_ = 0;
  }

 private:
  const size_t block_size_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace core
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_ARENA_H_
