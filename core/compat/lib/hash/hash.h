// SPDX-License-Identifier: Apache-2.0
// tensorflow::hash, for tables keyed by strings, pointers and numbers.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_HASH_HASH_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_HASH_HASH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/lib/core/stringpiece.h"
#include "core/lib/hash/hash.h"
#include "core/platform/tstring.h"

namespace tensorwright {

// As Hash64Combine, if the order does not matter.
inline uint64_t Hash64CombineUnordered(uint64_t a, uint64_t b) { return a + b; }

template <typename T, typename = void>
struct hash {
  size_t operator()(const T& t) const { return std::hash<T>()(t); }
};
template <typename T>
struct hash<T*> {
  // The low bits of an address differ little.
  size_t operator()(const T* t) const {
    const size_t k = static_cast<size_t>(reinterpret_cast<uintptr_t>(t));
    return k + (k >> 6);
  }
};
template <>
struct hash<std::string> {
  size_t operator()(const std::string& s) const { return Hash64(s); }
};
template <>
struct hash<absl::string_view> {
  size_t operator()(absl::string_view s) const { return Hash64(s); }
};
template <>
struct hash<StringPiece> {
  size_t operator()(StringPiece s) const { return Hash64(s); }
};
template <typename T, typename U>
struct hash<std::pair<T, U>> {
  size_t operator()(const std::pair<T, U>& p) const {
    return Hash64Combine(hash<T>()(p.first), hash<U>()(p.second));
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_HASH_HASH_H_
