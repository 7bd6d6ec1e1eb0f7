// SPDX-License-Identifier: Apache-2.0
// The vector loops of pooling_ops_max_places.cc, with the pixels that a window
// has and the windows that reach a pixel.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_

#include <cstdint>
#include <vector>

#include "core/kernels/nn/pooling_ops.h"

namespace tensorwright {

// Places are counted as pooling_ops.h says: row by row in the window, including
// pixels outside the image.

// The pixels of a window that are inside the image: their first floats and
// their places.
struct SearchedPixels {
  int count = 0;
  int64_t offsets[kMaxPlaces];
  float places[kMaxPlaces];
};

// A row of windows that contains pixels of a given row of the image.
struct ReachingRow {
  // [windows, channels]: the place of the first maximum.
  const uint8_t* maxima;
  const float* grad;  // The same shape.
  // The place, in these windows, of their first pixel in that row.
  int32_t place;
};

// A window of such a row that contains a given pixel.
struct ReachingWindow {
  int64_t at;     // The place of its channels in the arrays above.
  int32_t place;  // The pixel's place, which is added to the row's.
};

// For each pixel p of a row, the windows that contain it: windows[first[p]] to
// windows[first[p + 1] - 1].
struct ReachingWindows {
  std::vector<ReachingWindow> windows;
  std::vector<int32_t> first;  // [pixels + 1]
};

// These use the widest vectors the processor has (Highway, chosen at run time).
namespace max_places {

// Finds the maxima of `windows` windows, `step` floats apart, of n channels
// each, and writes maxima[windows, n], their places, and y[windows, n], unless
// these are null.
void FindMaxima(const float* x, int64_t step, int64_t windows,
                const SearchedPixels& pixels, int64_t n, uint8_t* maxima,
                float* y);

// Sums dx[pixels, n], a row of the gradient, from the rows of windows that
// reach it.  Meanwhile prefetches as many floats of `ahead`, if that is not
// null.  `streams` writes to memory past the caches; then n and dx are aligned
// to vectors.
void SumRow(const ReachingRow* rows, const ReachingRow* rows_end,
            const ReachingWindows& windows, int64_t n, const float* ahead,
            bool streams, float* dx);

}  // namespace max_places
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_MAX_PLACES_H_
