// SPDX-License-Identifier: Apache-2.0
// Names and checks of paddings.

#include "core/util/padding.h"

#include "core/lib/core/errors.h"

namespace tensorwright {

Status GetPaddingFromString(absl::string_view text, Padding* padding) {
  if (text == "SAME") {
    *padding = SAME;
  } else if (text == "VALID") {
    *padding = VALID;
  } else if (text == "EXPLICIT") {
    *padding = EXPLICIT;
  } else {
    return errors::InvalidArgument(
        "padding must be one of SAME, VALID and EXPLICIT, got ", text);
  }
  return OkStatus();
}

Status CheckValidPadding(Padding padding,
                         const std::vector<int64_t>& explicit_paddings,
                         int num_dims, TensorFormat format) {
  if (padding != EXPLICIT) {
    if (explicit_paddings.empty()) return OkStatus();
    return errors::InvalidArgument(
        "explicit_paddings must be empty unless padding is EXPLICIT, got ",
        explicit_paddings.size(), " values");
  }
  if (explicit_paddings.size() != static_cast<size_t>(2 * num_dims)) {
    return errors::InvalidArgument("explicit_paddings must have ", 2 * num_dims,
                                   " values, got ", explicit_paddings.size());
  }
  for (int64_t value : explicit_paddings) {
    if (value < 0 || value > INT32_MAX) {
      return errors::InvalidArgument(
          "explicit_paddings must be nonnegative int32 values, got ", value);
    }
  }
  for (int dim : {GetTensorBatchDimIndex(num_dims, format),
                  GetTensorFeatureDimIndex(num_dims, format)}) {
    if (explicit_paddings[2 * dim] != 0 ||
        explicit_paddings[2 * dim + 1] != 0) {
      return errors::InvalidArgument(
          "explicit_paddings of batch and depth must be 0, got ",
          explicit_paddings[2 * dim], " and ", explicit_paddings[2 * dim + 1],
          " for dimension ", dim);
    }
  }
  return OkStatus();
}

std::string GetPaddingAttrString() { return "padding: {'SAME', 'VALID'}"; }

std::string GetConvnetDataFormatAttrString() {
  return "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
}

}  // namespace tensorwright
