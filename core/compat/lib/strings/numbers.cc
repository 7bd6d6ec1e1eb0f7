// SPDX-License-Identifier: Apache-2.0
// Numbers to and from text, in the caller's buffer.
#include "core/compat/lib/strings/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"

namespace tensorwright {
namespace strings {
namespace {

template <typename T>
size_t IntegerToBuffer(T value, char* buffer) {
  char* end = std::to_chars(buffer, buffer + kFastToBufferSize - 1, value).ptr;
  *end = '\0';
  return static_cast<size_t>(end - buffer);
}

// Writes a point in every locale.
template <typename T>
size_t RealToBuffer(T value, char* buffer) {
  using Limits = std::numeric_limits<T>;
  size_t length = 0;
  for (const int digits : {Limits::digits10, Limits::max_digits10}) {
    length = static_cast<size_t>(
        absl::SNPrintF(buffer, kFastToBufferSize, "%.*g", digits, value));
    T parsed;
    const absl::string_view text(buffer, length);
    if (!std::isfinite(value) ||
        (internal::ReadNumber(text, &parsed) && parsed == value)) {
      break;
    }
  }
  return length;
}

}  // namespace

size_t FastInt32ToBufferLeft(int32_t i, char* buffer) {
  return IntegerToBuffer(i, buffer);
}
size_t FastUInt32ToBufferLeft(uint32_t i, char* buffer) {
  return IntegerToBuffer(i, buffer);
}
size_t FastInt64ToBufferLeft(int64_t i, char* buffer) {
  return IntegerToBuffer(i, buffer);
}
size_t FastUInt64ToBufferLeft(uint64_t i, char* buffer) {
  return IntegerToBuffer(i, buffer);
}
size_t FloatToBuffer(float value, char* buffer) {
  return RealToBuffer(value, buffer);
}
size_t DoubleToBuffer(double value, char* buffer) {
  return RealToBuffer(value, buffer);
}

bool HexStringToUint64(absl::string_view s, uint64_t* result) {
  if (s.empty() || s.size() > 16) return false;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), *result, 16);
  return error == std::errc() && end == s.data() + s.size();
}

absl::string_view Uint64ToHexString(uint64_t v, char* buffer) {
  absl::SNPrintF(buffer, kFastToBufferSize, "%016x", v);
  return absl::string_view(buffer, 16);
}

bool StringToFp(const std::string& s, uint64_t* fingerprint) {
  return s.size() == 16 && HexStringToUint64(s, fingerprint);
}

}  // namespace strings
}  // namespace tensorwright
