// SPDX-License-Identifier: Apache-2.0
// Copies between a dense array and a strided view of another, the loop of
// Slice, StridedSlice and its gradient, Reverse, Tile, BroadcastTo and parts of
// Transpose.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_STRIDED_COPY_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_STRIDED_COPY_H_

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/stream_copy.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Element [i0, i1, ...] of the view is base[offset + i0 * strides[0] + ...].
// Strides may be 0 (the element repeats) or negative.  The dense side has the
// same sizes in row-major order.
struct StridedView {
  absl::InlinedVector<int64_t, 8> sizes;
  absl::InlinedVector<int64_t, 8> strides;
  int64_t offset = 0;

  void Append(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }

  int64_t NumElements() const {
    int64_t n = 1;
    for (int64_t size : sizes) n *= size;
    return n;
  }

  // Drops dimensions of 1 and joins neighbours that one stride can walk, so
  // that runs are as long as possible.  At least one dimension stays.
  void Simplify() {
    size_t kept = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) continue;
      if (kept > 0 && strides[kept - 1] == sizes[d] * strides[d]) {
        sizes[kept - 1] *= sizes[d];
        strides[kept - 1] = strides[d];
      } else {
        sizes[kept] = sizes[d];
        strides[kept] = strides[d];
        ++kept;
      }
    }
    sizes.resize(kept);
    strides.resize(kept);
    if (kept == 0) Append(1, 1);
  }
};

// Splits dense elements [begin, end) into pieces along the last dimension.
// Calls run(dense position, view position, count) for a piece of a row, and
// rows(dense position, view position, number) for several whole rows, which lie
// one step of the last dimension but one apart in the view.
template <typename Run, typename Rows>
void ForEachRun(const StridedView& view, int64_t begin, int64_t end,
                const Run& run, const Rows& rows_together) {
  const int last = static_cast<int>(view.sizes.size()) - 1;
  absl::InlinedVector<int64_t, 8> index(last + 1);
  int64_t at = view.offset;
  int64_t rest = begin;
  for (int d = last; d >= 0; --d) {
    index[d] = rest % view.sizes[d];
    rest /= view.sizes[d];
    at += index[d] * view.strides[d];
  }
  const int64_t inner = view.sizes[last];
  const int64_t inner_stride = view.strides[last];
  const int64_t rows = last > 0 ? view.sizes[last - 1] : 1;
  const int64_t row_stride = last > 0 ? view.strides[last - 1] : 0;
  for (int64_t dense = begin; dense < end;) {
    // Takes as many whole rows along the last dimension but one as there are.
    if (last > 0 && index[last] == 0 && end - dense >= inner) {
      const int64_t n = std::min(rows - index[last - 1], (end - dense) / inner);
      rows_together(dense, at, n);
      dense += n * inner;
      at += n * row_stride;
      index[last - 1] += n;
    } else {
      const int64_t n = std::min(inner - index[last], end - dense);
      run(dense, at, n);
      dense += n;
      // Goes back to the row's start, then to the next row.
      at += row_stride - index[last] * inner_stride;
      index[last] = 0;
      if (last > 0) ++index[last - 1];
    }
    for (int d = last - 1; d >= 0 && index[d] == view.sizes[d]; --d) {
      at -= view.sizes[d] * view.strides[d];
      index[d] = 0;
      if (d == 0) break;
      at += view.strides[d - 1];
      ++index[d - 1];
    }
  }
}

// out[i] = in[-i].
template <typename T>
void CopyBackwards(const T* in, int64_t n, T* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = in[-i];
}

#ifdef __SSE2__
inline void CopyBackwards(const uint32_t* in, int64_t n, uint32_t* out) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128i four =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(in - i - 3));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_shuffle_epi32(four, _MM_SHUFFLE(0, 1, 2, 3)));
  }
  for (; i < n; ++i) out[i] = in[-i];
}
inline void CopyBackwards(const uint64_t* in, int64_t n, uint64_t* out) {
  int64_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const __m128i two =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(in - i - 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_shuffle_epi32(two, _MM_SHUFFLE(1, 0, 3, 2)));
  }
  for (; i < n; ++i) out[i] = in[-i];
}
#endif

// dense[0, n) = value for a small n, in stores of 16 bytes.  It writes up to 15
// bytes past the run if they are before `end`.
template <typename T>
void FillFew(const T& value, int64_t n, T* dense, const T* end) {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8) {
    constexpr int64_t kStep = 16 / sizeof(T);
    if (end - dense >= n + kStep) {
      T step[kStep];
      for (T& element : step) element = value;
      for (int64_t i = 0; i < n; i += kStep) {
        std::memcpy(dense + i, step, sizeof(step));
      }
      return;
    }
  }
  std::fill_n(dense, n, value);
}

// out[i * kTimes, (i + 1) * kTimes) = in[i * stride] for the n values of i.
template <int kTimes, typename T>
void RepeatEach(const T* in, int64_t stride, int64_t n, T* out) {
  for (int64_t i = 0; i < n; ++i, out += kTimes) {
    const T value = in[i * stride];
    for (int k = 0; k < kTimes; ++k) out[k] = value;
  }
}

