// SPDX-License-Identifier: Apache-2.0
// DimVector: the sizes of a shape's dimensions.
//
// A vector of int64 that keeps four or fewer inside the object.  Shapes are
// copied and moved with every tensor, so both must be a few plain loads and
// stores; absl::InlinedVector branches on its allocator's and element's
// properties at each.
//
// A value: it owns its sizes, and const access is thread-safe.  Nothing is
// checked: positions must be in range, and what the sizes mean (unknown,
// negative) is the shape's business.  Pointers, iterators and spans are good
// until the next change.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_DIM_VECTOR_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_DIM_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/types/span.h"

namespace tensorwright {

class DimVector {
 public:
  DimVector() = default;
  DimVector(const DimVector& other) { CopyFrom(other); }
  DimVector(DimVector&& other) noexcept { StealFrom(&other); }
  DimVector& operator=(const DimVector& other) {
    if (this == &other) return *this;
    Free();
    CopyFrom(other);
    return *this;
  }
  DimVector& operator=(DimVector&& other) noexcept {
    if (this == &other) return *this;
    Free();
    StealFrom(&other);
    return *this;
  }
  ~DimVector() { Free(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return is_inline() ? inline_ : heap(); }
  const int64_t* data() const { return is_inline() ? inline_ : heap(); }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  operator absl::Span<const int64_t>() const { return {data(), size_}; }

  // Keeps the room.  Growing beyond it at least doubles it.
  void clear() { size_ = 0; }
  void push_back(int64_t size) { Insert(size_, &size, 1); }
  // Replaces what there was.  `sizes` must not be part of this vector.
  void assign(absl::Span<const int64_t> sizes) {
    size_ = 0;
    Insert(0, sizes.data(), sizes.size());
  }
  // Puts `sizes` before position `at`; they must not be part of this vector.
  void insert(size_t at, absl::Span<const int64_t> sizes) {
    Insert(at, sizes.data(), sizes.size());
  }
  // Drops positions [begin, end).
  void erase(size_t begin, size_t end) {
    int64_t* d = data();
    std::copy(d + end, d + size_, d + begin);
    size_ -= static_cast<uint32_t>(end - begin);
  }

  friend bool operator==(const DimVector& a, const DimVector& b) {
    if (a.size_ != b.size_) return false;
    const int64_t* x = a.data();
    const int64_t* y = b.data();
    for (uint32_t i = 0; i < a.size_; ++i) {
      if (x[i] != y[i]) return false;
    }
    return true;
  }

 private:
  // The same number tests for "inside": room on the heap is always larger.
  static constexpr uint32_t kInline = 4;

  bool is_inline() const { return capacity_ == kInline; }
  int64_t* heap() const {
    int64_t* p;
    std::memcpy(&p, inline_, sizeof(p));
    return p;
  }
  void Free() {
    if (!is_inline()) [[unlikely]]
      delete[] heap();
  }
  // Both overwrite what this holds without freeing it.  StealFrom leaves the
  // other one empty.
  void CopyFrom(const DimVector& other) {
    // Copies a fixed number of bytes, one vector's worth, whatever the number
    // of dimensions.
    std::memcpy(inline_, other.inline_, sizeof(inline_));
    size_ = other.size_;
    capacity_ = kInline;
    if (!other.is_inline()) [[unlikely]] {
      size_ = 0;
      Insert(0, other.heap(), other.size_);
    }
  }
  void StealFrom(DimVector* other) {
    std::memcpy(inline_, other->inline_, sizeof(inline_));
    size_ = other->size_;
    capacity_ = other->capacity_;
    other->size_ = 0;
    other->capacity_ = kInline;
  }
  // `sizes` must not overlap this vector: it may move.
  void Insert(size_t at, const int64_t* sizes, size_t n) {
    if (size_ + n > capacity_) [[unlikely]]
      Grow(size_ + n);
    int64_t* d = data();
    std::copy_backward(d + at, d + size_, d + size_ + n);
    std::copy_n(sizes, n, d + at);
    size_ += static_cast<uint32_t>(n);
  }
  void Grow(size_t wanted) {
    const size_t capacity = std::max<size_t>(wanted, size_t{2} * capacity_);
    auto* grown = new int64_t[capacity];
    std::copy_n(data(), size_, grown);
    Free();
    std::memcpy(inline_, &grown, sizeof(grown));
    capacity_ = static_cast<uint32_t>(capacity);
  }

  // Holds the sizes or, in the first bytes, a pointer to them.
  int64_t inline_[kInline] = {};
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_DIM_VECTOR_H_
