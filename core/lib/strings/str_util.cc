// SPDX-License-Identifier: Apache-2.0
// The functions of str_util that abseil spells otherwise.
#include "core/lib/strings/str_util.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tensorwright {
namespace str_util {

size_t RemoveLeadingWhitespace(absl::string_view* text) {
  const size_t before = text->size();
  *text = absl::StripLeadingAsciiWhitespace(*text);
  return before - text->size();
}

size_t RemoveTrailingWhitespace(absl::string_view* text) {
  const size_t before = text->size();
  *text = absl::StripTrailingAsciiWhitespace(*text);
  return before - text->size();
}

size_t RemoveWhitespaceContext(absl::string_view* text) {
  return RemoveLeadingWhitespace(text) + RemoveTrailingWhitespace(text);
}

bool ConsumeNonWhitespace(absl::string_view* text, absl::string_view* out) {
  size_t n = 0;
  while (n < text->size() &&
         !absl::ascii_isspace(static_cast<unsigned char>((*text)[n])))
    ++n;
  if (n == 0) return false;
  *out = text->substr(0, n);
  text->remove_prefix(n);
  return true;
}

bool ConsumeLeadingDigits(absl::string_view* text, uint64_t* out) {
  size_t n = 0;
  while (n < text->size() &&
         absl::ascii_isdigit(static_cast<unsigned char>((*text)[n])))
    ++n;
  if (n == 0 || !absl::SimpleAtoi(text->substr(0, n), out)) return false;
  text->remove_prefix(n);
  return true;
}

void TitlecaseString(std::string* s, absl::string_view delimiters) {
  bool at_start = true;
  for (char& c : *s) {
    if (at_start) c = absl::ascii_toupper(static_cast<unsigned char>(c));
    at_start = delimiters.find(c) != absl::string_view::npos;
  }
}

std::string StringReplace(absl::string_view s, absl::string_view from,
                          absl::string_view to, bool replace_all) {
  if (from.empty()) {
    // An empty `from` is found in front, and after each byte.
    std::string result(to);
    for (char c : s) absl::StrAppend(&result, std::string(1, c), to);
    return replace_all ? result : absl::StrCat(to, s);
  }
  if (replace_all) return absl::StrReplaceAll(s, {{from, to}});
  const size_t at = s.find(from);
  if (at == absl::string_view::npos) return std::string(s);
  return absl::StrCat(s.substr(0, at), to, s.substr(at + from.size()));
}

}  // namespace str_util
}  // namespace tensorwright
