// SPDX-License-Identifier: Apache-2.0
// Matrix products: inner kernels compiled for each instruction set, and the
// split over threads.

#include "core/kernels/lib/gemm.h"

#include <algorithm>
#include <complex>
#include <functional>

#include "core/framework/types.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/lib/gemm_blocks.h"
#include "core/util/work_sharder.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The kernel is two vectors wide, and has as many rows as leave registers for
// the operands.
template <typename T>
struct VectorKernel {
  static constexpr int kLanes = HWY_MAX_BYTES / sizeof(T) > 0
                                    ? hn::MaxLanes(hn::ScalableTag<T>())
                                    : 1;
  static constexpr int kCols = 2 * kLanes;
  static constexpr int kRows = HWY_TARGET == HWY_AVX3   ? 12
                               : HWY_TARGET == HWY_AVX2 ? 6
                                                        : 4;

  template <class V>
  static HWY_INLINE V MultiplyAdd(V x, V y, V sum) {
    if constexpr (std::is_integral_v<T>) {
      return hn::Add(hn::Mul(x, y), sum);
    } else {
      return hn::MulAdd(x, y, sum);
    }
  }

  static void Run(int64_t k, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                  T* HWY_RESTRICT tile) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    V left[kRows], right[kRows];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) left[r] = right[r] = hn::Zero(d);
    for (int64_t i = 0; i < k; ++i) {
      const V b0 = hn::Load(d, b);
      const V b1 = hn::Load(d, b + kLanes);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) {
        const V x = hn::Set(d, a[r]);
        left[r] = MultiplyAdd(x, b0, left[r]);
        right[r] = MultiplyAdd(x, b1, right[r]);
      }
      a += kRows;
      b += kCols;
    }
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      hn::Store(left[r], d, tile + r * kCols);
      hn::Store(right[r], d, tile + r * kCols + kLanes);
    }
  }
};

template <typename T>
using BlocksArgs = MatrixRef<const T>;

void GemmFloat(int64_t m, int64_t n, int64_t k, BlocksArgs<float> a,
               BlocksArgs<float> b, bool accumulate, MatrixRef<float> c) {
  gemm_internal::GemmBlocks<float, VectorKernel<float>>(m, n, k, a, b,
                                                        accumulate, c);
}
void GemmDouble(int64_t m, int64_t n, int64_t k, BlocksArgs<double> a,
                BlocksArgs<double> b, bool accumulate, MatrixRef<double> c) {
  gemm_internal::GemmBlocks<double, VectorKernel<double>>(m, n, k, a, b,
                                                          accumulate, c);
}
void GemmInt16(int64_t m, int64_t n, int64_t k, BlocksArgs<int16_t> a,
               BlocksArgs<int16_t> b, bool accumulate, MatrixRef<int16_t> c) {
  gemm_internal::GemmBlocks<int16_t, VectorKernel<int16_t>>(m, n, k, a, b,
                                                            accumulate, c);
}
void GemmInt32(int64_t m, int64_t n, int64_t k, BlocksArgs<int32_t> a,
               BlocksArgs<int32_t> b, bool accumulate, MatrixRef<int32_t> c) {
  gemm_internal::GemmBlocks<int32_t, VectorKernel<int32_t>>(m, n, k, a, b,
                                                            accumulate, c);
}
void GemmInt64(int64_t m, int64_t n, int64_t k, BlocksArgs<int64_t> a,
               BlocksArgs<int64_t> b, bool accumulate, MatrixRef<int64_t> c) {
  gemm_internal::GemmBlocks<int64_t, VectorKernel<int64_t>>(m, n, k, a, b,
                                                            accumulate, c);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace {

HWY_EXPORT(GemmFloat);
HWY_EXPORT(GemmDouble);
HWY_EXPORT(GemmInt16);
HWY_EXPORT(GemmInt32);
HWY_EXPORT(GemmInt64);

// For complex numbers.
template <typename T>
struct ScalarKernel {
  static constexpr int kRows = 4;
  static constexpr int kCols = 4;

  static void Run(int64_t k, const T* a, const T* b, T* tile) {
    T sums[kRows][kCols] = {};
    for (int64_t i = 0; i < k; ++i, a += kRows, b += kCols) {
      for (int r = 0; r < kRows; ++r) {
        for (int s = 0; s < kCols; ++s) {
          // Avoids the detour of std::complex's operator for infinities.
          const T& x = a[r];
          const T& y = b[s];
          sums[r][s] += T(x.real() * y.real() - x.imag() * y.imag(),
                          x.real() * y.imag() + x.imag() * y.real());
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int s = 0; s < kCols; ++s) tile[r * kCols + s] = sums[r][s];
    }
  }
};

}  // namespace

template <typename T>
void GemmOnThisThread(int64_t m, int64_t n, int64_t k,
                      std::type_identity_t<MatrixRef<const T>> a,
                      std::type_identity_t<MatrixRef<const T>> b,
                      bool accumulate, std::type_identity_t<MatrixRef<T>> c) {
  if (k == 0 && !accumulate) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        c.data[i * c.row_step() + j * c.col_step()] = T(0);
      }
    }
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(GemmFloat)(m, n, k, a, b, accumulate, c);
  } else if constexpr (std::is_same_v<T, double>) {
    HWY_DYNAMIC_DISPATCH(GemmDouble)(m, n, k, a, b, accumulate, c);
  } else if constexpr (std::is_same_v<T, int16>) {
    HWY_DYNAMIC_DISPATCH(GemmInt16)(m, n, k, a, b, accumulate, c);
  } else if constexpr (std::is_same_v<T, int32>) {
    HWY_DYNAMIC_DISPATCH(GemmInt32)(m, n, k, a, b, accumulate, c);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    HWY_DYNAMIC_DISPATCH(GemmInt64)(m, n, k, a, b, accumulate, c);
  } else {
    gemm_internal::GemmBlocks<T, ScalarKernel<T>>(m, n, k, a, b, accumulate, c);
  }
}

