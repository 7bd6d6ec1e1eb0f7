// SPDX-License-Identifier: Apache-2.0
// Reads text as a value of the type that is wanted.
#ifndef TENSORWRIGHT_CORE_KERNELS_PARSING_TEXT_TO_VALUE_H_
#define TENSORWRIGHT_CORE_KERNELS_PARSING_TEXT_TO_VALUE_H_

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "core/lib/strings/numbers.h"

namespace tensorwright {

// Parse all of the text, which may have white space around it; false if it is
// no such number, or an integer out of range.  Floating-point numbers beyond
// the range become infinite; they may be hexadecimal.
inline bool TextToValue(absl::string_view text, double* value) {
  if (strings::safe_strtod(text, value)) return true;
  text = absl::StripAsciiWhitespace(text);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != 'x') {
    return false;
  }
  text.remove_prefix(2);
  double sum = 0;
  if (text[0] == '-') return false;
  const auto [end, error] = std::from_chars(
      text.data(), text.data() + text.size(), sum, std::chars_format::hex);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  *value = negative ? -sum : sum;
  return true;
}
inline bool TextToValue(absl::string_view text, float* value) {
  if (strings::safe_strtof(text, value)) return true;
  double wide = 0;
  if (!TextToValue(text, &wide)) return false;
  *value = static_cast<float>(wide);
  return true;
}
inline bool TextToValue(absl::string_view text, int32_t* value) {
  return strings::safe_strto32(text, value);
}
inline bool TextToValue(absl::string_view text, int64_t* value) {
  return strings::safe_strto64(text, value);
}
inline bool TextToValue(absl::string_view text, uint32_t* value) {
  return strings::safe_strtou32(text, value);
}
inline bool TextToValue(absl::string_view text, uint64_t* value) {
  return strings::safe_strtou64(text, value);
}
inline bool TextToValue(absl::string_view text, std::string* value) {
  value->assign(text.data(), text.size());
  return true;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_TEXT_TO_VALUE_H_
