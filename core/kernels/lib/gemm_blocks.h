// SPDX-License-Identifier: Apache-2.0
// The blocking of a matrix product, after Goto and van de Geijn: a panel of b
// that stays in the second-level cache, blocks of a that stay in the first, and
// tiles of c that stay in registers.  Private to gemm*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_BLOCKS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_BLOCKS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/gemm.h"

namespace tensorwright {
namespace gemm_internal {

inline constexpr int64_t kBlockK = 256;
inline constexpr int64_t kBlockM = 96;
inline constexpr int64_t kBlockN = 384;

// Packs rows x k elements into slivers of kSliver rows, k-major, zero-padded,
// which the inner kernel reads from front to back.
template <int kSliver, typename T>
void Pack(const T* from, int64_t row_step, int64_t k_step, int64_t rows,
          int64_t k, T* to) {
  for (int64_t r0 = 0; r0 < rows; r0 += kSliver) {
    const int64_t height = std::min<int64_t>(kSliver, rows - r0);
    const T* sliver = from + r0 * row_step;
    for (int64_t i = 0; i < k; ++i, to += kSliver) {
      const T* in = sliver + i * k_step;
      if (row_step == 1 && height == kSliver) {
        std::memcpy(to, in, kSliver * sizeof(T));
        continue;
      }
      for (int64_t r = 0; r < height; ++r) to[r] = in[r * row_step];
      for (int64_t r = height; r < kSliver; ++r) to[r] = T(0);
    }
  }
}

template <typename T>
struct AlignedDelete {
  void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
};

template <typename T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete<T>>;

template <typename T>
AlignedArray<T> MakeAligned(int64_t n) {
  return AlignedArray<T>(
      static_cast<T*>(::operator new[](n * sizeof(T), std::align_val_t(64))));
}

// Kernel::Run(k, a, b, tile): tile[kRows][kCols] = packed a x packed b.
template <typename T, typename Kernel>
void GemmBlocks(int64_t m, int64_t n, int64_t k, MatrixRef<const T> a,
                MatrixRef<const T> b, bool accumulate, MatrixRef<T> c) {
  constexpr int64_t kRows = Kernel::kRows, kCols = Kernel::kCols;
  const functor::Add<T> sum;
  const auto up = [](int64_t x, int64_t step) {
    return (x + step - 1) / step * step;
  };
  const int64_t block_k = std::min(k, kBlockK);
  const auto packed_a =
      MakeAligned<T>(block_k * up(std::min(m, kBlockM), kRows));
  const auto packed_b =
      MakeAligned<T>(block_k * up(std::min(n, kBlockN), kCols));
  alignas(64) T tile[kRows * kCols];
  for (int64_t j0 = 0; j0 < n; j0 += kBlockN) {
    const int64_t width = std::min(kBlockN, n - j0);
    for (int64_t p0 = 0; p0 < k; p0 += kBlockK) {
      const int64_t depth = std::min(kBlockK, k - p0);
      const bool add = accumulate || p0 > 0;
      Pack<kCols>(b.data + p0 * b.row_step() + j0 * b.col_step(), b.col_step(),
                  b.row_step(), width, depth, packed_b.get());
      for (int64_t i0 = 0; i0 < m; i0 += kBlockM) {
        const int64_t height = std::min(kBlockM, m - i0);
        Pack<kRows>(a.data + i0 * a.row_step() + p0 * a.col_step(),
                    a.row_step(), a.col_step(), height, depth, packed_a.get());
        for (int64_t j = 0; j < width; j += kCols) {
          for (int64_t i = 0; i < height; i += kRows) {
            Kernel::Run(depth, packed_a.get() + i * depth,
                        packed_b.get() + j * depth, tile);
            T* out = c.data + (i0 + i) * c.row_step() + (j0 + j) * c.col_step();
            const int64_t rows = std::min(kRows, height - i);
            const int64_t cols = std::min(kCols, width - j);
            for (int64_t r = 0; r < rows; ++r) {
              T* to = out + r * c.row_step();
              const T* in = tile + r * kCols;
              if (c.col_step() == 1) {
                if (add) {
                  for (int64_t s = 0; s < cols; ++s) to[s] = sum(to[s], in[s]);
                } else {
                  std::copy_n(in, cols, to);
                }
              } else {
                for (int64_t s = 0; s < cols; ++s) {
                  T& element = to[s * c.col_step()];
                  element = add ? sum(element, in[s]) : in[s];
                }
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace gemm_internal
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GEMM_BLOCKS_H_
