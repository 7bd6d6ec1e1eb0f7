// SPDX-License-Identifier: Apache-2.0
// Integers as bytes, as record and checkpoint files have them: of fixed width,
// little-endian, and varints.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_CODING_H_
#define TENSORWRIGHT_CORE_LIB_CORE_CODING_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace core {

inline constexpr int kMaxVarint32Bytes = 5;
inline constexpr int kMaxVarint64Bytes = 10;

inline void EncodeFixed16(char* dst, uint16_t v) { memcpy(dst, &v, sizeof v); }
inline void EncodeFixed32(char* dst, uint32_t v) { memcpy(dst, &v, sizeof v); }
inline void EncodeFixed64(char* dst, uint64_t v) { memcpy(dst, &v, sizeof v); }
inline uint16_t DecodeFixed16(const char* p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
inline uint32_t DecodeFixed32(const char* p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
inline uint64_t DecodeFixed64(const char* p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
void PutFixed16(std::string* dst, uint16_t v);
void PutFixed32(std::string* dst, uint32_t v);
void PutFixed64(std::string* dst, uint64_t v);

void PutVarint32(std::string* dst, uint32_t v);
void PutVarint64(std::string* dst, uint64_t v);
// Writes at `dst`, which has room, and returns the end.
char* EncodeVarint32(char* dst, uint32_t v);
char* EncodeVarint64(char* dst, uint64_t v);
// Each takes a number off the front; false, with `input` unchanged, if there is
// none.
bool GetVarint32(absl::string_view* input, uint32_t* value);
bool GetVarint64(absl::string_view* input, uint64_t* value);
int VarintLength(uint64_t v);

}  // namespace core
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_CODING_H_
