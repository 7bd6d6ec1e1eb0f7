// SPDX-License-Identifier: Apache-2.0
// Entries of a sparse tensor, group by group:
//
//   for (const auto& g : st.group({0})) {
//     g.group();      // The group's index, one number for each group
//     dimension. g.indices();    // [entries, dims] g.values<T>();  //
//     [entries]
//   }
#ifndef TENSORWRIGHT_CORE_UTIL_SPARSE_GROUP_ITERATOR_H_
#define TENSORWRIGHT_CORE_UTIL_SPARSE_GROUP_ITERATOR_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace sparse {

class GroupIterable;

// A run of entries; good as long as the tensors are.
class Group {
 public:
  Group(const GroupIterable* iter, int64_t begin, int64_t end)
      : iter_(iter), begin_(begin), end_(end) {}

  std::vector<int64_t> group() const;
  // The group's index in `dim`, which must be one of the dimensions that form
  // groups.
  int64_t group_at(size_t index) const { return group()[index]; }
  TTypes<int64_t>::UnalignedConstMatrix indices() const;
  template <typename T>
  typename TTypes<T>::UnalignedVec values() const;

 private:
  const GroupIterable* iter_;
  int64_t begin_, end_;
};

class GroupIterable {
 public:
  using VarDimArray = absl::Span<const int64_t>;

  GroupIterable(Tensor ix, Tensor vals, int dims, VarDimArray group_dims)
      : ix_(std::move(ix)),
        vals_(std::move(vals)),
        dims_(dims),
        group_dims_(group_dims.begin(), group_dims.end()) {}

  class IteratorStep {
   public:
    IteratorStep(const GroupIterable* iter, int64_t begin)
        : iter_(iter), begin_(begin), end_(iter->EndOf(begin)) {}
    bool operator==(const IteratorStep& o) const { return begin_ == o.begin_; }
    bool operator!=(const IteratorStep& o) const { return begin_ != o.begin_; }
    IteratorStep& operator++() {
      begin_ = end_;
      end_ = iter_->EndOf(begin_);
      return *this;
    }
    IteratorStep operator++(int) {
      IteratorStep before = *this;
      ++*this;
      return before;
    }
    Group operator*() const { return Group(iter_, begin_, end_); }
    int64_t loc() const { return begin_; }

   private:
    const GroupIterable* iter_;
    int64_t begin_, end_;
  };

  IteratorStep begin() const { return IteratorStep(this, 0); }
  IteratorStep end() const { return IteratorStep(this, size()); }
  IteratorStep at(int64_t loc) const { return IteratorStep(this, loc); }

 private:
  friend class Group;
  int64_t size() const { return ix_.dim_size(0); }
  const int64_t* row(int64_t i) const {
    return ix_.flat<int64_t>().data() + i * dims_;
  }
  // The beginning of the next group.
  int64_t EndOf(int64_t begin) const {
    int64_t end = begin;
    while (end < size() && IsSameGroup(begin, end)) ++end;
    return end;
  }
  bool IsSameGroup(int64_t a, int64_t b) const {
    for (int64_t d : group_dims_) {
      if (row(a)[d] != row(b)[d]) return false;
    }
    return true;
  }

  const Tensor ix_;
  // Values may be written to: the tensor shares its buffer.
  mutable Tensor vals_;
  const int dims_;
  const std::vector<int64_t> group_dims_;
};

inline std::vector<int64_t> Group::group() const {
  std::vector<int64_t> index;
  for (int64_t d : iter_->group_dims_) index.push_back(iter_->row(begin_)[d]);
  return index;
}

inline TTypes<int64_t>::UnalignedConstMatrix Group::indices() const {
  return TTypes<int64_t>::UnalignedConstMatrix(iter_->row(begin_),
                                               end_ - begin_, iter_->dims_);
}

template <typename T>
typename TTypes<T>::UnalignedVec Group::values() const {
  return typename TTypes<T>::UnalignedVec(
      iter_->vals_.template flat<T>().data() + begin_, end_ - begin_);
}

}  // namespace sparse
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SPARSE_GROUP_ITERATOR_H_
