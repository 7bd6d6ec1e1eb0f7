// SPDX-License-Identifier: Apache-2.0
// The padding attr of convolutions and pools.
#ifndef TENSORWRIGHT_CORE_UTIL_PADDING_H_
#define TENSORWRIGHT_CORE_UTIL_PADDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/util/tensor_format.h"

namespace tensorwright {

// VALID: windows lie inside the input.  SAME: as many zeros around as make
// output = ceil(input / stride), the odd one after.  EXPLICIT: as the attr
// explicit_paddings says.
enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

Status GetPaddingFromString(absl::string_view text, Padding* padding);

// Checks explicit_paddings against `padding`: empty unless EXPLICIT, else
// (before, after) of each of num_dims dimensions, >= 0, none for batch and
// depth.
Status CheckValidPadding(Padding padding,
                         const std::vector<int64_t>& explicit_paddings,
                         int num_dims, TensorFormat format);

std::string GetPaddingAttrString();            // "padding: {'SAME', 'VALID'}"
std::string GetConvnetDataFormatAttrString();  // "data_format: ..."

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_PADDING_H_
