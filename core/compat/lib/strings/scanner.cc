// SPDX-License-Identifier: Apache-2.0
// The steps of Scanner.
#include "core/compat/lib/strings/scanner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace tensorwright {
namespace strings {

Scanner& Scanner::One(CharClass c) {
  if (cur_.empty() || !Matches(c, cur_[0])) {
    failed_ = true;
  } else if (!failed_) {
    cur_.remove_prefix(1);
  }
  return *this;
}

Scanner& Scanner::Any(CharClass c) {
  if (failed_) return *this;
  size_t n = 0;
  while (n < cur_.size() && Matches(c, cur_[n])) ++n;
  cur_.remove_prefix(n);
  return *this;
}

Scanner& Scanner::OneLiteral(absl::string_view s) {
  if (!absl::StartsWith(cur_, s)) {
    failed_ = true;
  } else if (!failed_) {
    cur_.remove_prefix(s.size());
  }
  return *this;
}

Scanner& Scanner::ZeroOrOneLiteral(absl::string_view s) {
  if (!failed_ && absl::StartsWith(cur_, s)) cur_.remove_prefix(s.size());
  return *this;
}

Scanner& Scanner::ScanUntilImpl(char end, bool escaped) {
  if (failed_) return *this;
  for (size_t i = 0; i < cur_.size(); ++i) {
    if (cur_[i] == end) {
      cur_.remove_prefix(i);
      return *this;
    }
    if (escaped && cur_[i] == '\\') ++i;
  }
  failed_ = true;
  return *this;
}

bool Scanner::Matches(CharClass c, char ch) {
  const auto u = static_cast<unsigned char>(ch);
  const bool digit = absl::ascii_isdigit(u);
  const bool lower = absl::ascii_islower(u);
  const bool upper = absl::ascii_isupper(u);
  const bool alnum = digit || lower || upper;
  switch (c) {
    case ALL:
      return true;
    case DIGIT:
      return digit;
    case LETTER:
      return lower || upper;
    case LETTER_DIGIT:
      return alnum;
    case LETTER_DIGIT_DASH_UNDERSCORE:
      return alnum || ch == '-' || ch == '_';
    case LETTER_DIGIT_DASH_DOT_SLASH:
      return alnum || ch == '-' || ch == '.' || ch == '/';
    case LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE:
      return alnum || ch == '-' || ch == '.' || ch == '/' || ch == '_';
    case LETTER_DIGIT_DOT:
      return alnum || ch == '.';
    case LETTER_DIGIT_DOT_PLUS_MINUS:
      return alnum || ch == '.' || ch == '+' || ch == '-';
    case LETTER_DIGIT_DOT_UNDERSCORE:
      return alnum || ch == '.' || ch == '_';
    case LETTER_DIGIT_UNDERSCORE:
      return alnum || ch == '_';
    case LOWERLETTER:
      return lower;
    case LOWERLETTER_DIGIT:
      return lower || digit;
    case LOWERLETTER_DIGIT_UNDERSCORE:
      return lower || digit || ch == '_';
    case NON_ZERO_DIGIT:
      return digit && ch != '0';
    case SPACE:
      return absl::ascii_isspace(u);
    case UPPERLETTER:
      return upper;
    case RANGLE:
      return ch == '>';
  }
  return false;
}

}  // namespace strings
}  // namespace tensorwright
