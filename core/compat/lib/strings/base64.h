// SPDX-License-Identifier: Apache-2.0
// Base64 for URLs and file names: '-' and '_' for '+' and '/'.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_BASE64_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_BASE64_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "core/lib/core/errors.h"
#include "core/platform/tstring.h"

namespace tensorwright {

inline Status Base64Encode(absl::string_view data, bool with_padding,
                           std::string* encoded) {
  absl::WebSafeBase64Escape(data, encoded);
  if (with_padding) encoded->append((4 - encoded->size() % 4) % 4, '=');
  return OkStatus();
}
inline Status Base64Encode(absl::string_view data, std::string* encoded) {
  return Base64Encode(data, /*with_padding=*/false, encoded);
}

// InvalidArgument for text other than Base64, also for white space; padding is
// optional.
inline Status Base64Decode(absl::string_view encoded, std::string* data) {
  const bool has_others =
      encoded.find_first_of(" \t\n\v\f\r.") != absl::string_view::npos;
  if (has_others || !absl::WebSafeBase64Unescape(encoded, data)) {
    return errors::InvalidArgument("Invalid character found in base64.");
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_BASE64_H_
