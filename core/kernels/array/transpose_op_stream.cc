// SPDX-License-Identifier: Apache-2.0
// StreamTile.
#include "core/kernels/array/transpose_op_stream.h"

#ifdef __SSE2__
#include <emmintrin.h>
#include <xmmintrin.h>

#include "core/kernels/array/transpose_op_tile.h"

namespace tensorwright {

// The output need not be read before it is written: the input is transposed in
// squares of whole cache lines, also of the output, and asked for a few lines
// ahead, because the processor does not see through so many streams.
template <typename T>
void StreamTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                T* out, int64_t out_stride) {
  constexpr int64_t kAhead = 4 * kLine<T>;
  constexpr int64_t kPart = sizeof(__m128i) / sizeof(T);
  alignas(kLineBytes) T square[kLine<T> * kLine<T>];
  for (int64_t r = 0; r < rows; r += kLine<T>) {
    int64_t c = 0;
    for (; c + kLine<T> <= cols; c += kLine<T>) {
      const T* from = in + r * in_stride + c;
      for (int64_t i = 0; i < kLine<T>; ++i) {
        const T* ahead = from + i * in_stride + kAhead;
        _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
      }
      TransposeTile(from, in_stride, kLine<T>, kLine<T>, &square[0], kLine<T>);
      for (int64_t i = 0; i < kLine<T>; ++i) {
        T* to = out + (c + i) * out_stride + r;
        for (int64_t part = 0; part < kLine<T>; part += kPart) {
          _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                           _mm_load_si128(reinterpret_cast<const __m128i*>(
                               square + i * kLine<T> + part)));
        }
      }
    }
    TransposeTile(in + r * in_stride + c, in_stride, kLine<T>, cols - c,
                  out + c * out_stride + r, out_stride);
  }
}

template void StreamTile(const uint64_t*, int64_t, int64_t, int64_t, uint64_t*,
                         int64_t);
template void StreamTile(const uint32_t*, int64_t, int64_t, int64_t, uint32_t*,
                         int64_t);
template void StreamTile(const uint16_t*, int64_t, int64_t, int64_t, uint16_t*,
                         int64_t);
template void StreamTile(const uint8_t*, int64_t, int64_t, int64_t, uint8_t*,
                         int64_t);

}  // namespace tensorwright
#endif
