// SPDX-License-Identifier: Apache-2.0
#include "core/lib/strings/ordered_code.h"

#include <bit>

namespace tensorwright {
namespace strings {

void OrderedCode::WriteString(std::string* dest, absl::string_view str) {
  for (const char c : str) {
    dest->push_back(c);
    if (c == '\0') dest->push_back('\xff');
    if (c == '\xff') dest->push_back('\0');
  }
  dest->append("\0\1", 2);
}

void OrderedCode::WriteNumIncreasing(std::string* dest, uint64_t num) {
  const int bytes = (std::bit_width(num) + 7) / 8;
  dest->push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) {
    dest->push_back(static_cast<char>(num >> (8 * i)));
  }
}

void OrderedCode::WriteSignedNumIncreasing(std::string* dest, int64_t num) {
  constexpr int kMost = 10;
  const uint64_t magnitude = static_cast<uint64_t>(num < 0 ? ~num : num);
  const int bytes = std::bit_width(magnitude) / 7 + 1;
  const char sign = num < 0 ? '\xff' : '\0';
  char all[kMost];
  for (int i = 0; i < kMost; ++i) {
    const int shift = 8 * (kMost - 1 - i);
    all[i] = shift >= 64 ? sign : static_cast<char>(num >> shift);
  }
  // The ones turn the sign's bits around.
  char* const begin = all + kMost - bytes;
  const uint16_t ones = static_cast<uint16_t>(0xffffu << (16 - bytes));
  begin[0] = static_cast<char>(begin[0] ^ (ones >> 8));
  if (bytes > 1) begin[1] = static_cast<char>(begin[1] ^ (ones & 0xff));
  dest->append(begin, static_cast<size_t>(bytes));
}

}  // namespace strings
}  // namespace tensorwright
