// SPDX-License-Identifier: Apache-2.0
// Computes max pools and the places of their maxima, and the gradient of max
// pools whose windows may overlap, in one pass over the images.  If no forward
// pass kept the places, each row of windows is searched for them.  Then each
// row of pixels that no later window reaches is summed from the windows that
// reach it, and written once.  Memory bounds it: gradients of large images go
// to memory past the caches.

#include "core/kernels/nn/pooling_ops_max_places.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/kernels/nn/pooling_ops.h"
#include "core/util/work_sharder.h"
#include "hwy/cache_control.h"

namespace tensorwright {
namespace {

// Images are cut into so many bands of rows if there are fewer of them than the
// threads need; windows that reach into two bands are searched for each.
constexpr int64_t kBandsEnough = 16;
constexpr int64_t kMinBand = 16;
// Gradients of so many bytes would leave the cache before they are read.
constexpr int64_t kLargeBytes = 16 << 20;
constexpr int64_t kLineBytes = 64;

// Returns the windows [first, last) that reach pixel `p`.
WindowRange WindowsAt(const WindowDim& dim, int64_t p) {
  WindowRange windows(dim, 0);
  const int64_t at = p + dim.pad_before;
  windows.first =
      at < dim.filter ? 0 : (at - dim.filter + dim.stride) / dim.stride;
  windows.last = std::min(dim.output, at / dim.stride + 1);
  return windows;
}

// Finds the windows of a row that reach each of its pixels.
ReachingWindows FindReachingWindows(const PoolDimensions& d) {
  ReachingWindows reaching;
  reaching.first.push_back(0);
  for (int64_t c = 0; c < d.cols.input; ++c) {
    const WindowRange range = WindowsAt(d.cols, c);
    for (int64_t j = range.first; j < range.last; ++j) {
      const int64_t place = c + d.cols.pad_before - j * d.cols.stride;
      reaching.windows.push_back(
          {j * d.depth.input, static_cast<int32_t>(place)});
    }
    reaching.first.push_back(static_cast<int32_t>(reaching.windows.size()));
  }
  return reaching;
}

// Finds the pixels inside the image of the windows of row i that begin at
// column `left`; their offsets count from pixel (0, max(left, 0)).
SearchedPixels PixelsOf(const PoolDimensions& d, int64_t i, int64_t left) {
  const int64_t n = d.depth.input, row = d.cols.input * n;
  const WindowRange rows(d.rows, i);
  const int64_t top = i * d.rows.stride - d.rows.pad_before;
  const int64_t first = std::max<int64_t>(left, 0);
  const int64_t last = std::min(left + d.cols.filter, d.cols.input);
  SearchedPixels pixels;
  for (int64_t r = rows.first; r < rows.last; ++r) {
    for (int64_t c = first; c < last; ++c, ++pixels.count) {
      pixels.offsets[pixels.count] = r * row + (c - first) * n;
      pixels.places[pixels.count] =
          static_cast<float>((r - top) * d.cols.filter + c - left);
    }
  }
  return pixels;
}

// Searches row i of the windows of image x for its maxima; writes their places
// and the maxima themselves, unless these are null.
void SearchRow(const PoolDimensions& d, const float* x, int64_t i,
               uint8_t* maxima, float* y) {
  const int64_t n = d.depth.input;
  for (int64_t j = 0, windows; j < d.cols.output; j += windows) {
    const int64_t left = j * d.cols.stride - d.cols.pad_before;
    // Windows that are wholly between the edges are alike.
    const int64_t room = d.cols.input - d.cols.filter - left;
    windows = left < 0 || room < 0
                  ? 1
                  : std::min(d.cols.output - j, room / d.cols.stride + 1);
    const SearchedPixels pixels = PixelsOf(d, i, left);
    uint8_t* const to = maxima == nullptr ? nullptr : maxima + j * n;
    float* const y_to = y == nullptr ? nullptr : y + j * n;
    if (pixels.count > 0) {
      max_places::FindMaxima(x + std::max<int64_t>(left, 0) * n,
                             d.cols.stride * n, windows, pixels, n, to, y_to);
      continue;
    }
    // These windows reach no pixel.
    if (to != nullptr) std::fill_n(to, windows * n, uint8_t{0});
    if (y_to != nullptr) {
      std::fill_n(y_to, windows * n, std::numeric_limits<float>::lowest());
    }
  }
}

// Computes the gradient of the rows [first, last) of one image x from the
// places of its windows' maxima; searches for these if `places` is null.
class Band {
 public:
  Band(const PoolDimensions& d, const ReachingWindows& reaching, const float* x,
       const uint8_t* places, const float* dy, int64_t first, int64_t last,
       float* dx)
      : d_(d),
        reaching_(reaching),
        x_(x),
        places_(places),
        dy_(dy),
        dx_(dx),
        last_(last),
        next_(first),
        n_(d.depth.input),
        kept_((d.rows.filter + d.rows.stride - 1) / d.rows.stride),
        streams_(d.batch * d.InputSize() * int64_t{sizeof(float)} >=
                     kLargeBytes &&
                 n_ * int64_t{sizeof(float)} % kLineBytes == 0 &&
                 reinterpret_cast<uintptr_t>(dx) % kLineBytes == 0),
        searched_(places == nullptr ? new uint8_t[kept_ * d.cols.output * n_]
                                    : nullptr) {}

