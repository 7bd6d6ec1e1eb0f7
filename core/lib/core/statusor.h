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
#include <optional>
#include <type_traits>
#include <utility>

#include "core/lib/core/status.h"

namespace tensorwright {

template <typename T>
class StatusOr;

namespace statusor_internal {

// What an OK status without a value becomes.
Status NoValue();

template <typename U>
inline constexpr bool kIsStatusOr = false;
template <typename U>
inline constexpr bool kIsStatusOr<StatusOr<U>> = true;

}  // namespace statusor_internal

// Asking a failed one for its value ends the process, with the status.  Moving
// from one leaves it with its status and a moved-from value.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  using value_type = T;

  StatusOr() : status_(error::UNKNOWN, "") {}
  StatusOr(const Status& status) : status_(status) { RequireFailure(); }
  StatusOr(Status&& status) : status_(std::move(status)) { RequireFailure(); }
  template <typename U = T>
  requires(std::is_constructible_v<T, U&&> &&
           !std::is_same_v<std::decay_t<U>, Status> &&
           !std::is_same_v<std::decay_t<U>, std::in_place_t> &&
           !statusor_internal::kIsStatusOr<std::decay_t<U>>)
      StatusOr(U&& value)  // NOLINT: any value is one.
      : value_(std::forward<U>(value)) {}
  template <typename... Args>
  explicit StatusOr(std::in_place_t, Args&&... args)
      : value_(std::in_place, std::forward<Args>(args)...) {}
  template <typename U>
  requires(std::is_constructible_v<T, const U&> && !std::is_same_v<T, U>)
      StatusOr(const StatusOr<U>& other)  // NOLINT
      : status_(other.status()) {
    if (other.ok()) value_.emplace(*other);
  }
  template <typename U>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<T, U>)
      StatusOr(StatusOr<U>&& other)  // NOLINT
      : status_(other.status()) {
    if (other.ok()) value_.emplace(*std::move(other));
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & {
    RequireValue();
    return *value_;
  }
  const T& value() const& {
    RequireValue();
    return *value_;
  }
  T&& value() && {
    RequireValue();
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  template <typename U>
  T value_or(U&& other) const& {
    return ok() ? *value_ : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  T value_or(U&& other) && {
    return ok() ? *std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  // Older names of value().
  T& ValueOrDie() & { return value(); }
  const T& ValueOrDie() const& { return value(); }
  T&& ValueOrDie() && { return std::move(*this).value(); }
  T ConsumeValueOrDie() { return std::move(*this).value(); }

  template <typename... Args>
  T& emplace(Args&&... args) {
    status_ = Status();
    return value_.emplace(std::forward<Args>(args)...);
  }
  void IgnoreError() const {}

  friend bool operator==(const StatusOr& a, const StatusOr& b) {
    return a.status_ == b.status_ && a.value_ == b.value_;
  }
  friend bool operator!=(const StatusOr& a, const StatusOr& b) {
    return !(a == b);
  }

 private:
  void RequireFailure() {
    if (status_.ok()) [[unlikely]]
      status_ = statusor_internal::NoValue();
  }
  void RequireValue() const { TF_CHECK_OK(status_) << "asked for its value"; }

  Status status_;
  std::optional<T> value_;  // Has a value if status_ is OK.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_STATUSOR_H_