// The same with a `times` of at most 16; `end` is as for FillFew.
template <typename T>
void RepeatEach(const T* in, int64_t stride, int64_t n, int64_t times, T* out,
                const T* end) {
  switch (times) {
    case 2:
      return RepeatEach<2>(in, stride, n, out);
    case 3:
      return RepeatEach<3>(in, stride, n, out);
    case 4:
      return RepeatEach<4>(in, stride, n, out);
    case 8:
      return RepeatEach<8>(in, stride, n, out);
    default:
      for (int64_t i = 0; i < n; ++i, out += times) {
        FillFew(in[i * stride], times, out, end);
      }
  }
}

// to[i] = in[i * stride] for the n values of i.  It goes four at a time, since
// a loop over one load and one store runs at half the speed if its code crosses
// a cache line.
template <typename T>
void CopySteps(const T* in, int64_t stride, int64_t n, T* to) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    to[i] = in[i * stride];
    to[i + 1] = in[(i + 1) * stride];
    to[i + 2] = in[(i + 2) * stride];
    to[i + 3] = in[(i + 3) * stride];
  }
  for (; i < n; ++i) to[i] = in[i * stride];
}

// out[0, end - begin) = the view's elements of the positions [begin, end).
template <typename T>
void CopyFromView(const T* base, const StridedView& view, int64_t begin,
                  int64_t end, T* out) {
  const int64_t inner = view.sizes.back(), stride = view.strides.back();
  const int64_t row_stride =
      view.strides.size() > 1 ? view.strides[view.strides.size() - 2] : 0;
  const bool few = inner <= 16;
  const T* const out_end = out + (end - begin);
  const auto run = [=](int64_t position, int64_t from, int64_t n) {
    const T* in = base + from;
    T* to = out + (position - begin);
    if (stride == 1) {
      CopyRun(in, n, to);
    } else if (stride == 0 && few) {
      FillFew(*in, n, to, out_end);
    } else if (stride == 0) {
      FillRun(*in, n, to);
    } else if (stride == -1) {
      CopyBackwards(in, n, to);
    } else {
      CopySteps(in, stride, n, to);
    }
  };
  const auto rows = [=](int64_t position, int64_t from, int64_t n) {
    if (stride == 0 && few) {
      RepeatEach(base + from, row_stride, n, inner, out + (position - begin),
                 out_end);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      run(position + i * inner, from + i * row_stride, inner);
    }
  };
  ForEachRun(view, begin, end, run, rows);
}

// The same past the caches.
template <typename T>
void StreamFromView(const T* base, const StridedView& view, int64_t begin,
                    int64_t end, T* out) {
  // A block stays in the nearest cache.
  constexpr int64_t kBlockBytes = 16 << 10;
  constexpr int64_t kBlock = kBlockBytes / sizeof(T);
  alignas(64) T block[kBlock];
  for (int64_t n; begin < end; begin += n, out += n) {
    n = std::min(kBlock, end - begin);
    CopyFromView(base, view, begin, begin + n, &block[0]);
    StreamCopy(block, n * sizeof(T), out);
  }
  FinishStreams();
}

// out[0, view.NumElements()) = the view's elements, on the session's threads.
template <typename T>
void CopyFromView(OpKernelContext* ctx, const T* base, const StridedView& view,
                  T* out) {
  const int64_t n = view.NumElements();
  // Long runs are left to memcpy.
  constexpr int64_t kLongRun = 4096 / sizeof(T);
  const bool has_long_runs =
      view.strides.back() == 1 && view.sizes.back() >= kLongRun;
  const bool streams = std::is_trivially_copyable_v<T> && !has_long_runs &&
                       IsStreamed(n * static_cast<int64_t>(sizeof(T)));
  ParallelFor(ctx, n, MoveCost<T>(), [&](int64_t begin, int64_t end) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (streams) return StreamFromView(base, view, begin, end, out + begin);
    }
    CopyFromView(base, view, begin, end, out + begin);
  });
}

// The view's elements of the positions [begin, end) = dense[begin, end).  No
// stride is 0.
template <typename T>
void CopyToView(const T* dense, const StridedView& view, int64_t begin,
                int64_t end, T* base) {
  const int64_t inner = view.sizes.back(), stride = view.strides.back();
  const int64_t row_stride =
      view.strides.size() > 1 ? view.strides[view.strides.size() - 2] : 0;
  const auto run = [=](int64_t from, int64_t to, int64_t n) {
    const T* in = dense + from;
    T* out = base + to;
    if (stride == 1) {
      CopyRun(in, n, out);
    } else {
      for (int64_t i = 0; i < n; ++i) out[i * stride] = in[i];
    }
  };
  const auto rows = [=](int64_t from, int64_t to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      run(from + i * inner, to + i * row_stride, inner);
    }
  };
  ForEachRun(view, begin, end, run, rows);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_STRIDED_COPY_H_
