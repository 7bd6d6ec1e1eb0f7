// SPDX-License-Identifier: Apache-2.0
// The reductions to three and to two diagonals, in panels: the effects of a
// panel's reflectors on the rest of the matrix are added up and then applied at
// once (Dongarra, Sorensen and Hammarling, 1989).  Half of the work is products
// of the matrix with a vector, which memory bounds.

#include "core/kernels/linalg/matrix_factors_reduce.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/framework/types.h"
#include "core/kernels/linalg/matrix_factors_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace linalg {
namespace {

constexpr int64_t kPanel = 32;

// Calls work(begin, end) over [0, n), on all threads if that is worth it.
template <typename Work>
void Share(OpKernelContext* ctx, int64_t n, int64_t cost, const Work& work) {
  if (ctx == nullptr || n * cost < 50'000) {
    work(int64_t{0}, n);
  } else {
    ParallelFor(ctx, n, cost, std::ref(work));
  }
}

// y = a x:  a [m, n].
template <typename T>
void RowProducts(OpKernelContext* ctx, int64_t m, int64_t n, Planes<T> a,
                 Vec<T> x, Vec<T> y) {
  Share(ctx, m, n / 4, [&](int64_t begin, int64_t end) {
    if constexpr (kComplex<T>) {
      RunWide<ComplexRowProductsLoop>(begin, end, n, a, x, y);
    } else {
      RunWide<RowProductsLoop>(begin, end, n, a.re, a.stride, x.re, y.re);
    }
  });
}

// y = a^H x:  a [m, n].
template <typename T>
void ColumnProducts(OpKernelContext* ctx, int64_t m, int64_t n, Planes<T> a,
                    Vec<T> x, Vec<T> y) {
  Share(ctx, n, m / 4, [&](int64_t begin, int64_t end) {
    if constexpr (kComplex<T>) {
      RunWide<ComplexColumnProductsLoop>(begin, end, m, a, x, y);
    } else {
      RunWide<ColumnProductsLoop>(begin, end, m, a.re, a.stride, x.re, y.re);
    }
  });
}

// to -= sum_p conj(a_p[at]) x_p, for `count` rows, from position `from` on.
struct SubtractRowsLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t count, int64_t from, int64_t n,
                               Planes<T> x, Planes<T> a, int64_t at,
                               Vec<T> to) {
    for (int64_t p = 0; p < count; ++p) {
      Axpy(n - from, T(-Conj(a.Get(p, at))), x.Row(p) + from, to + from);
    }
  }
};

// to -= sum_p x_p (y_p^H z), with products from position `inner` on.
struct SubtractProductsLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t count, int64_t inner, int64_t from,
                               int64_t n, Planes<T> x, Planes<T> y, Vec<T> z,
                               Vec<T> to) {
    for (int64_t p = 0; p < count; ++p) {
      const T product = DotConj(n - inner, y.Row(p) + inner, z + inner);
      Axpy(n - from, T(-product), x.Row(p) + from, to + from);
    }
  }
};

struct ReflectorLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t n, Vec<T> x, T* tau, Real<T>* beta) {
    MakeReflector(n, x, tau, beta);
  }
};

struct ScaleLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t n, T by, Vec<T> x) {
    Scale(n, by, x);
  }
};

// w = y - tau (v^H y) v / 2.
struct HalveLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t n, T tau, Vec<T> v, Vec<T> y) {
    const T s = DotConj(n, v, y);
    Axpy(n, T(-Times(tau, s) / Real<T>(2)), v, y);
  }
};

template <typename T>
void CopyConj(int64_t n, Vec<T> from, Vec<T> to) {
  std::copy_n(from.re, n, to.re);
  if constexpr (kComplex<T>) {
    for (int64_t i = 0; i < n; ++i) to.im[i] = -from.im[i];
  }
}

}  // namespace

