// SPDX-License-Identifier: Apache-2.0
// Conversions of half and bfloat16.

#include "core/kernels/lib/wide_loops.h"

#include <immintrin.h>

#include <cstdint>

namespace tensorwright {
namespace {

struct WidenBFloat16 {
  TW_WIDE_LOOP static void Run(const uint16_t* x, uint32_t* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = uint32_t{x[i]} << 16;
  }
};

struct NarrowBFloat16 {
  TW_WIDE_LOOP static void Run(const uint32_t* x, uint16_t* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t bits = x[i];
      // Half of the last place kept; a tie also takes the last bit itself.
      const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
      const uint32_t nan = 0x7fc0 | (bits >> 16 & 0x8000);
      y[i] = static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan
                                                                    : rounded);
    }
  }
};

// Returns how many of the first of n elements it converted.
[[gnu::target("avx512f")]] int64_t WidenHalfAvx512(const uint16_t* x, float* y,
                                                   int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i half =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    _mm512_storeu_ps(y + i, _mm512_cvtph_ps(half));
  }
  return i;
}

[[gnu::target("avx512f")]] int64_t NarrowHalfAvx512(const float* x, uint16_t* y,
                                                    int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i half =
        _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i), half);
  }
  return i;
}

[[gnu::target("avx2,f16c")]] int64_t WidenHalfF16c(const uint16_t* x, float* y,
                                                   int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(half));
  }
  return i;
}

[[gnu::target("avx2,f16c")]] int64_t NarrowHalfF16c(const float* x, uint16_t* y,
                                                    int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half =
        _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), half);
  }
  return i;
}

bool HasF16c() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

int64_t WidenHalf(const uint16_t* x, float* y, int64_t n) {
  if (__builtin_cpu_supports("avx512f")) return WidenHalfAvx512(x, y, n);
  return HasF16c() ? WidenHalfF16c(x, y, n) : 0;
}

int64_t NarrowHalf(const float* x, uint16_t* y, int64_t n) {
  if (__builtin_cpu_supports("avx512f")) return NarrowHalfAvx512(x, y, n);
  return HasF16c() ? NarrowHalfF16c(x, y, n) : 0;
}

}  // namespace

void WidenFloats(const Eigen::half* x, float* y, int64_t n) {
  int64_t i = WidenHalf(reinterpret_cast<const uint16_t*>(x), y, n);
  for (; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

void WidenFloats(const Eigen::bfloat16* x, float* y, int64_t n) {
  RunWide<WidenBFloat16>(reinterpret_cast<const uint16_t*>(x),
                         reinterpret_cast<uint32_t*>(y), n);
}

void NarrowFloats(const float* x, Eigen::half* y, int64_t n) {
  int64_t i = NarrowHalf(x, reinterpret_cast<uint16_t*>(y), n);
  for (; i < n; ++i) y[i] = static_cast<Eigen::half>(x[i]);
}

void NarrowFloats(const float* x, Eigen::bfloat16* y, int64_t n) {
  RunWide<NarrowBFloat16>(reinterpret_cast<const uint32_t*>(x),
                          reinterpret_cast<uint16_t*>(y), n);
}

}  // namespace tensorwright
