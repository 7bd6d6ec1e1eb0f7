// SPDX-License-Identifier: Apache-2.0
#include "core/compat/lib/strings/scanner.h"

#include <string>

#include "core/compat/lib/strings/base64.h"
#include "core/lib/core/stringpiece.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace strings {
namespace {

TEST(ScannerTest, CapturesBetweenMarks) {
  StringPiece rest, number;
  EXPECT_TRUE(Scanner("x123 tail")
                  .OneLiteral("x")
                  .RestartCapture()
                  .Many(Scanner::DIGIT)
                  .StopCapture()
                  .AnySpace()
                  .GetResult(&rest, &number));
  EXPECT_EQ(number, "123");
  EXPECT_EQ(rest, "tail");
}

TEST(ScannerTest, AFailedStepFailsTheWhole) {
  absl::string_view rest = "untouched";
  EXPECT_FALSE(Scanner("abc").Many(Scanner::DIGIT).GetResult(&rest));
  EXPECT_EQ(rest, "untouched");
  EXPECT_FALSE(Scanner("ab").OneLiteral("a").Eos().GetResult());
  EXPECT_TRUE(Scanner("a").ZeroOrOneLiteral("b").One(Scanner::ALL).GetResult());
  EXPECT_FALSE(Scanner("").One(Scanner::ALL).GetResult());
}

TEST(ScannerTest, EscapedEndsDoNotCount) {
  absl::string_view capture;
  EXPECT_TRUE(
      Scanner(R"(a\"b"c)").ScanEscapedUntil('"').GetResult(nullptr, &capture));
  EXPECT_EQ(capture, R"(a\"b)");
  EXPECT_TRUE(Scanner(R"(a\"b"c)").ScanUntil('"').GetResult(nullptr, &capture));
  EXPECT_EQ(capture, R"(a\)");
  EXPECT_FALSE(Scanner("abc").ScanUntil('"').GetResult());
}

TEST(Base64Test, RoundTripsAndRejects) {
  const std::string data("\xff\xfe\x00x", 4);
  std::string encoded, decoded;
  EXPECT_TRUE(Base64Encode(data, &encoded).ok());
  EXPECT_EQ(encoded, "__4AeA");
  EXPECT_TRUE(Base64Decode(encoded, &decoded).ok());
  EXPECT_EQ(decoded, data);
  EXPECT_TRUE(Base64Encode(data, /*with_padding=*/true, &encoded).ok());
  EXPECT_EQ(encoded, "__4AeA==");
  EXPECT_TRUE(Base64Decode(encoded, &decoded).ok());
  EXPECT_EQ(decoded, data);
  EXPECT_TRUE(errors::IsInvalidArgument(Base64Decode("a*b", &decoded)));
}

}  // namespace
}  // namespace strings
}  // namespace tensorwright