template <typename T>
Reflectors<T> Tridiagonalize(OpKernelContext* ctx, Workspace* work, int64_t n,
                             Planes<T> a, double* diagonal, double* beside) {
  using R = Real<T>;
  const int64_t count = std::max<int64_t>(n - 1, 0);
  Reflectors<T> h{count, 1, n, work->TakePlanes<T>(count, n),
                  work->TakeVec<T>(count)};
  const auto mark = work->mark();
  const Planes<T> w = work->TakePlanes<T>(std::min(kPanel, count), n);
  for (int64_t begin = 0; begin < count; begin += kPanel) {
    const int64_t width = std::min(kPanel, count - begin);
    const Planes<T> vs = h.v.At(begin, 0);
    for (int64_t j = 0; j < width; ++j) {
      const int64_t k = begin + j, rest = k + 1;
      // Column k, as the panel so far has changed it: a - V W^H - W V^H.
      const Vec<T> v = h.v.Row(k);
      CopyConj(n - k, a.Row(k) + k, v + k);
      RunWide<SubtractRowsLoop>(j, k, n, vs, w, k, v);
      RunWide<SubtractRowsLoop>(j, k, n, w, vs, k, v);
      diagonal[k] = v.re[k];
      T tau;
      R beta;
      RunWide<ReflectorLoop>(n - rest, v + rest, &tau, &beta);
      ZeroRun(rest, v);
      h.tau.Set(k, tau);
      beside[k] = beta;
      const Vec<T> y = w.Row(j);
      ZeroRun(rest, y);
      if (tau == T(0)) {
        ZeroRun(n - rest, y + rest);
        continue;
      }
      RowProducts(ctx, n - rest, n - rest, a.At(rest, rest), v + rest,
                  y + rest);
      RunWide<SubtractProductsLoop>(j, rest, rest, n, vs, w, v, y);
      RunWide<SubtractProductsLoop>(j, rest, rest, n, w, vs, v, y);
      RunWide<ScaleLoop>(n - rest, Conj(tau), y + rest);
      RunWide<HalveLoop>(n - rest, tau, v + rest, y + rest);
    }
    const int64_t at = begin + width, left = n - at;
    MulAdd<T>(ctx, left, left, width, {vs.At(0, at), true, false},
              {w.At(0, at), false, true}, -1, a.At(at, at));
    MulAdd<T>(ctx, left, left, width, {w.At(0, at), true, false},
              {vs.At(0, at), false, true}, -1, a.At(at, at));
  }
  if (n > 0) diagonal[n - 1] = a.At(n - 1, n - 1).re[0];
  work->Rewind(mark);
  return h;
}

template <typename T>
Bidiagonal<T> Bidiagonalize(OpKernelContext* ctx, Workspace* work, int64_t n,
                            Planes<T> a, double* diagonal, double* above) {
  using R = Real<T>;
  const int64_t right = std::max<int64_t>(n - 1, 0);
  Bidiagonal<T> b;
  b.q = {n, 0, n, work->TakePlanes<T>(n, n), work->TakeVec<T>(n)};
  b.p = {right, 1, n, work->TakePlanes<T>(n, n), work->TakeVec<T>(n)};
  const auto mark = work->mark();
  const Planes<T> x = work->TakePlanes<T>(std::min(kPanel, n), n);
  const Planes<T> y = work->TakePlanes<T>(std::min(kPanel, n), n);
  for (int64_t begin = 0; begin < n; begin += kPanel) {
    const int64_t width = std::min(kPanel, n - begin);
    const Planes<T> us = b.q.v.At(begin, 0), vs = b.p.v.At(begin, 0);
    // The matrix now is a - U Y^H - X V^H.
    for (int64_t j = 0; j < width; ++j) {
      const int64_t k = begin + j, rest = k + 1;
      const Vec<T> u = b.q.v.Row(k), v = b.p.v.Row(k);
      const Vec<T> xj = x.Row(j), yj = y.Row(j);
      for (int64_t i = k; i < n; ++i) u.Set(i, a.Get(i, k));
      RunWide<SubtractRowsLoop>(j, k, n, us, y, k, u);
      RunWide<SubtractRowsLoop>(j, k, n, x, vs, k, u);
      T tau;
      R beta;
      RunWide<ReflectorLoop>(n - k, u + k, &tau, &beta);
      ZeroRun(k, u);
      b.q.tau.Set(k, tau);
      diagonal[k] = beta;
      ZeroRun(n, v);
      ZeroRun(n, xj);
      ZeroRun(n, yj);
      if (rest == n) break;
      if (tau != T(0)) {
        ColumnProducts(ctx, n - k, n - rest, a.At(k, rest), u + k, yj + rest);
        RunWide<SubtractProductsLoop>(j, k, rest, n, y, us, u, yj);
        RunWide<SubtractProductsLoop>(j, k, rest, n, vs, x, u, yj);
        RunWide<ScaleLoop>(n - rest, Conj(tau), yj + rest);
      }
      CopyConj(n - rest, a.Row(k) + rest, v + rest);
      RunWide<SubtractRowsLoop>(j + 1, rest, n, y, us, k, v);
      RunWide<SubtractRowsLoop>(j, rest, n, vs, x, k, v);
      RunWide<ReflectorLoop>(n - rest, v + rest, &tau, &beta);
      ZeroRun(rest, v);
      b.p.tau.Set(k, tau);
      above[k] = beta;
      if (tau == T(0)) continue;
      RowProducts(ctx, n - rest, n - rest, a.At(rest, rest), v + rest,
                  xj + rest);
      RunWide<SubtractProductsLoop>(j + 1, rest, rest, n, us, y, v, xj);
      RunWide<SubtractProductsLoop>(j, rest, rest, n, x, vs, v, xj);
      RunWide<ScaleLoop>(n - rest, Conj(tau), xj + rest);
    }
    const int64_t at = begin + width, left = n - at;
    MulAdd<T>(ctx, left, left, width, {us.At(0, at), true, false},
              {y.At(0, at), false, true}, -1, a.At(at, at));
    MulAdd<T>(ctx, left, left, width, {x.At(0, at), true, false},
              {vs.At(0, at), false, true}, -1, a.At(at, at));
  }
  work->Rewind(mark);
  return b;
}

