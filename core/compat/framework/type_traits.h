// SPDX-License-Identifier: Apache-2.0
// Questions about the C++ types of dtypes, at compile time.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPE_TRAITS_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPE_TRAITS_H_

#include <complex>
#include <type_traits>

#include "core/framework/types.h"

namespace tensorwright {

template <typename T>
inline constexpr bool kIsQuantized =
    std::is_same<T, qint8>::value || std::is_same<T, quint8>::value ||
    std::is_same<T, qint16>::value || std::is_same<T, quint16>::value ||
    std::is_same<T, qint32>::value;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same<T, complex64>::value || std::is_same<T, complex128>::value;

template <typename T>
struct is_quantized : std::integral_constant<bool, kIsQuantized<T>> {};
template <typename T>
struct is_complex : std::integral_constant<bool, kIsComplex<T>> {};
// Copied with memcpy, in files and between machines.
template <typename T>
struct is_simple_type
    : std::integral_constant<bool, std::is_trivial<T>::value || kIsComplex<T> ||
                                       kIsQuantized<T> ||
                                       std::is_same<T, half>::value ||
                                       std::is_same<T, bfloat16>::value> {};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPE_TRAITS_H_
