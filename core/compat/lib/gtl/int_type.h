// SPDX-License-Identifier: Apache-2.0
// Distinct integer types, so that a count of one thing is no count of another:
// TF_LIB_GTL_DEFINE_INT_TYPE(RowId, int64);
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_INT_TYPE_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_INT_TYPE_H_

#include <cstddef>
#include <functional>
#include <ostream>

namespace tensorwright {
namespace gtl {

template <typename Tag, typename T>
class IntType {
 public:
  using ValueType = T;
  struct Hasher {
    size_t operator()(const IntType& i) const {
      return std::hash<T>()(i.value());
    }
  };

  constexpr IntType() = default;
  explicit constexpr IntType(T value) : value_(value) {}

  constexpr T value() const { return value_; }
  template <typename U>
  constexpr U value() const {
    return static_cast<U>(value_);
  }

  friend constexpr bool operator==(IntType a, IntType b) {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(IntType a, IntType b) {
    return a.value_ != b.value_;
  }
  friend constexpr bool operator<(IntType a, IntType b) {
    return a.value_ < b.value_;
  }
  friend constexpr bool operator>(IntType a, IntType b) { return b < a; }
  friend constexpr bool operator<=(IntType a, IntType b) { return !(b < a); }
  friend constexpr bool operator>=(IntType a, IntType b) { return !(a < b); }
  IntType& operator++() { return *this += IntType(1); }
  IntType operator++(int) {
    const IntType before = *this;
    ++*this;
    return before;
  }
  IntType& operator--() { return *this -= IntType(1); }
  IntType& operator+=(IntType o) {
    value_ += o.value_;
    return *this;
  }
  IntType& operator-=(IntType o) {
    value_ -= o.value_;
    return *this;
  }
  friend constexpr IntType operator+(IntType a, IntType b) {
    return IntType(a.value_ + b.value_);
  }
  friend constexpr IntType operator-(IntType a, IntType b) {
    return IntType(a.value_ - b.value_);
  }
  friend constexpr IntType operator*(IntType a, T b) {
    return IntType(a.value_ * b);
  }
  friend std::ostream& operator<<(std::ostream& os, IntType i) {
    return os << i.value_;
  }

 private:
  T value_ = 0;
};

}  // namespace gtl
}  // namespace tensorwright

#define TF_LIB_GTL_DEFINE_INT_TYPE(name, type) \
  struct name##_tag_ {};                       \
  typedef ::tensorwright::gtl::IntType<name##_tag_, type> name;

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_INT_TYPE_H_
