// SPDX-License-Identifier: Apache-2.0
// Output size and padding of one dimension of a sliding window.

#include "core/util/window_geometry.h"

#include <algorithm>

#include "core/lib/core/errors.h"

namespace tensorwright {

Status ComputeWindow(Padding padding, WindowDim* dim) {
  constexpr int64_t kMax = INT32_MAX;  // Keeps every product within int64.
  if (dim->stride <= 0 || dim->stride > kMax) {
    return errors::InvalidArgument("Stride must be > 0, but got ", dim->stride);
  }
  if (dim->dilation <= 0 || dim->dilation > kMax) {
    return errors::InvalidArgument("Dilation rate must be >= 1, but got ",
                                   dim->dilation);
  }
  if (dim->input < 0 || dim->input > kMax || dim->filter <= 0 ||
      dim->filter > kMax) {
    return errors::InvalidArgument(
        "window and input sizes must be positive int32 values, got window ",
        dim->filter, " and input ", dim->input);
  }
  const int64_t extent = (dim->filter - 1) * dim->dilation + 1;
  switch (padding) {
    case VALID:
      dim->pad_before = dim->pad_after = 0;
      break;
    case EXPLICIT:
      break;
    case SAME: {
      dim->output = (dim->input + dim->stride - 1) / dim->stride;
      const int64_t needed = std::max<int64_t>(
          0, (dim->output - 1) * dim->stride + extent - dim->input);
      dim->pad_before = needed / 2;
      dim->pad_after = needed - dim->pad_before;
      return OkStatus();
    }
  }
  const int64_t padded = dim->input + dim->pad_before + dim->pad_after;
  if (padded < extent) {
    return errors::InvalidArgument(
        "Computed output size would be negative: Negative dimension size "
        "caused by subtracting ",
        extent, " from ", padded, " [input_size: ", dim->input,
        ", effective_filter_size: ", extent, ", stride: ", dim->stride, "]");
  }
  dim->output = (padded - extent) / dim->stride + 1;
  return OkStatus();
}

}  // namespace tensorwright
