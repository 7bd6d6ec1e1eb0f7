// SPDX-License-Identifier: Apache-2.0
#include "core/lib/strings/str_util.h"

#include "core/lib/core/stringpiece.h"
#include "core/lib/hash/hash.h"
#include "core/lib/strings/numbers.h"
#include "core/lib/strings/strcat.h"
#include "core/lib/strings/stringprintf.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(StrUtilTest, SplitsAtAnyCharacterAndJoins) {
  EXPECT_EQ(str_util::Join(str_util::Split("a,b;c", ",;"), "+"), "a+b+c");
  EXPECT_EQ(str_util::Split("a,,b", ",", str_util::SkipEmpty()).size(), 2u);
}

TEST(StrUtilTest, ReplacesFirstOrAll) {
  EXPECT_EQ(str_util::StringReplace("abab", "b", "xy", false), "axyab");
  EXPECT_EQ(str_util::StringReplace("abab", "b", "xy", true), "axyaxy");
  EXPECT_EQ(str_util::StringReplace("abab", "", "xy", true), "xyaxybxyaxybxy");
}

TEST(StrUtilTest, RemovesWhitespace) {
  absl::string_view s = "  x y\t";
  EXPECT_EQ(str_util::RemoveWhitespaceContext(&s), 3u);
  EXPECT_EQ(s, "x y");
}

TEST(StringPieceTest, HasTensorFlowsMembers) {
  const StringPiece s = "hello";
  EXPECT_TRUE(s.contains("ell"));
  EXPECT_TRUE(s.starts_with("he"));
  EXPECT_TRUE(s.ends_with("lo"));
  EXPECT_FALSE(s.ends_with("longer than it is"));
  EXPECT_EQ(s.ToString(), "hello");
  EXPECT_EQ(std::string(s), "hello");
}

TEST(NumbersTest, ReadWholeTextOnly) {
  int32_t i;
  float f;
  EXPECT_TRUE(strings::safe_strto32(" -12 ", &i));
  EXPECT_EQ(i, -12);
  EXPECT_FALSE(strings::safe_strto32("12x", &i));
  EXPECT_FALSE(strings::safe_strto32("3000000000", &i));
  EXPECT_TRUE(strings::safe_strtof("1e-3", &f));
  EXPECT_FALSE(strings::safe_strtof("", &f));
}

TEST(StrUtilTest, ConsumesWordsAndNumbers) {
  StringPiece text = "word 12x", word;
  EXPECT_TRUE(str_util::ConsumeNonWhitespace(&text, &word));
  EXPECT_EQ(word, "word");
  EXPECT_FALSE(str_util::ConsumeNonWhitespace(&text, &word));
  str_util::RemoveLeadingWhitespace(&text);
  uint64_t number;
  EXPECT_TRUE(str_util::ConsumeLeadingDigits(&text, &number));
  EXPECT_EQ(number, 12);
  EXPECT_EQ(text, "x");
  text = "99999999999999999999";
  EXPECT_FALSE(str_util::ConsumeLeadingDigits(&text, &number));
  EXPECT_EQ(text.size(), 20);
  std::string title = "two words-here";
  str_util::TitlecaseString(&title, " ");
  EXPECT_EQ(title, "Two Words-here");
}

TEST(NumbersTest, HumanReadable) {
  EXPECT_EQ(strings::HumanReadableNumBytes(12), "12B");
  EXPECT_EQ(strings::HumanReadableNumBytes(1536), "1.5KiB");
  EXPECT_EQ(strings::HumanReadableNumBytes(int64_t{3} << 30), "3.00GiB");
  EXPECT_EQ(strings::HumanReadableNum(1230), "1.23k");
  EXPECT_EQ(strings::HumanReadableElapsedTime(0.0023), "2.3 ms");
}

TEST(StrCatTest, PrintsWhatHasAnOutputOperator) {
  std::string s = strings::StrCat("a", 1, 2.5);
  strings::StrAppend(&s, true ? "b" : "c", strings::Hex(255));
  EXPECT_EQ(s, "a12.5bff");
  EXPECT_EQ(strings::Printf("%d-%s", 3, "x"), "3-x");
}

TEST(HashTest, GivesTheValuesThatFilesAndBucketsHold) {
  // The hash of an empty text with seed 0 is 0 for MurmurHash64A and
  // MurmurHash2.
  EXPECT_EQ(Hash64("", 0, 0), 0u);
  EXPECT_EQ(Hash32("", 0, 0), 0u);
  EXPECT_NE(Hash64("hello"), Hash64("hellp"));
}

}  // namespace
}  // namespace tensorwright
