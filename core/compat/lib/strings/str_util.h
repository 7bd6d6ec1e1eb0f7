// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's str_util.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STR_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STR_UTIL_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "core/compat/lib/strings/numbers.h"
#include "core/lib/strings/str_util.h"

namespace tensorwright {
namespace str_util {

template <typename Predicate>
std::vector<std::string> Split(absl::string_view s, char separator,
                               Predicate p) {
  return absl::StrSplit(s, separator, p);
}

inline std::string Join(std::initializer_list<absl::string_view> parts,
                        const char* separator) {
  return absl::StrJoin(parts, separator);
}

namespace internal {
template <typename T>
bool SplitAndParse(absl::string_view text, char separator,
                   std::vector<T>* result) {
  if (text.empty()) return false;
  for (absl::string_view piece : absl::StrSplit(text, separator)) {
    T value;
    if (!strings::SafeStringToNumeric(piece, &value)) return false;
    result->push_back(value);
  }
  return true;
}
}  // namespace internal

// Appends the numbers of a list such as "1,2,3"; false if a piece is no number.
inline bool SplitAndParseAsInts(absl::string_view text, char separator,
                                std::vector<int32_t>* result) {
  return internal::SplitAndParse(text, separator, result);
}
inline bool SplitAndParseAsInts(absl::string_view text, char separator,
                                std::vector<int64_t>* result) {
  return internal::SplitAndParse(text, separator, result);
}
inline bool SplitAndParseAsFloats(absl::string_view text, char separator,
                                  std::vector<float>* result) {
  return internal::SplitAndParse(text, separator, result);
}

// Turns "UpperCase" and "some words" into "upper_case" and "some_words", names
// that an op's argument may have: drops characters before the first letter,
// turns those that are neither letters nor digits into '_', and each upper-case
// letter into a lower-case one, with '_' before it unless there is one or it is
// the first.
inline std::string ArgDefCase(absl::string_view s) {
  std::string result;
  for (const char letter : s) {
    const unsigned char c = static_cast<unsigned char>(letter);
    if (result.empty() && !absl::ascii_isalpha(c)) continue;
    if (absl::ascii_isupper(c) && !result.empty() && result.back() != '_') {
      result.push_back('_');
    }
    result.push_back(absl::ascii_isalnum(c) ? absl::ascii_tolower(c) : '_');
  }
  return result;
}

// strlen(s), at most n.
inline size_t Strnlen(const char* s, size_t n) { return strnlen(s, n); }

}  // namespace str_util
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STR_UTIL_H_
