// SPDX-License-Identifier: Apache-2.0
// Products of planes, workspaces, and conversions between tensors and planes.

#include "core/kernels/linalg/matrix_factors.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <new>

#include "core/framework/types.h"
#include "core/kernels/lib/gemm.h"
#include "core/kernels/linalg/matrix_factors_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace linalg {

char* Workspace::TakeBytes(int64_t n) {
  constexpr int64_t kLine = 64, kBlock = 1 << 16;
  n = (std::max<int64_t>(n, 1) + kLine - 1) / kLine * kLine;
  while (at_.block < blocks_.size() && at_.used + n > blocks_[at_.block].size) {
    at_ = {at_.block + 1, 0};
  }
  if (at_.block == blocks_.size()) {
    const int64_t size = std::max(n, kBlock);
    Block block;
    block.bytes.reset(
        static_cast<char*>(::operator new[](size, std::align_val_t(kLine))));
    block.size = size;
    blocks_.push_back(std::move(block));
  }
  char* p = blocks_[at_.block].bytes.get() + at_.used;
  at_.used += n;
  return p;
}

namespace {

// Products of fewer multiplications than this are not worth packing.
constexpr int64_t kFewProducts = 12 * 12 * 12;

struct SmallProductLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t m, int64_t n, int64_t k,
                               const Operand<T>* a, const Operand<T>* b,
                               int sign, Planes<T> c) {
    const auto at = [](const Operand<T>& x, int64_t i, int64_t j) {
      const T value = x.transposed ? x.matrix.Get(j, i) : x.matrix.Get(i, j);
      return x.conjugated ? Conj(value) : value;
    };
    for (int64_t i = 0; i < m; ++i) {
      const Vec<T> row = c.Row(i);
      if (!b->transposed) {
        for (int64_t p = 0; p < k; ++p) {
          const T factor = sign > 0 ? at(*a, i, p) : -at(*a, i, p);
          if (b->conjugated) {
            AxpyConj(n, factor, b->matrix.Row(p), row);
          } else {
            Axpy(n, factor, b->matrix.Row(p), row);
          }
        }
        continue;
      }
      for (int64_t j = 0; j < n; ++j) {
        T sum(0);
        for (int64_t p = 0; p < k; ++p)
          sum += Times(at(*a, i, p), at(*b, p, j));
        row.Set(j, sign > 0 ? row[j] + sum : row[j] - sum);
      }
    }
  }
};

// -x, in separate memory.
template <typename R>
class Negated {
 public:
  MatrixRef<const R> Of(const R* x, int64_t stride, bool transposed,
                        int64_t rows, int64_t cols) {
    if (transposed) std::swap(rows, cols);
    copy_ = std::make_unique_for_overwrite<R[]>(rows * cols);
    for (int64_t i = 0; i < rows; ++i) {
      const R* from = x + i * stride;
      R* to = copy_.get() + i * cols;
      for (int64_t j = 0; j < cols; ++j) to[j] = -from[j];
    }
    return {copy_.get(), cols, transposed};
  }

 private:
  std::unique_ptr<R[]> copy_;
};

template <typename R>
void RealMulAdd(OpKernelContext* ctx, int64_t m, int64_t n, int64_t k,
                MatrixRef<const R> a, MatrixRef<const R> b, MatrixRef<R> c) {
  if (ctx == nullptr) {
    GemmOnThisThread<R>(m, n, k, a, b, true, c);
  } else {
    Gemm<R>(ctx, m, n, k, a, b, true, c);
  }
}

}  // namespace

