// SPDX-License-Identifier: Apache-2.0
// Computes the gradient of max pools whose windows do not overlap, which most
// do not: it reads each element of the input once and writes its gradient once,
// while oneDNN runs the pool again to learn the places of the maxima.  Memory
// bounds it.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/nn/pooling_ops.h"
#include "core/util/work_sharder.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Does the channels from c on that fill a vector.  kCount is `count` or 0.
template <int kCount, class D>
HWY_INLINE void SetAt(D d, const float* const* x, float* const* dx, int count,
                      const float* dy, int64_t c) {
  if constexpr (kCount != 0) count = kCount;
  auto best = hn::LoadU(d, x[0] + c);
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  // NaN is never a maximum.
  best = hn::IfThenElse(hn::IsNaN(best), lowest, best);
  auto which = hn::Zero(d);
  for (int k = 1; k < count; ++k) {
    const auto v = hn::LoadU(d, x[k] + c);
    const auto more = hn::Gt(v, best);
    best = hn::IfThenElse(more, v, best);
    which = hn::IfThenElse(more, hn::Set(d, static_cast<float>(k)), which);
  }
  const auto grad = hn::LoadU(d, dy + c);
  for (int k = 0; k < count; ++k) {
    const auto is_best = hn::Eq(which, hn::Set(d, static_cast<float>(k)));
    hn::StoreU(hn::IfThenElseZero(is_best, grad), d, dx[k] + c);
  }
}

template <int kCount>
HWY_INLINE void SetAll(const float* const* x, float* const* dx, int count,
                       const float* dy, int64_t n) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= n; c += lanes) SetAt<kCount>(d, x, dx, count, dy, c);
  for (; c < n; ++c) {
    SetAt<kCount>(hn::CappedTag<float, 1>(), x, dx, count, dy, c);
  }
}

// Does one window of `count` pixels x[k] with gradients dx[k], `n` channels
// each: dy goes to the first maximum, 0 to the others.
void SetWindow(const float* const* x, float* const* dx, int count,
               const float* dy, int64_t n) {
  if (count == 4) {  // 2 by 2, the usual window.
    SetAll<4>(x, dx, count, dy, n);
  } else {
    SetAll<0>(x, dx, count, dy, n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(SetWindow);

bool CoversAll(const WindowDim& w) {
  return w.stride == w.filter && w.pad_before == 0 &&
         w.output * w.stride >= w.input;
}

}  // namespace

void MaxPoolGradOfApartWindows(OpKernelContext* ctx, const PoolDimensions& d,
                               const float* input, const float* grad,
                               float* input_grad) {
  const int64_t n = d.depth.input, row = d.cols.input * n;
  const bool covers_all = CoversAll(d.rows) && CoversAll(d.cols);
  // Does one row of windows, and the rows of pixels up to the next one.
  const auto run_row = [&](int64_t image, int64_t i) {
    const float* x = input + image * d.rows.input * row;
    float* dx = input_grad + image * d.rows.input * row;
    if (!covers_all) {
      const auto start = [&](int64_t r) {
        return r == 0 ? int64_t{0}
               : r == d.rows.output
                   ? d.rows.input
                   : std::clamp<int64_t>(r * d.rows.stride - d.rows.pad_before,
                                         0, d.rows.input);
      };
      std::fill(dx + start(i) * row, dx + start(i + 1) * row, 0.0f);
    }
    const WindowRange rows(d.rows, i);
    const float* dy = grad + (image * d.rows.output + i) * d.cols.output * n;
    for (int64_t j = 0; j < d.cols.output; ++j, dy += n) {
      const WindowRange cols(d.cols, j);
      const float* from[kMaxPlaces];
      float* to[kMaxPlaces];
      int count = 0;
      for (int64_t r = rows.first; r < rows.last; ++r) {
        for (int64_t c = cols.first; c < cols.last; ++c, ++count) {
          from[count] = x + r * row + c * n;
          to[count] = dx + r * row + c * n;
        }
      }
      if (count > 0) {
        HWY_DYNAMIC_DISPATCH(SetWindow)(&from[0], &to[0], count, dy, n);
      }
    }
  };
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      run_row(k / d.rows.output, k % d.rows.output);
    }
  };
  const int64_t pixels = d.cols.output * d.rows.filter * d.cols.filter;
  ParallelFor(ctx, d.batch * d.rows.output, pixels * (n + 10), run);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
