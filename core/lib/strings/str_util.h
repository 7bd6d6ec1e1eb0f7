// SPDX-License-Identifier: Apache-2.0
// str_util: TensorFlow's names for abseil's string functions.
#ifndef TENSORWRIGHT_CORE_LIB_STRINGS_STR_UTIL_H_
#define TENSORWRIGHT_CORE_LIB_STRINGS_STR_UTIL_H_

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/lib/core/stringpiece.h"

namespace tensorwright {
namespace str_util {

inline bool StartsWith(absl::string_view s, absl::string_view prefix) {
  return absl::StartsWith(s, prefix);
}
inline bool EndsWith(absl::string_view s, absl::string_view suffix) {
  return absl::EndsWith(s, suffix);
}
inline bool StrContains(absl::string_view s, absl::string_view part) {
  return absl::StrContains(s, part);
}
inline bool ConsumePrefix(absl::string_view* s, absl::string_view prefix) {
  return absl::ConsumePrefix(s, prefix);
}
inline bool ConsumeSuffix(absl::string_view* s, absl::string_view suffix) {
  return absl::ConsumeSuffix(s, suffix);
}
inline absl::string_view StripPrefix(absl::string_view s,
                                     absl::string_view prefix) {
  return absl::StripPrefix(s, prefix);
}
inline absl::string_view StripSuffix(absl::string_view s,
                                     absl::string_view suffix) {
  return absl::StripSuffix(s, suffix);
}
inline std::string Lowercase(absl::string_view s) {
  return absl::AsciiStrToLower(s);
}
inline std::string Uppercase(absl::string_view s) {
  return absl::AsciiStrToUpper(s);
}
inline std::string CEscape(absl::string_view s) { return absl::CEscape(s); }
inline bool CUnescape(absl::string_view s, std::string* out,
                      std::string* error) {
  return absl::CUnescape(s, out, error);
}
inline void StripTrailingWhitespace(std::string* s) {
  absl::StripTrailingAsciiWhitespace(s);
}
// Each drops white space at one end and returns the number of characters
// dropped.
size_t RemoveLeadingWhitespace(absl::string_view* text);
size_t RemoveTrailingWhitespace(absl::string_view* text);
size_t RemoveWhitespaceContext(absl::string_view* text);
// Each moves the beginning of `text` to `out`: a word, up to the next space, or
// a number. False, with nothing moved, if there is none, or it does not fit.
bool ConsumeNonWhitespace(absl::string_view* text, absl::string_view* out);
bool ConsumeLeadingDigits(absl::string_view* text, uint64_t* out);
// Makes each word, which a delimiter ends, begin with a capital letter.
void TitlecaseString(std::string* s, absl::string_view delimiters);
// Replaces the first, or every, `from`.
std::string StringReplace(absl::string_view s, absl::string_view from,
                          absl::string_view to, bool replace_all);

template <typename T>
std::string Join(const T& parts, const char* separator) {
  return absl::StrJoin(parts, separator);
}
template <typename T, typename Formatter>
std::string Join(const T& parts, const char* separator, Formatter f) {
  return absl::StrJoin(parts, separator, f);
}

using absl::AllowEmpty;
using absl::SkipEmpty;
using absl::SkipWhitespace;

// Splits at any of the characters.  An empty text has no parts.
inline std::vector<std::string> Split(absl::string_view s,
                                      absl::string_view separators) {
  if (s.empty()) return {};
  return absl::StrSplit(s, absl::ByAnyChar(separators));
}
template <typename Predicate>
std::vector<std::string> Split(absl::string_view s,
                               absl::string_view separators, Predicate p) {
  if (s.empty()) return {};
  return absl::StrSplit(s, absl::ByAnyChar(separators), p);
}
inline std::vector<std::string> Split(absl::string_view s, char separator) {
  if (s.empty()) return {};
  return absl::StrSplit(s, separator);
}

}  // namespace str_util
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_STRINGS_STR_UTIL_H_