template <typename T>
void MulAdd(OpKernelContext* ctx, int64_t m, int64_t n, int64_t k,
            const Operand<T>& a, const Operand<T>& b, int sign, Planes<T> c) {
  using R = Real<T>;
  if (m == 0 || n == 0 || k == 0) return;
  if (m * n * k <= kFewProducts) {
    RunWide<SmallProductLoop>(m, n, k, &a, &b, sign, c);
    return;
  }
  const auto factor = [](R* plane, const Operand<T>& x) {
    return MatrixRef<const R>{plane, x.matrix.stride, x.transposed};
  };
  const MatrixRef<const R> ar = factor(a.matrix.re, a);
  const MatrixRef<const R> br = factor(b.matrix.re, b);
  const MatrixRef<R> cr{c.re, c.stride, false};
  Negated<R> negated_re;
  const auto minus_ar = [&] {
    return negated_re.Of(a.matrix.re, a.matrix.stride, a.transposed, m, k);
  };
  if constexpr (!kComplex<T>) {
    RealMulAdd(ctx, m, n, k, sign > 0 ? ar : minus_ar(), br, cr);
  } else {
    const MatrixRef<const R> ai = factor(a.matrix.im, a);
    const MatrixRef<const R> bi = factor(b.matrix.im, b);
    const MatrixRef<R> ci{c.im, c.stride, false};
    // re += sign (ar br - sa sb ai bi), im += sign (sb ar bi + sa ai br), where
    // sa and sb are -1 for a conjugated factor.
    const int sa = a.conjugated ? -1 : 1, sb = b.conjugated ? -1 : 1;
    Negated<R> negated_im;
    MatrixRef<const R> minus_re{}, minus_im{};
    if (sign < 0 || sb < 0) minus_re = minus_ar();
    // Both signs of the imaginary part are needed unless b is conjugated.
    if (sb > 0 || sign * sa < 0) {
      minus_im =
          negated_im.Of(a.matrix.im, a.matrix.stride, a.transposed, m, k);
    }
    const auto re = [&](int s) { return s > 0 ? ar : minus_re; };
    const auto im = [&](int s) { return s > 0 ? ai : minus_im; };
    RealMulAdd(ctx, m, n, k, re(sign), br, cr);
    RealMulAdd(ctx, m, n, k, im(-sign * sa * sb), bi, cr);
    RealMulAdd(ctx, m, n, k, re(sign * sb), bi, ci);
    RealMulAdd(ctx, m, n, k, im(sign * sa), br, ci);
  }
}

template <typename T>
void LoadPlanes(const T* from, int64_t rows, int64_t cols, int64_t stride,
                Planes<T> to) {
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = from + i * stride;
    const Vec<T> out = to.Row(i);
    if constexpr (kComplex<T>) {
      for (int64_t j = 0; j < cols; ++j) {
        out.re[j] = row[j].real();
        out.im[j] = row[j].imag();
      }
    } else {
      std::copy_n(row, cols, out.re);
    }
  }
}

template <typename T>
void LoadAdjoint(const T* from, int64_t rows, int64_t cols, Planes<T> to) {
  constexpr int64_t kTile = 16;
  for (int64_t j0 = 0; j0 < cols; j0 += kTile) {
    const int64_t end = std::min(j0 + kTile, cols);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = j0; j < end; ++j) to.Set(j, i, Conj(from[i * cols + j]));
    }
  }
}

template <typename T>
void StorePlanes(Planes<T> from, int64_t rows, int64_t cols, T* to) {
  for (int64_t i = 0; i < rows; ++i, to += cols) {
    const Vec<T> row = from.Row(i);
    if constexpr (kComplex<T>) {
      for (int64_t j = 0; j < cols; ++j) to[j] = row[j];
    } else {
      std::copy_n(row.re, cols, to);
    }
  }
}

template <typename T>
void StoreTransposed(Planes<T> from, int64_t rows, int64_t cols, bool conjugate,
                     T* to) {
  constexpr int64_t kTile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    const int64_t end = std::min(i0 + kTile, rows);
    for (int64_t j = 0; j < cols; ++j) {
      for (int64_t i = i0; i < end; ++i) {
        const T value = from.Get(i, j);
        to[j * rows + i] = conjugate ? Conj(value) : value;
      }
    }
  }
}

#define TW_INSTANTIATE(T)                                                      \
  template void MulAdd<T>(OpKernelContext*, int64_t, int64_t, int64_t,         \
                          const Operand<T>&, const Operand<T>&, int,           \
                          Planes<T>);                                          \
  template void LoadPlanes<T>(const T*, int64_t, int64_t, int64_t, Planes<T>); \
  template void LoadAdjoint<T>(const T*, int64_t, int64_t, Planes<T>);         \
  template void StorePlanes<T>(Planes<T>, int64_t, int64_t, T*);               \
  template void StoreTransposed<T>(Planes<T>, int64_t, int64_t, bool, T*)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace linalg
}  // namespace tensorwright
