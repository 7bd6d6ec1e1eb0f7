// SPDX-License-Identifier: Apache-2.0
// Reads and checks the padding attrs.
#include "core/util/padding.h"

#include "core/framework/node_def_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Status GetPaddingFromString(absl::string_view s, Padding* value) {
  if (s == "SAME") {
    *value = SAME;
  } else if (s == "VALID") {
    *value = VALID;
  } else if (s == "EXPLICIT") {
    *value = EXPLICIT;
  } else {
    return errors::NotFound(s, " is not an allowed padding type");
  }
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   Padding* value) {
  std::string s;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, attr_name, &s));
  return GetPaddingFromString(s, value);
}

Status CheckValidPadding(Padding padding,
                         const std::vector<int64_t>& explicit_paddings,
                         int num_dims, TensorFormat data_format) {
  if (padding != EXPLICIT) {
    if (explicit_paddings.empty()) return OkStatus();
    return errors::InvalidArgument(
        "explicit_paddings must be empty unless padding is EXPLICIT, got ",
        explicit_paddings.size(), " numbers");
  }
  if (static_cast<int64_t>(explicit_paddings.size()) != 2 * num_dims) {
    return errors::InvalidArgument("explicit_paddings must have ", 2 * num_dims,
                                   " numbers, got ", explicit_paddings.size());
  }
  for (int64_t p : explicit_paddings) {
    if (p < 0) {
      return errors::InvalidArgument("explicit_paddings must be >= 0, got ", p);
    }
  }
  for (const int d : {GetTensorBatchDimIndex(num_dims, data_format),
                      GetTensorFeatureDimIndex(num_dims, data_format)}) {
    if (explicit_paddings[2 * d] != 0 || explicit_paddings[2 * d + 1] != 0) {
      return errors::InvalidArgument(
          "explicit_paddings must be 0 for batch and channels, got ",
          explicit_paddings[2 * d], " and ", explicit_paddings[2 * d + 1],
          " for dimension ", d);
    }
  }
  return OkStatus();
}

std::string GetPaddingAttrString() { return "padding: {'SAME', 'VALID'}"; }

std::string GetPaddingAttrStringWithExplicit() {
  return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}

std::string GetExplicitPaddingsAttrString() {
  return "explicit_paddings: list(int) = []";
}

}  // namespace tensorwright