template <typename T>
void Gemm(OpKernelContext* ctx, int64_t m, int64_t n, int64_t k,
          std::type_identity_t<MatrixRef<const T>> a,
          std::type_identity_t<MatrixRef<const T>> b, bool accumulate,
          std::type_identity_t<MatrixRef<T>> c) {
  // Whole blocks of the longer side of c for each thread.
  const bool by_rows = m >= n;
  const int64_t block =
      by_rows ? gemm_internal::kBlockM : gemm_internal::kBlockN / 4;
  const int64_t length = by_rows ? m : n;
  const auto run = [&](int64_t first_block, int64_t last_block) {
    const int64_t begin = first_block * block;
    const int64_t size = std::min(last_block * block, length) - begin;
    auto part_a = a;
    auto part_b = b;
    auto part_c = c;
    if (by_rows) {
      part_a.data += begin * a.row_step();
      part_c.data += begin * c.row_step();
      GemmOnThisThread<T>(size, n, k, part_a, part_b, accumulate, part_c);
    } else {
      part_b.data += begin * b.col_step();
      part_c.data += begin * c.col_step();
      GemmOnThisThread<T>(m, size, k, part_a, part_b, accumulate, part_c);
    }
  };
  const int64_t cost = block * (by_rows ? n : m) * std::max<int64_t>(k, 1) / 4;
  ParallelFor(ctx, (length + block - 1) / block, cost, run);
}

#define TW_INSTANTIATE(T)                                                   \
  template void Gemm<T>(OpKernelContext*, int64_t, int64_t, int64_t,        \
                        MatrixRef<const T>, MatrixRef<const T>, bool,       \
                        MatrixRef<T>);                                      \
  template void GemmOnThisThread<T>(int64_t, int64_t, int64_t,              \
                                    MatrixRef<const T>, MatrixRef<const T>, \
                                    bool, MatrixRef<T>)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(int16);
TW_INSTANTIATE(int32);
TW_INSTANTIATE(int64_t);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace tensorwright
#endif  // HWY_ONCE
