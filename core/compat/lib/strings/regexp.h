// SPDX-License-Identifier: Apache-2.0
// Regular expressions: RE2 under the names that TensorFlow's sources use.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_REGEXP_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_REGEXP_H_

#include <re2/re2.h>

#include "absl/strings/string_view.h"

// NOLINTNEXTLINE: RE2's own namespace, as TensorFlow's header has it.
using RE2 = re2::RE2;

namespace tensorwright {

// Debian's RE2 has its own string piece.
inline re2::StringPiece ToRegexpStringPiece(absl::string_view s) {
  return re2::StringPiece(s.data(), s.size());
}
inline absl::string_view FromRegexpStringPiece(re2::StringPiece s) {
  return absl::string_view(s.data(), s.size());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_REGEXP_H_
