// SPDX-License-Identifier: Apache-2.0
#include "core/lib/hash/crc32c.h"

#include <string>

#include "gtest/gtest.h"

namespace tensorwright {
namespace crc32c {
namespace {

// Sums a bit at a time, as in the definition.
uint32_t Slowly(absl::string_view data) {
  uint32_t crc = 0xffffffffu;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
    }
  }
  return ~crc;
}

std::string Bytes(size_t n) {
  std::string data(n, '\0');
  uint32_t state = 12345;
  for (char& c : data)
    c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return data;
}

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(Value("123456789"), 0xe3069283u);
  EXPECT_EQ(Value(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Value(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, EveryLengthAndAlignmentIsTheDefinition) {
  const std::string data = Bytes(1200);
  for (size_t n : {0, 1, 7, 8, 9, 63, 511, 512, 513, 520, 1100}) {
    for (size_t begin = 0; begin < 9; ++begin) {
      const absl::string_view part = absl::string_view(data).substr(begin, n);
      EXPECT_EQ(Value(part), Slowly(part)) << n << " from " << begin;
    }
  }
}

TEST(Crc32cTest, PartsJoin) {
  const std::string data = Bytes(100000);
  const uint32_t whole = Value(data);
  for (size_t cut : {0, 1, 100, 65536, 99999, 100000}) {
    const uint32_t a = Value(data.data(), cut);
    const uint32_t b = Value(data.data() + cut, data.size() - cut);
    EXPECT_EQ(Extend(a, data.data() + cut, data.size() - cut), whole);
    EXPECT_EQ(Concat(a, b, data.size() - cut), whole) << cut;
  }
}

TEST(Crc32cTest, MaskingIsUndone) {
  for (uint32_t crc : {0u, 1u, 0xffffffffu, 0xe3069283u}) {
    EXPECT_NE(Mask(crc), crc);
    EXPECT_EQ(Unmask(Mask(crc)), crc);
  }
}

}  // namespace
}  // namespace crc32c
}  // namespace tensorwright
