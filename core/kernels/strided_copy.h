// SPDX-License-Identifier: Apache-2.0
// Copies between a dense array and a strided view of another: the loop under
// Slice, StridedSlice and its gradient, Reverse, Tile and parts of Transpose.
#ifndef TENSORWRIGHT_CORE_KERNELS_STRIDED_COPY_H_
#define TENSORWRIGHT_CORE_KERNELS_STRIDED_COPY_H_

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "core/kernels/element_dispatch.h"

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

// Calls run(dense position, view position, count) for the runs along the last
// dimension that make up dense elements [begin, end).
template <typename Run>
void ForEachRun(const StridedView& view, int64_t begin, int64_t end, Run run) {
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
    // Whole rows along the last dimension but one, as many as there are.
    if (last > 0 && index[last] == 0 && end - dense >= inner) {
      const int64_t n = std::min(rows - index[last - 1], (end - dense) / inner);
      for (int64_t i = 0; i < n; ++i, dense += inner, at += row_stride) {
        run(dense, at, inner);
      }
      index[last - 1] += n;
    } else {
      const int64_t n = std::min(inner - index[last], end - dense);
      run(dense, at, n);
      dense += n;
      // Back to the row's start, then to the next row.
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

// dense[0, n) = value for a small n, 16 bytes at a time: writes up to 15 bytes
// behind the run, if those are before `end`.
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

// dense[begin, end) = the view's elements of those positions.
template <typename T>
void CopyFromView(const T* base, const StridedView& view, int64_t begin,
                  int64_t end, T* dense) {
  const int64_t stride = view.strides.back();
  const bool few = view.sizes.back() <= 16;
  ForEachRun(view, begin, end, [=](int64_t to, int64_t from, int64_t n) {
    if (stride == 1) {
      CopyRun(base + from, n, dense + to);
    } else if (stride == 0 && few) {
      FillFew(base[from], n, dense + to, dense + end);
    } else if (stride == 0) {
      FillRun(base[from], n, dense + to);
    } else if (stride == -1) {
      CopyBackwards(base + from, n, dense + to);
    } else {
      const T* in = base + from;
      T* out = dense + to;
      for (int64_t i = 0; i < n; ++i) out[i] = in[i * stride];
    }
  });
}

// The view's elements of those positions = dense[begin, end).  No stride is 0.
template <typename T>
void CopyToView(const T* dense, const StridedView& view, int64_t begin,
                int64_t end, T* base) {
  const int64_t stride = view.strides.back();
  ForEachRun(view, begin, end, [=](int64_t from, int64_t to, int64_t n) {
    if (stride == 1) {
      CopyRun(dense + from, n, base + to);
    } else {
      const T* in = dense + from;
      T* out = base + to;
      for (int64_t i = 0; i < n; ++i) out[i * stride] = in[i];
    }
  });
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_STRIDED_COPY_H_
