// SPDX-License-Identifier: Apache-2.0
#include "core/lib/core/coding.h"

#include "gtest/gtest.h"

namespace tensorwright {
namespace core {
namespace {

TEST(CodingTest, VarintsReadBack) {
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t v = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    std::string s;
    PutVarint64(&s, v);
    EXPECT_EQ(static_cast<int>(s.size()), VarintLength(v));
    absl::string_view in = s;
    uint64_t back;
    ASSERT_TRUE(GetVarint64(&in, &back));
    EXPECT_EQ(back, v);
    EXPECT_TRUE(in.empty());
  }
}

TEST(CodingTest, BadVarintsAreRefusedAndLeftInPlace) {
  uint64_t v;
  uint32_t w;
  for (const std::string& bad :
       {std::string(), std::string(3, '\x80'), std::string(11, '\xff')}) {
    absl::string_view in = bad;
    EXPECT_FALSE(GetVarint64(&in, &v));
    EXPECT_EQ(in.size(), bad.size());
  }
  std::string wide;
  PutVarint64(&wide, uint64_t{1} << 32);
  absl::string_view in = wide;
  EXPECT_FALSE(GetVarint32(&in, &w));
}

TEST(CodingTest, FixedIsLittleEndian) {
  std::string s;
  PutFixed32(&s, 0x04030201);
  EXPECT_EQ(s, "\x01\x02\x03\x04");
  EXPECT_EQ(DecodeFixed32(s.data()), 0x04030201u);
}

}  // namespace
}  // namespace core
}  // namespace tensorwright
