// SPDX-License-Identifier: Apache-2.0
// A pair of iterators for a range-based `for`.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ITERATOR_RANGE_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ITERATOR_RANGE_H_

#include <utility>

namespace tensorwright {
namespace gtl {

template <typename IteratorT>
class iterator_range {
 public:
  using iterator = IteratorT;
  using const_iterator = IteratorT;
  iterator_range(IteratorT begin, IteratorT end)
      : begin_(std::move(begin)), end_(std::move(end)) {}
  IteratorT begin() const { return begin_; }
  IteratorT end() const { return end_; }

 private:
  IteratorT begin_, end_;
};

template <typename T>
iterator_range<T> make_range(T begin, T end) {
  return iterator_range<T>(std::move(begin), std::move(end));
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ITERATOR_RANGE_H_
