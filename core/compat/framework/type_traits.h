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
    std::is_same_v<T, qint8> || std::is_same_v<T, quint8> ||
    std::is_same_v<T, qint16> || std::is_same_v<T, quint16> ||
    std::is_same_v<T, qint32>;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

template <typename T>
struct is_quantized : std::bool_constant<kIsQuantized<T>> {};
template <typename T>
struct is_complex : std::bool_constant<kIsComplex<T>> {};
// Copied with memcpy, in files and between machines.
template <typename T>
struct is_simple_type
    : std::bool_constant<std::is_trivial_v<T> || kIsComplex<T> ||
                         kIsQuantized<T> || std::is_same_v<T, half> ||
                         std::is_same_v<T, bfloat16>> {};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPE_TRAITS_H_
