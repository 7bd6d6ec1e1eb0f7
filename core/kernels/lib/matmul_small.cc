// SPDX-License-Identifier: Apache-2.0
// Products of many small matrices, for which a library call or packing costs
// more than the work: tiles of a few rows by one vector of columns, in
// registers. Bound by the loads of b's rows, from the first-level cache.

#include "core/kernels/lib/matmul_small.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// As many columns as the longest vectors hold: the compiler splits them into
// the processor's vectors.
template <typename T, int kCols>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kCols * sizeof(T))));
};

// c[0, kHeight)[0, kCols) = a x b: the rows of b are b_stride apart and
// readable for kCols; writes `cols` columns.
template <int kHeight, int kCols, typename T>
[[gnu::always_inline]] inline void Tile(const MatMulArgs& args, const T* a,
                                        const T* b, int64_t b_stride, T* c,
                                        int64_t cols) {
  using Vector = typename VectorOf<T, kCols>::Type;
  const int64_t row_step = args.transpose_a ? 1 : args.k;
  const int64_t k_step = args.transpose_a ? args.m : 1;
  Vector sums[kHeight] = {};
  for (int64_t p = 0; p < args.k; ++p) {
    Vector row;
    std::memcpy(&row, b + p * b_stride, sizeof(row));
#pragma GCC unroll 8  // Otherwise the sums would live in memory.
    for (int r = 0; r < kHeight; ++r) {
      sums[r] += a[r * row_step + p * k_step] * row;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kHeight; ++r) {
    if (cols == kCols) {
      std::memcpy(c + r * args.n, &sums[r], sizeof(Vector));
    } else {
      std::memcpy(c + r * args.n, &sums[r], cols * sizeof(T));
    }
  }
}

// One product, kCols columns and kRows rows at a time.
template <int kCols, int kRows, typename T>
[[gnu::always_inline]] inline void Product(const MatMulArgs& args, const T* a,
                                           const T* b, T* c) {
  alignas(64) T packed[kMaxTileDepth * kCols];
  const int64_t row_step = args.transpose_a ? 1 : args.k;
  for (int64_t j = 0; j < args.n; j += kCols) {
    const int64_t cols = std::min<int64_t>(kCols, args.n - j);
    const T* block = b + j;
    int64_t stride = args.n;
    if (args.transpose_b || cols < kCols) {
      const int64_t p_step = args.transpose_b ? 1 : args.n;
      const int64_t j_step = args.transpose_b ? args.k : 1;
      for (int64_t p = 0; p < args.k; ++p) {
        for (int64_t s = 0; s < kCols; ++s) {
          packed[p * kCols + s] =
              s < cols ? b[p * p_step + (j + s) * j_step] : T(0);
        }
      }
      block = packed;
      stride = kCols;
    }
    int64_t i = 0;
    for (; i + kRows <= args.m; i += kRows) {
      Tile<kRows, kCols>(args, a + i * row_step, block, stride,
                         c + i * args.n + j, cols);
    }
    if constexpr (kRows > 4) {
      for (; i + 4 <= args.m; i += 4) {
        Tile<4, kCols>(args, a + i * row_step, block, stride,
                       c + i * args.n + j, cols);
      }
    }
    for (; i < args.m; ++i) {
      Tile<1, kCols>(args, a + i * row_step, block, stride, c + i * args.n + j,
                     cols);
    }
  }
}

// Computes products [begin, end).  Each row of a tile is a chain of additions:
// `kRows` of them hide their latency, if there are registers for so many
// vectors.
template <int kRows, typename T>
[[gnu::always_inline]] inline void Products(const MatMulArgs& args, const T* a,
                                            const T* b, T* c, int64_t begin,
                                            int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const T* x = a + i * args.m * args.k;
    const T* y = b + i * args.k * args.n;
    T* z = c + i * args.m * args.n;
    // A vector of AVX-512's 64 bytes, if there are that many columns.
    constexpr int kWide = 64 / sizeof(T);
    if (args.n <= kWide / 4) {
      Product<kWide / 4, 4>(args, x, y, z);
    } else if (args.n <= kWide / 2) {
      Product<kWide / 2, kRows>(args, x, y, z);
    } else {
      Product<kWide, kRows>(args, x, y, z);
    }
  }
}

template <typename T>
[[gnu::target("avx512f,avx512vl,avx512dq,fma")]] void ProductsForAvx512(
    const MatMulArgs& args, const T* a, const T* b, T* c, int64_t begin,
    int64_t end) {
  Products<8>(args, a, b, c, begin, end);
}

template <typename T>
[[gnu::target("avx2,fma")]] void ProductsForAvx2(const MatMulArgs& args,
                                                 const T* a, const T* b, T* c,
                                                 int64_t begin, int64_t end) {
  Products<4>(args, a, b, c, begin, end);
}

template <typename T>
void ProductsForAny(const MatMulArgs& args, const T* a, const T* b, T* c,
                    int64_t begin, int64_t end) {
  Products<4>(args, a, b, c, begin, end);
}

template <typename T>
auto ChooseProducts() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return &ProductsForAvx512<T>;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return &ProductsForAvx2<T>;
  }
  return &ProductsForAny<T>;
}

}  // namespace

template <typename T>
void MatMulSmall(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                 const T* b, T* c) {
  const auto products = ChooseProducts<T>();
  const auto run = [&](int64_t begin, int64_t end) {
    products(args, a, b, c, begin, end);
  };
  ParallelFor(ctx, args.batch, args.m * args.n * args.k / 8 + 30,
              std::ref(run));
}

template void MatMulSmall(OpKernelContext*, const MatMulArgs&, const float*,
                          const float*, float*);
template void MatMulSmall(OpKernelContext*, const MatMulArgs&, const double*,
                          const double*, double*);

}  // namespace tensorwright