  void Run() {
    for (int64_t i = WindowsAt(d_.rows, next_).first; i < d_.rows.output; ++i) {
      const int64_t begin = i * d_.rows.stride - d_.rows.pad_before;
      if (begin >= last_) break;
      Finish(begin, i);
      if (places_ == nullptr) SearchRow(d_, x_, i, Searched(i), nullptr);
    }
    Finish(last_, d_.rows.output);
    if (streams_) hwy::FlushStream();
  }

 private:
  uint8_t* Searched(int64_t i) const {
    return searched_.get() + i % kept_ * d_.cols.output * n_;
  }
  const uint8_t* Maxima(int64_t i) const {
    return places_ == nullptr ? Searched(i) : places_ + i * d_.cols.output * n_;
  }

  // Writes the rows below `end`, which no window from row i on reaches.
  void Finish(int64_t end, int64_t i) {
    for (end = std::min(end, last_); next_ < end; ++next_) {
      const WindowRange range = WindowsAt(d_.rows, next_);
      ReachingRow rows[kMaxPlaces];
      ReachingRow* rows_end = rows;
      for (int64_t k = range.first; k < std::min(range.last, i); ++k) {
        const int64_t place = next_ + d_.rows.pad_before - k * d_.rows.stride;
        *rows_end++ = {Maxima(k), dy_ + k * d_.cols.output * n_,
                       static_cast<int32_t>(place * d_.cols.filter)};
      }
      // This row will be searched after those that end here; it comes into the
      // cache while this one goes to memory.
      const int64_t row = d_.cols.input * n_;
      const int64_t ahead = next_ + d_.rows.filter;
      const bool is_read = places_ == nullptr && ahead < d_.rows.input;
      max_places::SumRow(&rows[0], rows_end, reaching_, n_,
                         is_read ? x_ + ahead * row : nullptr, streams_,
                         dx_ + next_ * row);
    }
  }

  const PoolDimensions& d_;
  const ReachingWindows& reaching_;
  const float* const x_;
  const uint8_t* const places_;
  const float* const dy_;
  float* const dx_;
  const int64_t last_;
  int64_t next_;  // Rows of the gradient before it are written.
  const int64_t n_;
  const int64_t kept_;  // The rows of windows that reach one row of pixels.
  const bool streams_;
  // The places of the kept rows' maxima.
  const std::unique_ptr<uint8_t[]> searched_;
};

}  // namespace

void MaxPoolWithPlaces(OpKernelContext* ctx, const PoolDimensions& d,
                       const float* input, float* output, uint8_t* places) {
  const int64_t row = d.cols.output * d.depth.output;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      SearchRow(d, input + k / d.rows.output * d.InputSize(), k % d.rows.output,
                places == nullptr ? nullptr : places + k * row,
                output + k * row);
    }
  };
  ParallelFor(ctx, d.batch * d.rows.output, d.Cost() / d.rows.output, run);
}

void MaxPoolGradOfPlaces(OpKernelContext* ctx, const PoolDimensions& d,
                         const float* input, const uint8_t* places,
                         const float* grad, float* input_grad) {
  const int64_t height = d.rows.input;
  const int64_t bands =
      std::clamp<int64_t>(std::min((kBandsEnough + d.batch - 1) / d.batch,
                                   height / std::max(kMinBand, d.rows.filter)),
                          1, kBandsEnough);
  const ReachingWindows reaching = FindReachingWindows(d);
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      // Takes the last images first, because the caches still have the last
      // data read and written.
      const int64_t image = d.batch - 1 - k / bands, band = k % bands;
      const int64_t in = image * d.InputSize(), out = image * d.OutputSize();
      Band(d, reaching, input + in, places == nullptr ? nullptr : places + out,
           grad + out, height * band / bands, height * (band + 1) / bands,
           input_grad + in)
          .Run();
    }
  };
  ParallelFor(ctx, d.batch * bands, d.Cost() / bands, run);
}

}  // namespace tensorwright
