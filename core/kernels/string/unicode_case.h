// SPDX-License-Identifier: Apache-2.0
// Converts text in UTF-8 to upper and lower case.
#ifndef TENSORWRIGHT_CORE_KERNELS_STRING_UNICODE_CASE_H_
#define TENSORWRIGHT_CORE_KERNELS_STRING_UNICODE_CASE_H_

#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/string/unary_strings.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

enum class LetterCase { kLower, kUpper };

namespace unicode_case_internal {

// Letters whose upper case has several letters (Unicode's SpecialCasing,
// without conditions); sorted.
struct SeveralLetters {
  char32_t letter;
  char32_t upper[3];
};
inline constexpr SeveralLetters kSeveral[] = {
    {0x00DF, {0x0053, 0x0053}},         {0x0149, {0x02BC, 0x004E}},
    {0x01F0, {0x004A, 0x030C}},         {0x0390, {0x0399, 0x0308, 0x0301}},
    {0x03B0, {0x03A5, 0x0308, 0x0301}}, {0x0587, {0x0535, 0x0552}},
    {0x1E96, {0x0048, 0x0331}},         {0x1E97, {0x0054, 0x0308}},
    {0x1E98, {0x0057, 0x030A}},         {0x1E99, {0x0059, 0x030A}},
    {0x1E9A, {0x0041, 0x02BE}},         {0x1F50, {0x03A5, 0x0313}},
    {0x1F52, {0x03A5, 0x0313, 0x0300}}, {0x1F54, {0x03A5, 0x0313, 0x0301}},
    {0x1F56, {0x03A5, 0x0313, 0x0342}}, {0x1F80, {0x1F08, 0x0399}},
    {0x1F81, {0x1F09, 0x0399}},         {0x1F82, {0x1F0A, 0x0399}},
    {0x1F83, {0x1F0B, 0x0399}},         {0x1F84, {0x1F0C, 0x0399}},
    {0x1F85, {0x1F0D, 0x0399}},         {0x1F86, {0x1F0E, 0x0399}},
    {0x1F87, {0x1F0F, 0x0399}},         {0x1F88, {0x1F08, 0x0399}},
    {0x1F89, {0x1F09, 0x0399}},         {0x1F8A, {0x1F0A, 0x0399}},
    {0x1F8B, {0x1F0B, 0x0399}},         {0x1F8C, {0x1F0C, 0x0399}},
    {0x1F8D, {0x1F0D, 0x0399}},         {0x1F8E, {0x1F0E, 0x0399}},
    {0x1F8F, {0x1F0F, 0x0399}},         {0x1F90, {0x1F28, 0x0399}},
    {0x1F91, {0x1F29, 0x0399}},         {0x1F92, {0x1F2A, 0x0399}},
    {0x1F93, {0x1F2B, 0x0399}},         {0x1F94, {0x1F2C, 0x0399}},
    {0x1F95, {0x1F2D, 0x0399}},         {0x1F96, {0x1F2E, 0x0399}},
    {0x1F97, {0x1F2F, 0x0399}},         {0x1F98, {0x1F28, 0x0399}},
    {0x1F99, {0x1F29, 0x0399}},         {0x1F9A, {0x1F2A, 0x0399}},
    {0x1F9B, {0x1F2B, 0x0399}},         {0x1F9C, {0x1F2C, 0x0399}},
    {0x1F9D, {0x1F2D, 0x0399}},         {0x1F9E, {0x1F2E, 0x0399}},
    {0x1F9F, {0x1F2F, 0x0399}},         {0x1FA0, {0x1F68, 0x0399}},
    {0x1FA1, {0x1F69, 0x0399}},         {0x1FA2, {0x1F6A, 0x0399}},
    {0x1FA3, {0x1F6B, 0x0399}},         {0x1FA4, {0x1F6C, 0x0399}},
    {0x1FA5, {0x1F6D, 0x0399}},         {0x1FA6, {0x1F6E, 0x0399}},
    {0x1FA7, {0x1F6F, 0x0399}},         {0x1FA8, {0x1F68, 0x0399}},
    {0x1FA9, {0x1F69, 0x0399}},         {0x1FAA, {0x1F6A, 0x0399}},
    {0x1FAB, {0x1F6B, 0x0399}},         {0x1FAC, {0x1F6C, 0x0399}},
    {0x1FAD, {0x1F6D, 0x0399}},         {0x1FAE, {0x1F6E, 0x0399}},
    {0x1FAF, {0x1F6F, 0x0399}},         {0x1FB2, {0x1FBA, 0x0399}},
    {0x1FB3, {0x0391, 0x0399}},         {0x1FB4, {0x0386, 0x0399}},
    {0x1FB6, {0x0391, 0x0342}},         {0x1FB7, {0x0391, 0x0342, 0x0399}},
    {0x1FBC, {0x0391, 0x0399}},         {0x1FC2, {0x1FCA, 0x0399}},
    {0x1FC3, {0x0397, 0x0399}},         {0x1FC4, {0x0389, 0x0399}},
    {0x1FC6, {0x0397, 0x0342}},         {0x1FC7, {0x0397, 0x0342, 0x0399}},
    {0x1FCC, {0x0397, 0x0399}},         {0x1FD2, {0x0399, 0x0308, 0x0300}},
    {0x1FD3, {0x0399, 0x0308, 0x0301}}, {0x1FD6, {0x0399, 0x0342}},
    {0x1FD7, {0x0399, 0x0308, 0x0342}}, {0x1FE2, {0x03A5, 0x0308, 0x0300}},
    {0x1FE3, {0x03A5, 0x0308, 0x0301}}, {0x1FE4, {0x03A1, 0x0313}},
    {0x1FE6, {0x03A5, 0x0342}},         {0x1FE7, {0x03A5, 0x0308, 0x0342}},
    {0x1FF2, {0x1FFA, 0x0399}},         {0x1FF3, {0x03A9, 0x0399}},
    {0x1FF4, {0x038F, 0x0399}},         {0x1FF6, {0x03A9, 0x0342}},
    {0x1FF7, {0x03A9, 0x0342, 0x0399}}, {0x1FFC, {0x03A9, 0x0399}},
    {0xFB00, {0x0046, 0x0046}},         {0xFB01, {0x0046, 0x0049}},
    {0xFB02, {0x0046, 0x004C}},         {0xFB03, {0x0046, 0x0046, 0x0049}},
    {0xFB04, {0x0046, 0x0046, 0x004C}}, {0xFB05, {0x0053, 0x0054}},
    {0xFB06, {0x0053, 0x0054}},         {0xFB13, {0x0544, 0x0546}},
    {0xFB14, {0x0544, 0x0535}},         {0xFB15, {0x0544, 0x053B}},
    {0xFB16, {0x054E, 0x0546}},         {0xFB17, {0x0544, 0x053D}},
};

// Returns the C library's tables of letters; nullptr if it has none.
inline locale_t Letters() {
  static const locale_t letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return letters;
}

// Returns the character at s[*at], and moves *at behind it.  Bytes that are no
// character give one U+FFFD for as many of them as could have begun one.
inline char32_t Next(absl::string_view s, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte((*at)++);
  if (first < 0x80) return first;
  if (first < 0xC2 || first > 0xF4) return 0xFFFD;
  const int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t c = first & (0x3F >> more);
  // The bounds of the second byte: they exclude overlong forms, surrogates and
  // values above U+10FFFF.
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (int k = 0; k < more; ++k) {
    if (*at >= s.size() || byte(*at) < low || byte(*at) > high) return 0xFFFD;
    c = c << 6 | (byte((*at)++) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return c;
}

inline void Append(char32_t c, std::string* to) {
  const auto put = [&](char32_t bits) { *to += static_cast<char>(bits); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

inline bool IsCased(char32_t c) {
  const wint_t w = static_cast<wint_t>(c);
  return towlower_l(w, Letters()) != w || towupper_l(w, Letters()) != w;
}

// Says whether this is an accent or punctuation within words.
inline bool IsSkipped(char32_t c) {
  return c == 0x27 || c == 0x2E || c == 0x3A || c == 0xAD || c == 0xB7 ||
         (c >= 0x300 && c < 0x370) || c == 0x2018 || c == 0x2019;
}

inline void AppendUpper(char32_t c, std::string* to) {
  const auto found =
      std::lower_bound(std::begin(kSeveral), std::end(kSeveral), c,
                       [](const SeveralLetters& x, char32_t letter) {
                         return x.letter < letter;
                       });
  if (found == std::end(kSeveral) || found->letter != c) {
    Append(static_cast<char32_t>(towupper_l(static_cast<wint_t>(c), Letters())),
           to);
    return;
  }
  for (const char32_t letter : found->upper) {
    if (letter != 0) Append(letter, to);
  }
}

// Says whether a letter with a case follows `at`.
inline bool CasedFollows(absl::string_view s, size_t at) {
  while (at < s.size()) {
    const char32_t c = Next(s, &at);
    if (!IsSkipped(c)) return IsCased(c);
  }
  return false;
}

}  // namespace unicode_case_internal

// Returns `s` in upper or lower case; a sigma at the end of a word becomes the
// final one.
inline std::string MapUnicodeCase(absl::string_view s, LetterCase to) {
  using namespace unicode_case_internal;  // NOLINT
  constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130;
  std::string mapped;
  mapped.reserve(s.size());
  bool after_cased = false;
  for (size_t at = 0; at < s.size();) {
    const char32_t c = Next(s, &at);
    if (to == LetterCase::kUpper) {
      AppendUpper(c, &mapped);
      continue;
    }
    if (c == kSigma && after_cased && !CasedFollows(s, at)) {
      Append(kFinalSigma, &mapped);
    } else if (c == kDottedI) {
      mapped += "i\xCC\x87";
    } else {
      Append(
          static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), Letters())),
          &mapped);
    }
    if (!IsSkipped(c)) after_cased = IsCased(c);
  }
  return mapped;
}

// The kernel of StringLower and StringUpper.
template <LetterCase kTo>
class StringCaseOp final : public OpKernel {
 public:
  explicit StringCaseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string encoding;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("encoding", &encoding));
    OP_REQUIRES(
        ctx, encoding.empty() || encoding == "utf-8",
        errors::InvalidArgument(
            type_string(), ": encoding must be 'utf-8', or '' for ASCII, got '",
            encoding, "'"));
    unicode_ = !encoding.empty();
    OP_REQUIRES(ctx, !unicode_ || unicode_case_internal::Letters() != nullptr,
                errors::Unimplemented(
                    type_string(), ": the C library knows no Unicode letters"));
  }

  void Compute(OpKernelContext* ctx) override {
    constexpr int64_t kCycles = 200;
    ChangeStrings(ctx, kCycles, [this](std::string* s) {
      if (unicode_) {
        *s = MapUnicodeCase(*s, kTo);
      } else if (kTo == LetterCase::kLower) {
        absl::AsciiStrToLower(s);
      } else {
        absl::AsciiStrToUpper(s);
      }
    });
  }

 private:
  bool unicode_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_STRING_UNICODE_CASE_H_
