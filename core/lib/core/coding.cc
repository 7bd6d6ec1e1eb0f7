// SPDX-License-Identifier: Apache-2.0
// Varints: seven bits a byte, low ones first; the top bit tells that more bytes
// follow.
#include "core/lib/core/coding.h"

#include <limits>

namespace tensorwright {
namespace core {
namespace {

template <typename T>
void PutFixed(std::string* dst, T v) {
  dst->append(reinterpret_cast<const char*>(&v), sizeof v);
}

}  // namespace

void PutFixed16(std::string* dst, uint16_t v) { PutFixed(dst, v); }
void PutFixed32(std::string* dst, uint32_t v) { PutFixed(dst, v); }
void PutFixed64(std::string* dst, uint64_t v) { PutFixed(dst, v); }

char* EncodeVarint64(char* dst, uint64_t v) {
  while (v >= 128) {
    *dst++ = static_cast<char>(v | 128);
    v >>= 7;
  }
  *dst++ = static_cast<char>(v);
  return dst;
}

char* EncodeVarint32(char* dst, uint32_t v) { return EncodeVarint64(dst, v); }

void PutVarint64(std::string* dst, uint64_t v) {
  char buffer[kMaxVarint64Bytes];
  dst->append(buffer, EncodeVarint64(buffer, v) - buffer);
}

void PutVarint32(std::string* dst, uint32_t v) { PutVarint64(dst, v); }

bool GetVarint64(absl::string_view* input, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < input->size() && i < kMaxVarint64Bytes; ++i) {
    const uint64_t byte = static_cast<uint8_t>((*input)[i]);
    if (i == 9 && byte > 1) return false;  // Bits beyond the 64th.
    result |= (byte & 127) << (7 * i);
    if (byte < 128) {
      *value = result;
      input->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool GetVarint32(absl::string_view* input, uint32_t* value) {
  absl::string_view rest = *input;
  uint64_t wide;
  if (!GetVarint64(&rest, &wide) ||
      wide > std::numeric_limits<uint32_t>::max()) {
    return false;
  }
  *value = static_cast<uint32_t>(wide);
  *input = rest;
  return true;
}

int VarintLength(uint64_t v) {
  int length = 1;
  for (; v >= 128; v >>= 7) ++length;
  return length;
}

}  // namespace core
}  // namespace tensorwright
