// SPDX-License-Identifier: Apache-2.0
// The parts of the standard library that these headers use and older standards
// lack, for build files of custom ops that ask for -std=c++11, as TensorFlow's
// first ones did, or c++14.  The language itself is no problem: g++ compiles
// the later features that they use.
#ifndef TENSORWRIGHT_CORE_COMPAT_OLDER_STANDARDS_H_
#define TENSORWRIGHT_CORE_COMPAT_OLDER_STANDARDS_H_

#if __cplusplus < 201402L

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace std {

template <bool condition, typename T = void>
using enable_if_t = typename enable_if<condition, T>::type;
template <bool condition, typename T, typename U>
using conditional_t = typename conditional<condition, T, U>::type;
template <typename T>
using decay_t = typename decay<T>::type;
template <typename T>
using remove_const_t = typename remove_const<T>::type;
template <typename T>
using remove_cv_t = typename remove_cv<T>::type;
template <typename T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T>
using remove_reference_t = typename remove_reference<T>::type;
template <typename T>
using make_signed_t = typename make_signed<T>::type;
template <typename T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T>
using underlying_type_t = typename underlying_type<T>::type;
template <typename T>
using add_const_t = typename add_const<T>::type;
template <typename... T>
using common_type_t = typename common_type<T...>::type;
template <typename F>
using result_of_t = typename result_of<F>::type;

template <typename T, typename... Args>
enable_if_t<!is_array<T>::value, unique_ptr<T>> make_unique(Args&&... args) {
  return unique_ptr<T>(new T(std::forward<Args>(args)...));
}
template <typename T>
enable_if_t<is_array<T>::value, unique_ptr<T>> make_unique(size_t n) {
  return unique_ptr<T>(new typename remove_extent<T>::type[n]());
}

template <typename T, typename U = T>
T exchange(T& object, U&& value) {
  T before = std::move(object);
  object = std::forward<U>(value);
  return before;
}

}  // namespace std

#endif  // __cplusplus < 201402L

#if __cplusplus < 201703L

#include <type_traits>

#pragma GCC diagnostic push
#if __cplusplus < 201402L
#pragma GCC diagnostic ignored "-Wc++14-extensions"
#endif
#pragma GCC diagnostic ignored "-Wc++17-extensions"

namespace std {

template <bool value>
using bool_constant = integral_constant<bool, value>;

template <typename T, typename U>
inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T>
inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <typename T>
inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T>
inline constexpr bool is_integral_v = is_integral<T>::value;
template <typename T>
inline constexpr bool is_signed_v = is_signed<T>::value;
template <typename T>
inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <typename T>
inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;

template <typename T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

}  // namespace std

#pragma GCC diagnostic pop

#endif  // __cplusplus < 201703L

#endif  // TENSORWRIGHT_CORE_COMPAT_OLDER_STANDARDS_H_
