// SPDX-License-Identifier: Apache-2.0
// The gradient of max pools whose windows overlap, in one pass over the images,
// where oneDNN runs the pool again to learn the places of the maxima.  Memory
// bounds it: the rows that windows share stay in the second-level cache.

#include "core/kernels/pooling_ops_max_overlap.h"

#include <algorithm>

#include "core/kernels/pooling_ops.h"
#include "core/util/work_sharder.h"

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

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(AddWindow);

constexpr int kMaxWindow = 64;
// Images are cut into so many bands of rows, if they are too few for the
// threads; windows that reach into two bands are searched for each.
constexpr int64_t kBandsEnough = 16;
constexpr int64_t kMinBand = 16;

// Rows [first, last) of one image's gradient.
void GradOfBand(const PoolDimensions& d, const float* x, const float* dy,
                int64_t first, int64_t last, float* dx) {
  const int64_t n = d.depth.input, row = d.cols.input * n;
  std::fill(dx + first * row, dx + last * row, 0.0f);
  for (int64_t i = 0; i < d.rows.output; ++i) {
    const WindowRange rows(d.rows, i);
    if (rows.last <= first || rows.first >= last) continue;
    for (int64_t j = 0; j < d.cols.output; ++j) {
      const WindowRange cols(d.cols, j);
      const float* from[kMaxWindow];
      float* to[kMaxWindow];
      int count = 0;
      for (int64_t r = rows.first; r < rows.last; ++r) {
        const bool wanted = r >= first && r < last;
        for (int64_t c = cols.first; c < cols.last; ++c, ++count) {
          from[count] = x + r * row + c * n;
          to[count] = wanted ? dx + r * row + c * n : nullptr;
        }
      }
      if (count == 0) continue;
      AddMaxPoolGrad(from, to, count, dy + (i * d.cols.output + j) * n, n);
    }
  }
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
