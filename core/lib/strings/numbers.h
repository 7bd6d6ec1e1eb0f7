// SPDX-License-Identifier: Apache-2.0
// Converts numbers to and from text, independently of the locale.
#ifndef TENSORWRIGHT_CORE_LIB_STRINGS_NUMBERS_H_
#define TENSORWRIGHT_CORE_LIB_STRINGS_NUMBERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace tensorwright {
namespace strings {

// Each parses the whole text, with white space around it allowed; false if it
// is no such number or out of range; then do not use the value.
inline bool safe_strto32(absl::string_view s, int32_t* v) {
  return absl::SimpleAtoi(s, v);
}
inline bool safe_strtou32(absl::string_view s, uint32_t* v) {
  return absl::SimpleAtoi(s, v);
}
inline bool safe_strto64(absl::string_view s, int64_t* v) {
  return absl::SimpleAtoi(s, v);
}
inline bool safe_strtou64(absl::string_view s, uint64_t* v) {
  return absl::SimpleAtoi(s, v);
}
inline bool safe_strtof(absl::string_view s, float* v) {
  return absl::SimpleAtof(s, v);
}
inline bool safe_strtod(absl::string_view s, double* v) {
  return absl::SimpleAtod(s, v);
}

// "1.5KiB", "2.00GiB".
std::string HumanReadableNumBytes(int64_t num_bytes);
// "1.23k", "45.68M".
std::string HumanReadableNum(int64_t value);
// "1.5 s", "2.3 ms".
std::string HumanReadableElapsedTime(double seconds);
// 16 lower-case hexadecimal digits.
std::string FpToString(uint64_t fingerprint);

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_STRINGS_NUMBERS_H_
