// SPDX-License-Identifier: Apache-2.0
// The padding attr of convolution and pooling.
#ifndef TENSORWRIGHT_CORE_UTIL_PADDING_H_
#define TENSORWRIGHT_CORE_UTIL_PADDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/util/tensor_format.h"

namespace tensorwright {

class AttrSlice;

// VALID: only windows that lie inside.  SAME: zeros around the input, output
// size = ceil(input size / stride). EXPLICIT: the explicit_paddings attr gives
// the number of zeros.
enum Padding {
  VALID = 1,
  SAME = 2,
  EXPLICIT = 3,
};

Status GetPaddingFromString(absl::string_view s, Padding* value);
// Reads the attr of a node, for OpKernelConstruction::GetAttr("padding",
// &padding).
Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   Padding* value);

// Two numbers a dimension, >= 0, and none for batch and channels.
Status CheckValidPadding(Padding padding,
                         const std::vector<int64_t>& explicit_paddings,
                         int num_dims, TensorFormat data_format);

// The text of the attr for REGISTER_OP.
std::string GetPaddingAttrString();
std::string GetPaddingAttrStringWithExplicit();
std::string GetExplicitPaddingsAttrString();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_PADDING_H_
