// SPDX-License-Identifier: Apache-2.0
// Rows of pixels as floats, for the kernels that resize.
//
// An image is resized along one side at a time.  A whole row is combined with
// other rows in loops over adjacent floats; along the row, pixels of 3 and 4
// channels are moved as vectors of 4 floats.
#ifndef TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ROWS_H_
#define TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "Eigen/Core"
#include "core/framework/numeric_types.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/lib/stream_copy.h"
#include "core/kernels/lib/wide_loops.h"

namespace tensorwright {

template <typename T>
struct RowToFloatLoop {
  TW_WIDE_LOOP static void Run(const T* x, float* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
  }
};

// The row as floats: itself, or a copy in `buffer`, which has room for n.
template <typename T>
const float* RowAsFloats(const T* row, int64_t n, float* buffer) {
  if constexpr (std::is_same_v<T, float>) {
    return row;
  } else if constexpr (kIsStorageOnly<T>) {
    WidenFloats(row, buffer, n);
    return buffer;
  } else {
    RunWide<RowToFloatLoop<T>>(row, buffer, n);
    return buffer;
  }
}

template <typename T, typename A>
struct RowFromLoop {
  TW_WIDE_LOOP static void Run(const A* x, T* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i]);
  }
};

// Stores the row of accumulated numbers in the output's type.
template <typename T, typename A>
void StoreRow(const A* row, int64_t n, T* to) {
  if constexpr (kIsStorageOnly<T>) {
    NarrowFloats(row, to, n);
  } else {
    RunWide<RowFromLoop<T, A>>(row, to, n);
  }
}

// y = a + (b - a) * t, elementwise.
struct MixRowsLoop {
  TW_WIDE_LOOP static void Run(const float* a, const float* b, float t,
                               float* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] + (b[i] - a[i]) * t;
  }
};

// y += w * x.
template <typename A>
struct AddScaledLoop {
  template <typename X>
  TW_WIDE_LOOP static void Run(const X* x, A w, A* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] += static_cast<A>(x[i]) * w;
  }
};

// The same for short runs, such as a pixel's channels, without a call.
template <typename A, typename X>
inline void AddScaledPixel(const X* x, A w, int64_t channels, A* y) {
  for (int64_t c = 0; c < channels; ++c) y[c] += static_cast<A>(x[c]) * w;
}

// A side's LinearPlaces in the form in which rows are read: offsets of
// elements.
struct LinearColumns {
  LinearColumns(const ResizeSide& side, int64_t channels)
      : lower(side.out), upper(side.out), distance(side.out), exact(0) {
    for (int64_t x = 0; x < side.out; ++x) {
      const LinearPlace place = LinearPlaceOf(side, x);
      lower[x] = static_cast<int32_t>(place.lower * channels);
      upper[x] = static_cast<int32_t>(place.upper * channels);
      distance[x] = place.distance;
    }
    // From here on a vector of 4 floats may read or write past the row.
    const int32_t end = static_cast<int32_t>((side.in - 1) * channels);
    while (exact + 1 < side.out && lower[exact] < end && upper[exact] < end) {
      ++exact;
    }
  }

  std::vector<int32_t> lower, upper;
  std::vector<float> distance;
  int64_t exact;
};

struct MixSinglesLoop {
  TW_WIDE_LOOP static void Run(const float* row, const int32_t* lower,
                               const int32_t* upper, const float* distance,
                               int64_t n, float* y) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const float a = row[lower[i]];
      y[i] = a + (row[upper[i]] - a) * distance[i];
    }
  }
};

// y[x, c] = a + (b - a) * distance, for the two pixels of `row`.
inline void MixColumns(const float* row, const LinearColumns& at,
                       int64_t channels, float* y) {
  const int64_t n = static_cast<int64_t>(at.lower.size());
  if (channels == 1) {
    RunWide<MixSinglesLoop>(row, at.lower.data(), at.upper.data(),
                            at.distance.data(), n, y);
    return;
  }
  int64_t x = 0;
  if (channels == 3 || channels == 4) {
    using Pixel = Eigen::Map<const Eigen::Array4f>;
    for (; x < at.exact; ++x) {
      const Eigen::Array4f a = Pixel(row + at.lower[x]);
      const Eigen::Array4f b = Pixel(row + at.upper[x]);
      Eigen::Map<Eigen::Array4f>(y + x * channels) =
          a + (b - a) * at.distance[x];
    }
  }
  for (; x < n; ++x) {
    const float* a = row + at.lower[x];
    const float* b = row + at.upper[x];
    float* to = y + x * channels;
    const float t = at.distance[x];
    for (int64_t c = 0; c < channels; ++c) to[c] = a[c] + (b[c] - a[c]) * t;
  }
}

// The place where a row of the output is made, and its way to the output: large
// outputs go past the caches.
class RowWriter {
 public:
  RowWriter(bool streamed, int64_t row)
      : streamed_(streamed), buffer_(streamed ? row : 0) {}
  RowWriter(const RowWriter&) = delete;
  ~RowWriter() {
    if (streamed_) FinishStreams();
  }
  float* Begin(float* to) { return streamed_ ? buffer_.data() : to; }
  void End(float* to) {
    if (streamed_) {
      StreamCopy(buffer_.data(),
                 static_cast<int64_t>(buffer_.size() * sizeof(float)), to);
    }
  }

 private:
  const bool streamed_;
  std::vector<float> buffer_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ROWS_H_
