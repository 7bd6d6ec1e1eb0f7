// SPDX-License-Identifier: Apache-2.0
// Paddings and names.
#include "core/compat/framework/ops_util.h"

#include "absl/strings/ascii.h"
#include "core/platform/logging.h"

namespace tensorwright {

Eigen::PaddingType BrainPadding2EigenPadding(Padding padding) {
  CHECK_NE(padding, Padding::EXPLICIT) << "Eigen has no explicit padding";
  return padding == Padding::VALID ? Eigen::PADDING_VALID : Eigen::PADDING_SAME;
}

std::string SanitizeThreadSuffix(std::string suffix) {
  for (char& c : suffix) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') {
      c = '_';
    }
  }
  return suffix;
}

}  // namespace tensorwright
