// SPDX-License-Identifier: Apache-2.0
// What TensorFlow's numbers.h has and our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/strings/numbers.h"

namespace tensorwright {
namespace strings {

// Enough for any number that is written below, with its final 0.
inline constexpr int kFastToBufferSize = 32;

namespace internal {
// The length of what was written; a final 0 follows it.
template <typename T>
size_t ToBuffer(T value, char* buffer) {
  char* end = std::to_chars(buffer, buffer + kFastToBufferSize - 1, value).ptr;
  *end = '\0';
  return static_cast<size_t>(end - buffer);
}
}  // namespace internal

inline size_t FastInt32ToBufferLeft(int32_t i, char* buffer) {
  return internal::ToBuffer(i, buffer);
}
inline size_t FastUInt32ToBufferLeft(uint32_t i, char* buffer) {
  return internal::ToBuffer(i, buffer);
}
inline size_t FastInt64ToBufferLeft(int64_t i, char* buffer) {
  return internal::ToBuffer(i, buffer);
}
inline size_t FastUInt64ToBufferLeft(uint64_t i, char* buffer) {
  return internal::ToBuffer(i, buffer);
}
// The shortest text that reads back as the same number.
inline size_t FloatToBuffer(float value, char* buffer) {
  return internal::ToBuffer(value, buffer);
}
inline size_t DoubleToBuffer(double value, char* buffer) {
  return internal::ToBuffer(value, buffer);
}

// Reads up to 16 hexadecimal digits; false for anything else.
inline bool HexStringToUint64(absl::string_view s, uint64_t* result) {
  if (s.empty() || s.size() > 16) return false;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), *result, 16);
  return error == std::errc() && end == s.data() + s.size();
}
// 16 hexadecimal digits into `buffer`, which holds kFastToBufferSize bytes.
inline absl::string_view Uint64ToHexString(uint64_t v, char* buffer) {
  std::snprintf(buffer, kFastToBufferSize, "%016llx",
                static_cast<unsigned long long>(v));  // NOLINT
  return absl::string_view(buffer, 16);
}
// What FpToString wrote.
inline bool StringToFp(const std::string& s, uint64_t* fingerprint) {
  return s.size() == 16 && HexStringToUint64(s, fingerprint);
}

// Reads a number of the type T; false if the text is none.
template <typename T>
bool SafeStringToNumeric(absl::string_view s, T* value) {
  if constexpr (std::same_as<T, float>) {
    return safe_strtof(s, value);
  } else if constexpr (std::same_as<T, double>) {
    return safe_strtod(s, value);
  } else {
    return absl::SimpleAtoi(s, value);
  }
}
template <typename T>
bool ProtoParseNumeric(absl::string_view s, T* value) {
  return SafeStringToNumeric(s, value);
}

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_
