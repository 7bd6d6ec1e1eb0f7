// SPDX-License-Identifier: Apache-2.0
// What the vector loops of pooling_ops_max_overlap.cc work on: which windows
// reach a pixel.
#ifndef TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_
#define TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_

#include <cstdint>
#include <vector>

namespace tensorwright {

// The places of a window are counted row by row, also those outside the image.

// A row of windows that reaches a row of pixels.
struct ReachingRow {
  const float* maxima;  // [windows, channels]: the place of the first maximum.
  const float* grad;    // The same shape.
  int32_t place;        // Of the row's first pixel in the windows.
};

// A window of such a row that reaches a pixel.
struct ReachingWindow {
  int64_t at;     // Where its channels begin in the arrays above.
  int32_t place;  // Of the pixel, after the row's.
};

// Those that reach each pixel of a row: windows[first[p], first[p + 1]).
struct ReachingWindows {
  std::vector<ReachingWindow> windows;
  std::vector<int32_t> first;  // [pixels + 1]
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_
