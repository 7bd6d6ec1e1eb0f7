// SPDX-License-Identifier: Apache-2.0
// What the vector loops of pooling_ops_max_places.cc work on: which pixels a
// window has, and which windows reach a pixel.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_

#include <cstdint>
#include <vector>

#include "core/kernels/nn/pooling_ops.h"

namespace tensorwright {

// The places of a window are counted row by row, also those outside the image.

// The pixels of a window that are inside the image: where they begin, in
// floats, and their places.
struct SearchedPixels {
  int count = 0;
  int64_t offsets[kMaxPlaces];
  float places[kMaxPlaces];
};

// A row of windows that reaches a row of pixels.
struct ReachingRow {
  const uint8_t* maxima;  // [windows, channels]: the first maximum's place.
  const float* grad;      // The same shape.
  int32_t place;          // Of the row's first pixel in the windows.
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

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_
