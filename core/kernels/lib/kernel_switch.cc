// SPDX-License-Identifier: Apache-2.0
// The special kernels that the environment turns off.
#include "core/kernels/lib/kernel_switch.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"

namespace tensorwright {

bool KernelIsOff(absl::string_view name) {
  static const auto* off = [] {
    const char* names = std::getenv("TENSORWRIGHT_KERNELS_OFF");
    return new std::vector<std::string>(
        absl::StrSplit(names == nullptr ? "" : names, ',', absl::SkipEmpty()));
  }();
  return absl::c_linear_search(*off, name);
}

}  // namespace tensorwright
