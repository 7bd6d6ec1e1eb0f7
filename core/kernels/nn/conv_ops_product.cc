// SPDX-License-Identifier: Apache-2.0
// Highway's matrix products of convolutions: compiled once per instruction set
// below.  Arithmetic bounds them.

#include "core/kernels/nn/conv_ops_product.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kProductColumns>;
using V = hn::Vec<D>;

// As many rows as leave registers for the operands.
constexpr int kRows = HWY_TARGET == HWY_AVX3   ? 12
                      : HWY_TARGET == HWY_AVX2 ? 6
                                               : 4;

// c[kHeight, kVectors vectors] = a x b, or, if kAdd, += a x b.  a(i, p) is at
// a[i * a_row + p * a_col]; rows of b and c start n floats apart.
template <int kHeight, int kVectors, bool kAdd>
HWY_INLINE void Block(int64_t k, const float* HWY_RESTRICT a, int64_t a_row,
                      int64_t a_col, const float* HWY_RESTRICT b, int64_t n,
                      float* HWY_RESTRICT c) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kHeight][kVectors];
#pragma GCC unroll 12
  for (int i = 0; i < kHeight; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sum[i][v] = kAdd ? hn::LoadU(d, c + i * n + v * lanes) : hn::Zero(d);
    }
  }
  for (int64_t p = 0; p < k; ++p) {
    V right[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 12
    for (int i = 0; i < kHeight; ++i) {
      const V left = hn::Set(d, a[i * a_row]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
      }
    }
    a += a_col;
    b += n;
  }
#pragma GCC unroll 12
  for (int i = 0; i < kHeight; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[i][v], d, c + i * n + v * lanes);
    }
  }
}

// Does the `height` rows that are left, fewer than kRows.
template <int kHeight, int kVectors, bool kAdd>
void LastBlock(int64_t height, int64_t k, const float* a, int64_t a_row,
               int64_t a_col, const float* b, int64_t n, float* c) {
  if constexpr (kHeight > 0) {
    if (height == kHeight) {
      return Block<kHeight, kVectors, kAdd>(k, a, a_row, a_col, b, n, c);
    }
    LastBlock<kHeight - 1, kVectors, kAdd>(height, k, a, a_row, a_col, b, n, c);
  }
}

template <int kVectors, bool kAdd>
void Columns(int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_col,
             const float* b, int64_t n, float* c) {
  int64_t i = 0;
  for (; i + kRows <= m; i += kRows) {
    Block<kRows, kVectors, kAdd>(k, a + i * a_row, a_row, a_col, b, n,
                                 c + i * n);
  }
  LastBlock<kRows - 1, kVectors, kAdd>(m - i, k, a + i * a_row, a_row, a_col, b,
                                       n, c + i * n);
}

template <bool kAdd>
void Product(int64_t m, int64_t k, int64_t n, const float* a, int64_t a_row,
             int64_t a_col, const float* b, float* c) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    Columns<2, kAdd>(m, k, a, a_row, a_col, b + j, n, c + j);
  }
  for (; j < n; j += lanes) {
    Columns<1, kAdd>(m, k, a, a_row, a_col, b + j, n, c + j);
  }
}

void ProductOf(int64_t m, int64_t k, int64_t n, const float* a, const float* b,
               float* c) {
  Product</*kAdd=*/false>(m, k, n, a, k, 1, b, c);
}

void TransposedProductOf(int64_t m, int64_t k, int64_t n, const float* a,
                         const float* b, float* c) {
  Product</*kAdd=*/true>(m, k, n, a, 1, m, b, c);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {
HWY_EXPORT(ProductOf);
HWY_EXPORT(TransposedProductOf);
}  // namespace

void Multiply(int64_t m, int64_t k, int64_t n, const float* a, const float* b,
              float* c) {
  HWY_DYNAMIC_DISPATCH(ProductOf)(m, k, n, a, b, c);
}
void MultiplyTransposed(int64_t m, int64_t k, int64_t n, const float* a,
                        const float* b, float* c) {
  HWY_DYNAMIC_DISPATCH(TransposedProductOf)(m, k, n, a, b, c);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
