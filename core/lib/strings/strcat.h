// SPDX-License-Identifier: Apache-2.0
// strings::StrCat and StrAppend over abseil's; these also take half and
// bfloat16.
#ifndef TENSORWRIGHT_CORE_LIB_STRINGS_STRCAT_H_
#define TENSORWRIGHT_CORE_LIB_STRINGS_STRCAT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/stringpiece.h"

namespace tensorwright {
namespace strings {

using absl::AlphaNum;
using absl::Hex;
using PadSpec = absl::PadSpec;
inline constexpr PadSpec kZeroPad2 = absl::kZeroPad2;
inline constexpr PadSpec kZeroPad4 = absl::kZeroPad4;
inline constexpr PadSpec kZeroPad8 = absl::kZeroPad8;
inline constexpr PadSpec kZeroPad16 = absl::kZeroPad16;

// Arguments that absl::StrCat does not take are printed with their operator<<.
template <typename... Args>
std::string StrCat(const Args&... args) {
  return absl::StrCat(errors::internal::Printable(args)...);
}
template <typename... Args>
void StrAppend(std::string* dest, const Args&... args) {
  absl::StrAppend(dest, errors::internal::Printable(args)...);
}

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_STRINGS_STRCAT_H_
