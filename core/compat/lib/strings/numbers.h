// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's numbers.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/strings/numbers.h"

namespace tensorwright {
namespace strings {

// Enough for any number that the functions below write, with its final 0.
inline constexpr int kFastToBufferSize = 32;

// Each returns the length of the text written; a final 0 follows it.
size_t FastInt32ToBufferLeft(int32_t i, char* buffer);
size_t FastUInt32ToBufferLeft(uint32_t i, char* buffer);
size_t FastInt64ToBufferLeft(int64_t i, char* buffer);
size_t FastUInt64ToBufferLeft(uint64_t i, char* buffer);
// Writes TensorFlow 1.x's text: printf's %.6g or %.15g if that reads back as
// the same number, else the 9 or 17 digits that always do.
size_t FloatToBuffer(float value, char* buffer);
size_t DoubleToBuffer(double value, char* buffer);

// Reads up to 16 hexadecimal digits; false for any other text.
bool HexStringToUint64(absl::string_view s, uint64_t* result);
// Writes 16 hexadecimal digits into `buffer`, which holds kFastToBufferSize
// bytes.
absl::string_view Uint64ToHexString(uint64_t v, char* buffer);
// Reads text that FpToString wrote.
bool StringToFp(const std::string& s, uint64_t* fingerprint);

namespace internal {
inline bool ReadNumber(absl::string_view s, float* value) {
  return safe_strtof(s, value);
}
inline bool ReadNumber(absl::string_view s, double* value) {
  return safe_strtod(s, value);
}
template <typename T>
bool ReadNumber(absl::string_view s, T* value) {
  return absl::SimpleAtoi(s, value);
}
}  // namespace internal

// Reads a number of the type T; false if the text is no such number.
template <typename T>
bool SafeStringToNumeric(absl::string_view s, T* value) {
  return internal::ReadNumber(s, value);
}
template <typename T>
bool ProtoParseNumeric(absl::string_view s, T* value) {
  return SafeStringToNumeric(s, value);
}

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_NUMBERS_H_
