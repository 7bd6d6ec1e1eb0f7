// SPDX-License-Identifier: Apache-2.0
// The gradient of max pools whose windows overlap, in one pass over the images,
// where oneDNN runs the pool again to learn the places of the maxima.  A row of
// windows is searched for its maxima, then the rows of pixels that no further
// window reaches are summed up from the windows that do, and written once.
// Memory bounds it: gradients of large images go to memory past the caches.

#include "core/kernels/pooling_ops_max_overlap.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/kernels/pooling_ops.h"
#include "core/util/work_sharder.h"
#include "hwy/cache_control.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/pooling_ops_max_overlap.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The order matters: foreach_target.h includes this file again.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kFloatsOfLine = 64 / sizeof(float);

// Calls body(vector tag, c) for vectors that make up the channels [c, n).
template <class Body>
HWY_INLINE void ForVectors(int64_t n, int64_t c, const Body& body) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const hn::CappedTag<float, 4> few;
  const int64_t few_lanes = static_cast<int64_t>(hn::Lanes(few));
  for (; c + lanes <= n; c += lanes) body(d, c);
  for (; c + few_lanes <= n; c += few_lanes) body(few, c);
  for (; c < n; ++c) body(hn::CappedTag<float, 1>(), c);
}

// The channels from c on that fill a vector.
template <class D>
HWY_INLINE void FindAt(D d, const float* const* x, const float* places,
                       int count, int64_t c, float* maxima) {
  auto best = hn::LoadU(d, x[0] + c);
  auto place = hn::Set(d, places[0]);
  for (int k = 1; k < count; ++k) {
    const auto v = hn::LoadU(d, x[k] + c);
    const auto more = hn::Gt(v, best);
    best = hn::IfThenElse(more, v, best);
    place = hn::IfThenElse(more, hn::Set(d, places[k]), place);
  }
  hn::StoreU(place, d, maxima + c);
}

// maxima[n] = the place of the first maximum of `count` > 0 pixels x[k] of n
// channels.
void FindMaxima(const float* const* x, const float* places, int count,
                int64_t n, float* maxima) {
  ForVectors(n, 0, [&](auto d, int64_t c) HWY_ATTR {
    FindAt(d, x, places, count, c, maxima);
  });
}

// The channels from c on that fill kVectors vectors of one pixel.
template <int kVectors, class D>
HWY_INLINE void SumAt(D d, const ReachingRow* rows, const ReachingRow* rows_end,
                      const ReachingWindow* windows,
                      const ReachingWindow* windows_end, int64_t c,
                      bool streams, float* dx) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // Separate variables stay in registers.
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (const ReachingRow* row = rows; row != rows_end; ++row) {
    for (const ReachingWindow* w = windows; w != windows_end; ++w) {
      const auto place = hn::Set(d, static_cast<float>(row->place + w->place));
      const float* maxima = row->maxima + w->at + c;
      const float* grad = row->grad + w->at + c;
      const auto add = [&](int64_t i, auto& sum) HWY_ATTR {
        const auto is_best = hn::Eq(hn::LoadU(d, maxima + i * lanes), place);
        const auto some = hn::LoadU(d, grad + i * lanes);
        sum = hn::Add(sum, hn::IfThenElseZero(is_best, some));
      };
      add(0, s0);
      if constexpr (kVectors == 4) {
        add(1, s1);
        add(2, s2);
        add(3, s3);
      }
    }
  }
  const auto store = [&](int64_t i, const auto& sum) HWY_ATTR {
    if (streams) {
      hn::Stream(sum, d, dx + c + i * lanes);
    } else {
      hn::StoreU(sum, d, dx + c + i * lanes);
    }
  };
  store(0, s0);
  if constexpr (kVectors == 4) {
    store(1, s1);
    store(2, s2);
    store(3, s3);
  }
}

