// SPDX-License-Identifier: Apache-2.0
// printf into a string.
#ifndef TENSORWRIGHT_CORE_LIB_STRINGS_STRINGPRINTF_H_
#define TENSORWRIGHT_CORE_LIB_STRINGS_STRINGPRINTF_H_

#include <cstdarg>
#include <string>

namespace tensorwright {
namespace strings {

std::string Printf(const char* format, ...)
    __attribute__((format(printf, 1, 2)));
void Appendf(std::string* dest, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void Appendv(std::string* dest, const char* format, va_list args);

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_STRINGS_STRINGPRINTF_H_
