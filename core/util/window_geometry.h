// SPDX-License-Identifier: Apache-2.0
// Computes the positions of a convolution's or a pool's windows: shape
// functions and kernels share this, so that both agree on every output size.
#ifndef TENSORWRIGHT_CORE_UTIL_WINDOW_GEOMETRY_H_
#define TENSORWRIGHT_CORE_UTIL_WINDOW_GEOMETRY_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/util/padding.h"

namespace tensorwright {

// One space dimension of a sliding window.  Window o covers the input indices
// o * stride - pad_before + i * dilation, 0 <= i < filter.
struct WindowDim {
  int64_t input = 0;
  int64_t filter = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  // Given if the padding is EXPLICIT, otherwise computed.
  int64_t pad_before = 0;
  int64_t pad_after = 0;  // Likewise.
  int64_t output = 0;     // Computed.
};

// Computes output and the paddings.  InvalidArgument if a size is not
// positive, overflows, or would give a negative output size.
Status ComputeWindow(Padding padding, WindowDim* dim);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_WINDOW_GEOMETRY_H_