// dx[pixels, n], a row of the gradient, from the windows that reach it: those
// of the rows.  Meanwhile asks for as many floats of `ahead`, if not null.
// `streams`: to memory past the caches; n and dx are aligned to vectors.
void SumRow(const ReachingRow* rows, const ReachingRow* rows_end,
            const ReachingWindows& windows, int64_t n, const float* ahead,
            bool streams, float* dx) {
  const hn::ScalableTag<float> d;
  const int64_t step = 4 * static_cast<int64_t>(hn::Lanes(d));
  for (size_t p = 0; p + 1 < windows.first.size(); ++p, dx += n) {
    if (ahead != nullptr) {
      for (int64_t c = 0; c < n; c += kFloatsOfLine) hwy::Prefetch(ahead + c);
      ahead += n;
    }
    const ReachingWindow* const begin =
        windows.windows.data() + windows.first[p];
    const ReachingWindow* const end =
        windows.windows.data() + windows.first[p + 1];
    int64_t c = 0;
    for (; c + step <= n; c += step) {
      SumAt<4>(d, rows, rows_end, begin, end, c, streams, dx);
    }
    ForVectors(n, c, [&](auto v, int64_t at) HWY_ATTR {
      SumAt<1>(v, rows, rows_end, begin, end, at, streams, dx);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(FindMaxima);
HWY_EXPORT(SumRow);

constexpr int kMaxWindow = 64;
// Images are cut into so many bands of rows, if they are too few for the
// threads; windows that reach into two bands are searched for each.
constexpr int64_t kBandsEnough = 16;
constexpr int64_t kMinBand = 16;
// Gradients of so many bytes would not stay in a cache for who reads them.
constexpr int64_t kLargeBytes = 16 << 20;
constexpr int64_t kLineBytes = 64;

// The windows [first, last) that reach pixel `p`.
WindowRange WindowsAt(const WindowDim& dim, int64_t p) {
  WindowRange windows(dim, 0);
  const int64_t at = p + dim.pad_before;
  windows.first =
      at < dim.filter ? 0 : (at - dim.filter + dim.stride) / dim.stride;
  windows.last = std::min(dim.output, at / dim.stride + 1);
  return windows;
}

// Which windows of a row reach each of its pixels.
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

// The gradient of the rows [first, last) of one image.
class Band {
 public:
  Band(const PoolDimensions& d, const ReachingWindows& reaching, const float* x,
       const float* dy, int64_t first, int64_t last, float* dx)
      : d_(d),
        reaching_(reaching),
        x_(x),
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
        maxima_(new float[kept_ * d.cols.output * n_]) {}

  void Run() {
    for (int64_t i = WindowsAt(d_.rows, next_).first; i < d_.rows.output; ++i) {
      const int64_t begin = i * d_.rows.stride - d_.rows.pad_before;
      if (begin >= last_) break;
      Finish(begin, i);
      Search(i);
    }
    Finish(last_, d_.rows.output);
    if (streams_) hwy::FlushStream();
  }

 private:
  float* Maxima(int64_t i) const {
    return maxima_.get() + i % kept_ * d_.cols.output * n_;
  }

  // The maxima of row i of the windows.
  void Search(int64_t i) {
    const int64_t row = d_.cols.input * n_;
    const WindowRange rows(d_.rows, i);
    const int64_t top = i * d_.rows.stride - d_.rows.pad_before;
    for (int64_t j = 0; j < d_.cols.output; ++j) {
      const WindowRange cols(d_.cols, j);
      const int64_t left = j * d_.cols.stride - d_.cols.pad_before;
      const float* from[kMaxWindow];
      float places[kMaxWindow];
      int count = 0;
      for (int64_t r = rows.first; r < rows.last; ++r) {
        for (int64_t c = cols.first; c < cols.last; ++c, ++count) {
          from[count] = x_ + r * row + c * n_;
          places[count] =
              static_cast<float>((r - top) * d_.cols.filter + c - left);
        }
      }
      if (count == 0) continue;  // It reaches no pixel.
      HWY_DYNAMIC_DISPATCH(FindMaxima)
      (&from[0], &places[0], count, n_, Maxima(i) + j * n_);
    }
  }

  // Writes the rows below `end`, which windows from row i on do not reach.
  void Finish(int64_t end, int64_t i) {
    for (end = std::min(end, last_); next_ < end; ++next_) {
      const WindowRange range = WindowsAt(d_.rows, next_);
      ReachingRow rows[kMaxWindow];
      ReachingRow* rows_end = rows;
      for (int64_t k = range.first; k < std::min(range.last, i); ++k) {
        const int64_t place = next_ + d_.rows.pad_before - k * d_.rows.stride;
        *rows_end++ = {Maxima(k), dy_ + k * d_.cols.output * n_,
                       static_cast<int32_t>(place * d_.cols.filter)};
      }
      // A row that the windows reach after those that end here: it comes into
      // the cache while this one goes to memory.
      const int64_t row = d_.cols.input * n_;
      const int64_t ahead = next_ + d_.rows.filter;
      HWY_DYNAMIC_DISPATCH(SumRow)
      (&rows[0], rows_end, reaching_, n_,
       ahead < d_.rows.input ? x_ + ahead * row : nullptr, streams_,
       dx_ + next_ * row);
    }
  }

  const PoolDimensions& d_;
  const ReachingWindows& reaching_;
  const float* const x_;
  const float* const dy_;
  float* const dx_;
  const int64_t last_;
  int64_t next_;  // Rows of the gradient below are written.
  const int64_t n_;
  const int64_t kept_;  // Rows of windows that reach one row of pixels.
  const bool streams_;
  const std::unique_ptr<float[]> maxima_;
};

}  // namespace

bool MaxPoolGradOfOverlappingWindows(OpKernelContext* ctx,
                                     const PoolDimensions& d,
                                     const float* input, const float* grad,
                                     float* input_grad) {
  if (d.format != FORMAT_NHWC || d.has_planes || d.depth.filter != 1 ||
      d.rows.filter * d.cols.filter > kMaxWindow) {
    return false;
  }
  const int64_t height = d.rows.input;
  const int64_t bands =
      std::clamp<int64_t>(std::min((kBandsEnough + d.batch - 1) / d.batch,
                                   height / std::max(kMinBand, d.rows.filter)),
                          1, kBandsEnough);
  const ReachingWindows reaching = FindReachingWindows(d);
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      // Last images first: the caches still have what was read and written
      // last.
      const int64_t image = d.batch - 1 - k / bands, band = k % bands;
      Band(d, reaching, input + image * d.InputSize(),
           grad + image * d.OutputSize(), height * band / bands,
           height * (band + 1) / bands, input_grad + image * d.InputSize())
          .Run();
    }
  };
  ParallelFor(ctx, d.batch * bands, d.Cost() / bands, run);
  return true;
}

}  // namespace tensorwright
#endif  // HWY_ONCE
