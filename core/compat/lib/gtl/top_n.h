// SPDX-License-Identifier: Apache-2.0
// The best n of a stream of values.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_TOP_N_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_TOP_N_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tensorwright {
namespace gtl {

// Keeps the n best by `Cmp`, for which cmp(a, b) means "a is better than b".
// O(log n) a value.
template <class T, class Cmp = std::greater<T>>
class TopN {
 public:
  explicit TopN(size_t limit) : TopN(limit, Cmp()) {}
  TopN(size_t limit, const Cmp& cmp) : limit_(limit), cmp_(cmp) {}

  size_t limit() const { return limit_; }
  size_t size() const { return heap_.size(); }
  bool empty() const { return heap_.empty(); }
  void reserve(size_t n) { heap_.reserve(std::min(n, limit_)); }
  void Reset() { heap_.clear(); }
  void reset() { Reset(); }

  // Sets `dropped`, if given, to the value that is dropped, if one is.
  void push(T value, T* dropped = nullptr) {
    if (heap_.size() < limit_) {
      heap_.push_back(std::move(value));
      std::push_heap(heap_.begin(), heap_.end(), cmp_);
      return;
    }
    if (limit_ > 0 && cmp_(value, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), cmp_);
      std::swap(heap_.back(), value);
      std::push_heap(heap_.begin(), heap_.end(), cmp_);
    }
    if (dropped != nullptr) *dropped = std::move(value);
  }

  // The worst value that is kept; there must be one.
  const T& peek_bottom() const { return heap_.front(); }

  // Returns the kept values, best first or in no order, and leaves this empty.
  std::vector<T>* Extract() {
    std::sort_heap(heap_.begin(), heap_.end(), cmp_);
    return ExtractUnsorted();
  }
  std::vector<T>* ExtractUnsorted() {
    auto* out = new std::vector<T>(std::move(heap_));
    heap_.clear();
    return out;
  }
  std::vector<T>* ExtractNondestructive() const {
    auto* out = new std::vector<T>(heap_);
    std::sort_heap(out->begin(), out->end(), cmp_);
    return out;
  }
  void ExtractNondestructive(std::vector<T>* out) const {
    *out = heap_;
    std::sort_heap(out->begin(), out->end(), cmp_);
  }
  std::vector<T>* ExtractUnsortedNondestructive() const {
    return new std::vector<T>(heap_);
  }
  void ExtractUnsortedNondestructive(std::vector<T>* out) const {
    *out = heap_;
  }
  typename std::vector<T>::const_iterator unsorted_begin() const {
    return heap_.begin();
  }
  typename std::vector<T>::const_iterator unsorted_end() const {
    return heap_.end();
  }

 private:
  size_t limit_;
  Cmp cmp_;
  std::vector<T> heap_;  // The worst is in front.
};

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_TOP_N_H_
