// SPDX-License-Identifier: Apache-2.0
// Highway's loops of max pools over the channels of their windows: compiled
// once per instruction set below.  Memory bounds them.

#include <cmath>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/nn/pooling_ops_max_places.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace max_places {
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

// The places of bytes, as integers of the size of d's floats.
template <class D>
using PlacesOf = hn::RebindToSigned<D>;
template <class D>
using BytesOf = hn::Rebind<uint8_t, D>;

// Sets the maximum of windows that have only -inf and NaN to MaxReducer's,
// which may be NaN.
template <class D>
HWY_NOINLINE void MendMaxima(D d, const float* x, const SearchedPixels& pixels,
                             float* y) {
  for (size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    float best = MaxReducer<float>::Initial();
    for (int k = 0; k < pixels.count; ++k) {
      best = MaxReducer<float>::Combine(best, x[pixels.offsets[k] + lane]);
    }
    if (std::isnan(best)) y[lane] = best;
  }
}

// Does the channels of a window from x on that fill a vector.  kCount is the
// number of pixels, or 0.
template <int kCount, bool kPlaces, class D>
HWY_INLINE void FindAt(D d, const float* x, const SearchedPixels& pixels,
                       uint8_t* maxima, float* y) {
  const int count = kCount != 0 ? kCount : pixels.count;
  const auto lowest = hn::Set(d, MaxReducer<float>::Initial());
  auto best = hn::LoadU(d, x + pixels.offsets[0]);
  best = hn::IfThenElse(hn::IsNaN(best), lowest, best);
  auto place = hn::Set(d, pixels.places[0]);
  for (int k = 1; k < count; ++k) {
    const auto v = hn::LoadU(d, x + pixels.offsets[k]);
    const auto more = hn::Gt(v, best);
    best = hn::IfThenElse(more, v, best);
    if constexpr (kPlaces) {
      place = hn::IfThenElse(more, hn::Set(d, pixels.places[k]), place);
    }
  }
  if constexpr (kPlaces) {
    hn::StoreU(hn::DemoteTo(BytesOf<D>(), hn::ConvertTo(PlacesOf<D>(), place)),
               BytesOf<D>(), maxima);
  }
  if (y == nullptr) return;
  hn::StoreU(best, d, y);
  if (!hn::AllFalse(d, hn::Eq(best, lowest))) MendMaxima(d, x, pixels, y);
}

template <int kCount, bool kPlaces>
HWY_INLINE void FindAll(const float* x, int64_t step, int64_t windows,
                        const SearchedPixels& pixels, int64_t n,
                        uint8_t* maxima, float* y) {
  for (int64_t j = 0; j < windows; ++j) {
    ForVectors(n, 0, [&](auto d, int64_t c) HWY_ATTR {
      const int64_t at = j * n + c;
      FindAt<kCount, kPlaces>(d, x + j * step + c, pixels,
                              kPlaces ? maxima + at : nullptr,
                              y == nullptr ? nullptr : y + at);
    });
  }
}

void FindMaxima(const float* x, int64_t step, int64_t windows,
                const SearchedPixels& pixels, int64_t n, uint8_t* maxima,
                float* y) {
  const auto find = [&]<int kCount>() HWY_ATTR {
    if (maxima == nullptr) {
      FindAll<kCount, false>(x, step, windows, pixels, n, maxima, y);
    } else {
      FindAll<kCount, true>(x, step, windows, pixels, n, maxima, y);
    }
  };
  switch (pixels.count) {
    case 4:  // 2 by 2
      return find.template operator()<4>();
    case 9:  // 3 by 3
      return find.template operator()<9>();
    default:
      return find.template operator()<0>();
  }
}

// Does the channels from c on that fill kVectors vectors of one pixel.
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
      const PlacesOf<D> di;
      const auto place = hn::Set(di, row->place + w->place);
      const uint8_t* maxima = row->maxima + w->at + c;
      const float* grad = row->grad + w->at + c;
      const auto add = [&](int64_t i, auto& sum) HWY_ATTR {
        const auto bytes = hn::LoadU(BytesOf<D>(), maxima + i * lanes);
        const auto is_best =
            hn::RebindMask(d, hn::Eq(hn::PromoteTo(di, bytes), place));
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
}  // namespace max_places
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace max_places {

HWY_EXPORT(FindMaxima);
HWY_EXPORT(SumRow);

void FindMaxima(const float* x, int64_t step, int64_t windows,
                const SearchedPixels& pixels, int64_t n, uint8_t* maxima,
                float* y) {
  HWY_DYNAMIC_DISPATCH(FindMaxima)(x, step, windows, pixels, n, maxima, y);
}

void SumRow(const ReachingRow* rows, const ReachingRow* rows_end,
            const ReachingWindows& windows, int64_t n, const float* ahead,
            bool streams, float* dx) {
  HWY_DYNAMIC_DISPATCH(SumRow)
  (rows, rows_end, windows, n, ahead, streams, dx);
}

}  // namespace max_places
}  // namespace tensorwright
#endif  // HWY_ONCE
