// SPDX-License-Identifier: Apache-2.0
// The gradient of max pools whose windows overlap, in one pass over the images,
// where oneDNN runs the pool again to learn the places of the maxima.  Memory
// bounds it: the rows that windows share stay in the second-level cache until
// they are finished, and those of large images go to memory past the caches.

#include "core/kernels/pooling_ops_max_overlap.h"

#include <algorithm>
#include <memory>

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

// The channels from c on that fill a vector.
template <class D>
HWY_INLINE void AddAt(D d, const float* const* x, float* const* dx, int count,
                      const float* dy, int64_t c) {
  auto best = hn::LoadU(d, x[0] + c);
  auto which = hn::Zero(d);
  for (int k = 1; k < count; ++k) {
    const auto v = hn::LoadU(d, x[k] + c);
    const auto more = hn::Gt(v, best);
    best = hn::IfThenElse(more, v, best);
    which = hn::IfThenElse(more, hn::Set(d, static_cast<float>(k)), which);
  }
  const auto grad = hn::LoadU(d, dy + c);
  for (int k = 0; k < count; ++k) {
    if (dx[k] == nullptr) continue;
    const auto is_best = hn::Eq(which, hn::Set(d, static_cast<float>(k)));
    const auto old = hn::LoadU(d, dx[k] + c);
    hn::StoreU(hn::Add(old, hn::IfThenElseZero(is_best, grad)), d, dx[k] + c);
  }
}

void AddWindow(const float* const* x, float* const* dx, int count,
               const float* dy, int64_t n) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= n; c += lanes) AddAt(d, x, dx, count, dy, c);
  for (; c < n; ++c) AddAt(hn::CappedTag<float, 1>(), x, dx, count, dy, c);
}

// to[n] = from[n], not through the caches; `to` is aligned to vectors.
void StreamFloats(const float* from, int64_t n, float* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Stream(hn::LoadU(d, from + i), d, to + i);
  }
  for (; i < n; ++i) to[i] = from[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(AddWindow);
HWY_EXPORT(StreamFloats);

constexpr int kMaxWindow = 64;
// Images are cut into so many bands of rows, if they are too few for the
// threads; windows that reach into two bands are searched for each.
constexpr int64_t kBandsEnough = 16;
constexpr int64_t kMinBand = 16;
// Gradients of so many bytes would not stay in a cache for who reads them.
constexpr int64_t kLargeBytes = 16 << 20;
constexpr uintptr_t kStreamAlignment = 64;
// How far ahead of the windows pixels are asked for, in floats: the processor
// does not see through so many streams that jump.
constexpr int64_t kAhead = 512;
constexpr int64_t kFloatsOfLine = 16;

// Rows of a gradient that are summed up while windows reach them.
class OpenRows {
 public:
  // Rows [first, last) of dx, at most `most` of them at a time.
  OpenRows(float* dx, int64_t row, int64_t first, int64_t last, int64_t most,
           bool is_large)
      : dx_(dx),
        row_(row),
        next_(first),
        opened_(first),
        last_(last),
        most_(most),
        streams_(is_large && row % (kStreamAlignment / sizeof(float)) == 0 &&
                 reinterpret_cast<uintptr_t>(dx) % kStreamAlignment == 0),
        sums_(new float[most * row]) {}

  float* row(int64_t r) const { return sums_.get() + r % most_ * row_; }

  // Rows below `first` are finished, those up to `last` begin.
  void MoveTo(int64_t first, int64_t last) {
    first = std::min(first, last_);
    for (; next_ < first; ++next_) {
      float* const to = dx_ + next_ * row_;
      if (next_ >= opened_) {
        std::fill_n(to, row_, 0.0f);  // No window has reached it.
      } else if (streams_) {
        HWY_DYNAMIC_DISPATCH(StreamFloats)(row(next_), row_, to);
      } else {
        std::copy_n(row(next_), row_, to);
      }
    }
    opened_ = std::max(opened_, next_);
    for (; opened_ < std::min(last, last_); ++opened_) {
      std::fill_n(row(opened_), row_, 0.0f);
    }
  }
  void Finish() {
    MoveTo(last_, last_);
    if (streams_) hwy::FlushStream();
  }

 private:
  float* const dx_;
  const int64_t row_;
  int64_t next_, opened_;
  const int64_t last_, most_;
  const bool streams_;
  const std::unique_ptr<float[]> sums_;
};

// Rows [first, last) of one image's gradient.
void GradOfBand(const PoolDimensions& d, const float* x, const float* dy,
                int64_t first, int64_t last, float* dx) {
  const int64_t n = d.depth.input, row = d.cols.input * n;
  const bool is_large =
      d.batch * d.InputSize() * int64_t{sizeof(float)} >= kLargeBytes;
  OpenRows open(dx, row, first, last, d.rows.filter, is_large);
  int64_t known = 0;  // Rows below are in a cache.
  for (int64_t i = 0; i < d.rows.output; ++i) {
    const WindowRange rows(d.rows, i);
    if (rows.last <= first || rows.first >= last) continue;
    open.MoveTo(rows.first, rows.last);
    for (int64_t j = 0; j < d.cols.output; ++j) {
      const WindowRange cols(d.cols, j);
      for (int64_t r = std::max(known, rows.first); r < rows.last; ++r) {
        const float* next = x + r * row + cols.first * n + kAhead;
        for (int64_t c = 0; c < d.cols.stride * n; c += kFloatsOfLine) {
          hwy::Prefetch(next + c);
        }
      }
      const float* from[kMaxWindow];
      float* to[kMaxWindow];
      int count = 0;
      for (int64_t r = rows.first; r < rows.last; ++r) {
        float* const sums = r >= first && r < last ? open.row(r) : nullptr;
        for (int64_t c = cols.first; c < cols.last; ++c, ++count) {
          from[count] = x + r * row + c * n;
          to[count] = sums == nullptr ? nullptr : sums + c * n;
        }
      }
      if (count == 0) continue;
      AddMaxPoolGrad(from, to, count, dy + (i * d.cols.output + j) * n, n);
    }
    known = rows.last;
  }
  open.Finish();
}

}  // namespace

void AddMaxPoolGrad(const float* const* x, float* const* dx, int count,
                    const float* dy, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AddWindow)(x, dx, count, dy, n);
}

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
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t image = k / bands, band = k % bands;
      GradOfBand(d, input + image * d.InputSize(),
                 grad + image * d.OutputSize(), height * band / bands,
                 height * (band + 1) / bands,
                 input_grad + image * d.InputSize());
    }
  };
  ParallelFor(ctx, d.batch * bands, d.Cost() / bands, run);
  return true;
}

}  // namespace tensorwright
#endif  // HWY_ONCE
