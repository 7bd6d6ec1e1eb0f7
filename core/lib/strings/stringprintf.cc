// SPDX-License-Identifier: Apache-2.0
// printf into a string, measured first.
#include "core/lib/strings/stringprintf.h"

#include <cstdio>

namespace tensorwright {
namespace strings {

void Appendv(std::string* dest, const char* format, va_list args) {
  va_list measure;
  va_copy(measure, args);
  const int length = std::vsnprintf(nullptr, 0, format, measure);
  va_end(measure);
  if (length <= 0) return;
  const size_t old_size = dest->size();
  dest->resize(old_size + static_cast<size_t>(length) + 1);
  std::vsnprintf(dest->data() + old_size, static_cast<size_t>(length) + 1,
                 format, args);
  dest->pop_back();
}

void Appendf(std::string* dest, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Appendv(dest, format, args);
  va_end(args);
}

std::string Printf(const char* format, ...) {
  std::string result;
  va_list args;
  va_start(args, format);
  Appendv(&result, format, args);
  va_end(args);
  return result;
}

}  // namespace strings
}  // namespace tensorwright