namespace {

// One sweep over `count` + 1 rows of kWidth columns; rows are `stride` apart.
struct SweepLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* z, int64_t stride, int64_t width,
                               int64_t count, const R* c, const R* s) {
    using V = Vector<R>;
    constexpr int64_t kLanes = VectorOf<R>::kLanes;
    int64_t j = 0;
    for (; j + 4 * kLanes <= width; j += 4 * kLanes) {
      V* row = reinterpret_cast<V*>(z + j);
      V a0 = row[0], a1 = row[1], a2 = row[2], a3 = row[3];
      for (int64_t i = 0; i < count; ++i) {
        const V* next = reinterpret_cast<const V*>(z + (i + 1) * stride + j);
        const V b0 = next[0], b1 = next[1], b2 = next[2], b3 = next[3];
        V* out = reinterpret_cast<V*>(z + i * stride + j);
        const R ci = c[i], si = s[i];
        out[0] = ci * a0 + si * b0;
        out[1] = ci * a1 + si * b1;
        out[2] = ci * a2 + si * b2;
        out[3] = ci * a3 + si * b3;
        a0 = ci * b0 - si * a0;
        a1 = ci * b1 - si * a1;
        a2 = ci * b2 - si * a2;
        a3 = ci * b3 - si * a3;
      }
      V* last = reinterpret_cast<V*>(z + count * stride + j);
      last[0] = a0;
      last[1] = a1;
      last[2] = a2;
      last[3] = a3;
    }
    for (; j < width; ++j) {
      R a = z[j];
      for (int64_t i = 0; i < count; ++i) {
        const R b = z[(i + 1) * stride + j];
        z[i * stride + j] = c[i] * a + s[i] * b;
        a = c[i] * b - s[i] * a;
      }
      z[count * stride + j] = a;
    }
  }
};

}  // namespace

template <typename T>
void Rotations<T>::ApplyToColumns(Real<T>* plane, int64_t begin,
                                  int64_t end) const {
  using R = Real<T>;
  constexpr int64_t kWidth = 4 * VectorOf<R>::kLanes;
  int64_t low = INT64_MAX, high = -1;
  for (const Sweep& sweep : sweeps_) {
    const int64_t n = sweep.end - sweep.begin;
    const int64_t first = ascending_ ? sweep.first : sweep.first + 1 - n;
    low = std::min(low, first);
    high = std::max(high, first + n);
  }
  if (high < 0) return;
  const int64_t rows = high - low + 1;
  // Few rows stay in the cache in place.
  const bool copied = rows * cols_ * static_cast<int64_t>(sizeof(R)) > 16384;
  std::vector<R> buffer;
  if (copied) buffer.resize(rows * kWidth);
  for (int64_t j = begin; j < end; j += copied ? kWidth : end - begin) {
    const int64_t width = copied ? std::min(kWidth, end - j) : end - begin;
    R* z = plane + low * z_.stride + j;
    int64_t stride = z_.stride;
    if (copied) {
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(z + i * stride, width, buffer.data() + i * kWidth);
      }
      z = buffer.data();
      stride = kWidth;
    }
    for (const Sweep& sweep : sweeps_) {
      const int64_t n = sweep.end - sweep.begin;
      // A descending sweep is an ascending one with the rows in the other
      // order.
      RunWide<SweepLoop>(
          z + (sweep.first + (ascending_ ? 0 : 1) - low) * stride,
          ascending_ ? stride : -stride, width, n, c_.data() + sweep.begin,
          s_.data() + sweep.begin);
    }
    if (copied) {
      R* to = plane + low * z_.stride + j;
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(z + i * kWidth, width, to + i * z_.stride);
      }
    }
  }
}

template <typename T>
void Rotations<T>::Apply() {
  if (size() > 0) {
    // Each thread gets whole lines of the buffers.
    constexpr int64_t kColumns = 32;
    Share(ctx_, (cols_ + kColumns - 1) / kColumns, size() * kColumns,
          [&](int64_t begin, int64_t end) {
            const int64_t last = std::min(end * kColumns, cols_);
            ApplyToColumns(z_.re, begin * kColumns, last);
            if constexpr (kComplex<T>) {
              ApplyToColumns(z_.im, begin * kColumns, last);
            }
          });
  }
  sweeps_.clear();
  c_.clear();
  s_.clear();
}

#define TW_INSTANTIATE(T)                                                  \
  template Reflectors<T> Tridiagonalize<T>(                                \
      OpKernelContext*, Workspace*, int64_t, Planes<T>, double*, double*); \
  template Bidiagonal<T> Bidiagonalize<T>(                                 \
      OpKernelContext*, Workspace*, int64_t, Planes<T>, double*, double*); \
  template class Rotations<T>
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace linalg
}  // namespace tensorwright
