// SPDX-License-Identifier: Apache-2.0
// Scanner: matches the start of a string, step by step.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_SCANNER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_SCANNER_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace strings {

// Each step takes a match from the front of the rest of the text.  After a step
// that fails all others do nothing, and GetResult is false.
//
//   StringPiece digits, rest;
//   bool ok = Scanner(text).OneLiteral("x").RestartCapture().Many(
//       Scanner::DIGIT).StopCapture().GetResult(&rest, &digits);
class Scanner {
 public:
  enum CharClass {
    ALL,
    DIGIT,
    LETTER,
    LETTER_DIGIT,
    LETTER_DIGIT_DASH_UNDERSCORE,
    LETTER_DIGIT_DASH_DOT_SLASH,
    LETTER_DIGIT_DASH_DOT_SLASH_UNDERSCORE,
    LETTER_DIGIT_DOT,
    LETTER_DIGIT_DOT_PLUS_MINUS,
    LETTER_DIGIT_DOT_UNDERSCORE,
    LETTER_DIGIT_UNDERSCORE,
    LOWERLETTER,
    LOWERLETTER_DIGIT,
    LOWERLETTER_DIGIT_UNDERSCORE,
    NON_ZERO_DIGIT,
    SPACE,
    UPPERLETTER,
    RANGLE,
  };

  explicit Scanner(absl::string_view source)
      : cur_(source), capture_start_(source.data()) {}

  // One takes one character of the class; Many one or more; Any none or more.
  Scanner& One(CharClass c);
  Scanner& Many(CharClass c) { return One(c).Any(c); }
  Scanner& Any(CharClass c);
  Scanner& AnySpace() { return Any(SPACE); }

  // One takes these characters; the other takes them if they are there.
  Scanner& OneLiteral(absl::string_view s);
  Scanner& ZeroOrOneLiteral(absl::string_view s);

  // Takes all characters up to that one, which must be there.  With escapes,
  // one after a backslash does not count.
  Scanner& ScanUntil(char end) { return ScanUntilImpl(end, false); }
  Scanner& ScanEscapedUntil(char end) { return ScanUntilImpl(end, true); }

  // Checks that no text is left.
  Scanner& Eos() {
    if (!cur_.empty()) failed_ = true;
    return *this;
  }

  // Set where the capture of GetResult begins, and where it ends.  At first, it
  // is all the text taken.
  Scanner& RestartCapture() {
    capture_start_ = cur_.data();
    capture_end_ = nullptr;
    return *this;
  }
  Scanner& StopCapture() {
    capture_end_ = cur_.data();
    return *this;
  }

  // The next character, which is not taken.
  char Peek(char default_value = '\0') const {
    return cur_.empty() ? default_value : cur_[0];
  }
  bool empty() const { return cur_.empty(); }

  // False if a step failed: then neither is set.  Both may be null; `remaining`
  // gets the text that no step has taken.  Views of either class will do.
  template <typename Rest = absl::string_view,
            typename Capture = absl::string_view>
  bool GetResult(Rest* remaining = nullptr, Capture* capture = nullptr) {
    if (failed_) return false;
    if (remaining != nullptr) *remaining = cur_;
    if (capture != nullptr) {
      const char* end = capture_end_ != nullptr ? capture_end_ : cur_.data();
      *capture = absl::string_view(capture_start_, end - capture_start_);
    }
    return true;
  }
  template <typename Rest>
  bool GetResult(Rest* remaining, std::nullptr_t) {
    return GetResult(remaining);
  }
  template <typename Capture>
  bool GetResult(std::nullptr_t, Capture* capture) {
    return GetResult(static_cast<absl::string_view*>(nullptr), capture);
  }

 private:
  static bool Matches(CharClass c, char ch);
  Scanner& ScanUntilImpl(char end, bool escaped);

  absl::string_view cur_;  // The text not taken yet.
  const char* capture_start_;
  const char* capture_end_ = nullptr;
  bool failed_ = false;
};

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_SCANNER_H_
