// SPDX-License-Identifier: Apache-2.0
// Writes numbers and strings as bytes whose order is that of the values, also
// when one follows another: the keys of slices in checkpoints.
#ifndef TENSORWRIGHT_CORE_LIB_STRINGS_ORDERED_CODE_H_
#define TENSORWRIGHT_CORE_LIB_STRINGS_ORDERED_CODE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace strings {

// No state.  Each function appends to `dest`.
class OrderedCode {
 public:
  // Writes zero bytes as 00 ff and ff bytes as ff 00; 00 01 ends the string.
  static void WriteString(std::string* dest, absl::string_view str);
  // Writes how many bytes the number needs, then these, the highest first.
  static void WriteNumIncreasing(std::string* dest, uint64_t num);
  // Writes 1 to 10 bytes, the highest first: as many leading ones (zeros, if
  // negative) as bytes, then the two's complement, 7 bits of which fit into
  // each byte.
  static void WriteSignedNumIncreasing(std::string* dest, int64_t num);
};

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_STRINGS_ORDERED_CODE_H_
