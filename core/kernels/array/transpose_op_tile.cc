// SPDX-License-Identifier: Apache-2.0
// TransposeTile of plain elements.
#include "core/kernels/array/transpose_op_tile.h"

#include <algorithm>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tensorwright {
namespace {

#ifdef __SSE2__

// Squares in registers: Run transposes kSize rows of kSize elements.
template <typename T>
struct Square;

__m128i Load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
void Store(void* p, __m128i v) {
  _mm_storeu_si128(static_cast<__m128i*>(p), v);
}

template <>
struct Square<uint64_t> {
  static constexpr int64_t kSize = 2;
  static void Run(const uint64_t* in, int64_t in_stride, uint64_t* out,
                  int64_t out_stride) {
    const __m128i r0 = Load(in), r1 = Load(in + in_stride);
    Store(out, _mm_unpacklo_epi64(r0, r1));
    Store(out + out_stride, _mm_unpackhi_epi64(r0, r1));
  }
};

template <>
struct Square<uint32_t> {
  static constexpr int64_t kSize = 4;
  static void Run(const uint32_t* in, int64_t in_stride, uint32_t* out,
                  int64_t out_stride) {
    const __m128i r0 = Load(in), r1 = Load(in + in_stride),
                  r2 = Load(in + 2 * in_stride), r3 = Load(in + 3 * in_stride);
    const __m128i a = _mm_unpacklo_epi32(r0, r1);
    const __m128i b = _mm_unpackhi_epi32(r0, r1);
    const __m128i x = _mm_unpacklo_epi32(r2, r3);
    const __m128i y = _mm_unpackhi_epi32(r2, r3);
    Store(out, _mm_unpacklo_epi64(a, x));
    Store(out + out_stride, _mm_unpackhi_epi64(a, x));
    Store(out + 2 * out_stride, _mm_unpacklo_epi64(b, y));
    Store(out + 3 * out_stride, _mm_unpackhi_epi64(b, y));
  }
};

template <>
struct Square<uint16_t> {
  static constexpr int64_t kSize = 8;
  static void Run(const uint16_t* in, int64_t in_stride, uint16_t* out,
                  int64_t out_stride) {
    __m128i a[8], b[8];
    for (int i = 0; i < 8; ++i) a[i] = Load(in + i * in_stride);
    // Interleaving rows i and i + 4 three times is a transposition.
    Interleave(a, b);
    Interleave(b, a);
    Interleave(a, b);
    for (int i = 0; i < 8; ++i) Store(out + i * out_stride, b[i]);
  }
  static void Interleave(const __m128i* from, __m128i* to) {
    for (int i = 0; i < 4; ++i) {
      to[2 * i] = _mm_unpacklo_epi16(from[i], from[i + 4]);
      to[2 * i + 1] = _mm_unpackhi_epi16(from[i], from[i + 4]);
    }
  }
};

template <>
struct Square<uint8_t> {
  static constexpr int64_t kSize = 16;
  static void Run(const uint8_t* in, int64_t in_stride, uint8_t* out,
                  int64_t out_stride) {
    __m128i a[16], b[16];
    for (int i = 0; i < 16; ++i) a[i] = Load(in + i * in_stride);
    Interleave(a, b);
    Interleave(b, a);
    Interleave(a, b);
    Interleave(b, a);
    for (int i = 0; i < 16; ++i) Store(out + i * out_stride, a[i]);
  }
  static void Interleave(const __m128i* from, __m128i* to) {
    for (int i = 0; i < 8; ++i) {
      to[2 * i] = _mm_unpacklo_epi8(from[i], from[i + 8]);
      to[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + 8]);
    }
  }
};

template <typename T>
void Transpose(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
               T* out, int64_t out_stride) {
  constexpr int64_t kSize = Square<T>::kSize;
  // As many squares below each other as fill a cache line of the output.
  constexpr int64_t kLine = std::max<int64_t>(kSize, 64 / sizeof(T));
  int64_t r = 0;
  const auto squares = [&](int64_t height) {
    int64_t c = 0;
    for (; c + kSize <= cols; c += kSize) {
      for (int64_t i = r; i < r + height; i += kSize) {
        Square<T>::Run(in + i * in_stride + c, in_stride,
                       out + c * out_stride + i, out_stride);
      }
    }
    TransposeTile<T>(in + r * in_stride + c, in_stride, height, cols - c,
                     out + c * out_stride + r, out_stride);
    r += height;
  };
  while (r + kLine <= rows) squares(kLine);
  while (r + kSize <= rows) squares(kSize);
  TransposeTile<T>(in + r * in_stride, in_stride, rows - r, cols, out + r,
                   out_stride);
}

#else

template <typename T>
void Transpose(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
               T* out, int64_t out_stride) {
  TransposeTile<T>(in, in_stride, rows, cols, out, out_stride);
}

#endif

}  // namespace

void TransposeTile(const uint64_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint64_t* out, int64_t out_stride) {
  Transpose(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint32_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint32_t* out, int64_t out_stride) {
  Transpose(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint16_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint16_t* out, int64_t out_stride) {
  Transpose(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint8_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint8_t* out, int64_t out_stride) {
  Transpose(in, in_stride, rows, cols, out, out_stride);
}

}  // namespace tensorwright
