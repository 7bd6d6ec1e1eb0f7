// SPDX-License-Identifier: Apache-2.0
// The mode attr of ops that pad by a mirror image.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_MIRROR_PAD_MODE_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_MIRROR_PAD_MODE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/node_def_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// REFLECT leaves out the border itself, SYMMETRIC repeats it.
enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };

inline std::string GetMirrorPadModeAttrString() {
  return "mode: {'REFLECT', 'SYMMETRIC'}";
}

inline Status GetNodeAttr(AttrSlice attrs, absl::string_view attr_name,
                          MirrorPadMode* value) {
  std::string text;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, attr_name, &text));
  if (text != "REFLECT" && text != "SYMMETRIC") {
    return errors::InvalidArgument(attr_name,
                                   " must be REFLECT or SYMMETRIC, got ", text);
  }
  *value =
      text == "REFLECT" ? MirrorPadMode::REFLECT : MirrorPadMode::SYMMETRIC;
  return Status();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_MIRROR_PAD_MODE_H_
