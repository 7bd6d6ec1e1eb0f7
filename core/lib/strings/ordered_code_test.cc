// SPDX-License-Identifier: Apache-2.0
#include "core/lib/strings/ordered_code.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tensorwright {
namespace strings {
namespace {

std::string Signed(int64_t n) {
  std::string s;
  OrderedCode::WriteSignedNumIncreasing(&s, n);
  return s;
}

TEST(OrderedCodeTest, NumbersHaveTheirBytes) {
  std::string s;
  OrderedCode::WriteNumIncreasing(&s, 0);
  OrderedCode::WriteNumIncreasing(&s, 1);
  OrderedCode::WriteNumIncreasing(&s, 256);
  EXPECT_EQ(s, std::string("\0\1\1\2\1\0", 6));
  EXPECT_EQ(Signed(0), "\x80");
  EXPECT_EQ(Signed(63), "\xbf");
  EXPECT_EQ(Signed(64), std::string("\xc0\x40", 2));
  EXPECT_EQ(Signed(-1), "\x7f");
  EXPECT_EQ(Signed(-64), std::string("\x40", 1));
  EXPECT_EQ(Signed(-65), std::string("\x3f\xbf", 2));
}

TEST(OrderedCodeTest, OrderOfBytesIsOrderOfNumbers) {
  std::vector<int64_t> numbers = {std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max()};
  for (int bit = 0; bit < 63; ++bit) {
    const int64_t n = int64_t{1} << bit;
    for (int64_t near : {n - 1, n, n + 1}) {
      numbers.push_back(near);
      numbers.push_back(-near);
    }
  }
  for (int64_t a : numbers) {
    for (int64_t b : numbers) {
      EXPECT_EQ(a < b, Signed(a) < Signed(b)) << a << " " << b;
    }
  }
}

TEST(OrderedCodeTest, StringsEndAndZerosAreEscaped) {
  std::string s;
  OrderedCode::WriteString(&s, absl::string_view("a\0\xff", 3));
  EXPECT_EQ(s, std::string("a\0\xff\xff\0\0\1", 7));
}

}  // namespace
}  // namespace strings
}  // namespace tensorwright
