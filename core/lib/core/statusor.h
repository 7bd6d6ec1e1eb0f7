// SPDX-License-Identifier: Apache-2.0
// StatusOr: a value, or the reason why there is none.
//
//   StatusOr<int> Half(int x) {
//     if (x % 2 != 0) return errors::InvalidArgument("odd: ", x);
//     return x / 2;
//   }
#ifndef TENSORWRIGHT_CORE_LIB_CORE_STATUSOR_H_
#define TENSORWRIGHT_CORE_LIB_CORE_STATUSOR_H_

#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include "core/lib/core/status.h"

namespace tensorwright {

template <typename T>
class StatusOr;

namespace statusor_internal {

// An OK status without a value becomes this.
Status NoValue();

template <typename U>
struct IsStatusOr : std::false_type {};
template <typename U>
struct IsStatusOr<StatusOr<U>> : std::true_type {};

// Is a U a value of StatusOr<T>?
template <typename T, typename U, typename D = std::decay_t<U>>
struct IsValue
    : std::integral_constant<bool, std::is_constructible<T, U&&>::value &&
                                       !std::is_same<D, Status>::value &&
                                       !IsStatusOr<D>::value> {};
#if __cplusplus >= 201703L
template <typename T, typename U>
struct IsValue<T, U, std::in_place_t> : std::false_type {};
#endif

// Does a StatusOr<U> convert to a StatusOr<T>?  `Value` is its U, with its
// reference.
template <typename T, typename U, typename Value>
using IfConverts = std::enable_if_t<std::is_constructible<T, Value>::value &&
                                    !std::is_same<T, U>::value>;

}  // namespace statusor_internal

// Asking a failed one for its value ends the process, printing the status.
// Moving from one leaves it with its status and a moved-from value.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  using value_type = T;

  StatusOr() : status_(error::UNKNOWN, "") {}
  StatusOr(const Status& status) : status_(status) { RequireFailure(); }
  StatusOr(Status&& status) : status_(std::move(status)) { RequireFailure(); }
  template <
      typename U = T,
      std::enable_if_t<statusor_internal::IsValue<T, U>::value>* = nullptr>
  StatusOr(U&& value) {  // NOLINT: any value is one.
    Construct(std::forward<U>(value));
  }
#if __cplusplus >= 201703L
  template <typename... Args>
  explicit StatusOr(std::in_place_t, Args&&... args) {
    Construct(std::forward<Args>(args)...);
  }
#endif
  StatusOr(const StatusOr& other) : status_(other.status_) {
    if (ok()) Construct(other.value_);
  }
  StatusOr(StatusOr&& other) : status_(other.status_) {
    if (ok()) Construct(std::move(other.value_));
  }
  template <typename U,
            typename = statusor_internal::IfConverts<T, U, const U&>>
  StatusOr(const StatusOr<U>& other)  // NOLINT
      : status_(other.status()) {
    if (ok()) Construct(*other);
  }
  template <typename U, typename = statusor_internal::IfConverts<T, U, U&&>>
  StatusOr(StatusOr<U>&& other)  // NOLINT
      : status_(other.status()) {
    if (ok()) Construct(*std::move(other));
  }
  ~StatusOr() { Destroy(); }

  StatusOr& operator=(const StatusOr& other) {
    if (this != &other) *this = StatusOr(other);
    return *this;
  }
  StatusOr& operator=(StatusOr&& other) {
    if (this == &other) return *this;
    Destroy();
    status_ = other.status_;
    if (ok()) Construct(std::move(other.value_));
    return *this;
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const& { return status_; }
  // Copies: a moved-from status would be OK, though there is no value.
  Status status() && { return status_; }

  T& value() & {
    RequireValue();
    return value_;
  }
  const T& value() const& {
    RequireValue();
    return value_;
  }
  T&& value() && {
    RequireValue();
    return std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  template <typename U>
  T value_or(U&& other) const& {
    return ok() ? value_ : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  T value_or(U&& other) && {
    return ok() ? std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  // Older names of value().
  T& ValueOrDie() & { return value(); }
  const T& ValueOrDie() const& { return value(); }
  T&& ValueOrDie() && { return std::move(*this).value(); }
  T ConsumeValueOrDie() { return std::move(*this).value(); }

  template <typename... Args>
  T& emplace(Args&&... args) {
    Destroy();
    status_ = Status();
    Construct(std::forward<Args>(args)...);
    return value_;
  }
  void IgnoreError() const {}

  friend bool operator==(const StatusOr& a, const StatusOr& b) {
    return a.status_ == b.status_ && (!a.ok() || a.value_ == b.value_);
  }
  friend bool operator!=(const StatusOr& a, const StatusOr& b) {
    return !(a == b);
  }

 private:
  void RequireFailure() {
    if (status_.ok()) status_ = statusor_internal::NoValue();
  }
  void RequireValue() const { TF_CHECK_OK(status_) << "asked for its value"; }

  template <typename... Args>
  void Construct(Args&&... args) {
    ::new (static_cast<void*>(const_cast<Stored*>(&value_)))
        T(std::forward<Args>(args)...);
  }
  void Destroy() {
    if (ok()) value_.~T();
  }

  // Not an optional: the standards from C++14 on, as which the sources of ops
  // are compiled, have no optional in common, and the layout must be the same
  // in all.
  using Stored = std::remove_const_t<T>;
  Status status_;
  union {
    T value_;  // Alive while status_ is OK.
  };
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_STATUSOR_H_
