// SPDX-License-Identifier: Apache-2.0
// Householder's reflectors, in blocks: I - V T V^H is the product of several
// (Schreiber and Van Loan, 1989).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "core/framework/types.h"
#include "core/kernels/linalg/matrix_factors.h"
#include "core/kernels/linalg/matrix_factors_loops.h"

namespace tensorwright {
namespace linalg {
namespace {

constexpr int64_t kBlock = 32;
// Fewer rows and columns than this are reflected one by one.
constexpr int64_t kSmall = 24;

// A panel's columns lie along the rows of `p` [width, m]; row j becomes R's
// column above `diagonal` + j, in `r`, and the reflector v_j from there on.
struct QrPanelLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t m, int64_t width, Planes<T> p,
                               Vec<T> tau, Planes<T> r) {
    for (int64_t j = 0; j < width; ++j) {
      const Vec<T> column = p.Row(j);
      // R lies above the diagonal, then zeros in the reflector's place.
      for (int64_t i = 0; i < std::min(j, m); ++i) {
        r.Set(i, j, column[i]);
        column.Set(i, T(0));
      }
      if (j >= m) continue;
      T t;
      Real<T> beta;
      MakeReflector(m - j, column + j, &t, &beta);
      tau.Set(j, t);
      r.Set(j, j, T(beta));
      if (t == T(0)) continue;
      for (int64_t c = j + 1; c < width; ++c) {
        const Vec<T> other = p.Row(c) + j;
        const T product = DotConj(m - j, column + j, other);
        Axpy(m - j, T(-Times(t, product)), column + j, other);
      }
    }
  }
};

// c -= t v (v^H c), one reflector: v [m], c [m, n], w [n].
struct ReflectLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t m, int64_t n, T t, Vec<T> v, Planes<T> c,
                               Vec<T> w) {
    ZeroRun(n, w);
    for (int64_t i = 0; i < m; ++i) Axpy(n, Conj(v[i]), c.Row(i), w);
    for (int64_t i = 0; i < m; ++i) Axpy(n, T(-Times(t, v[i])), w, c.Row(i));
  }
};

// The triangular T for `count` reflectors [count, length] with Q = I - V T V^H,
// Q = H_0^H H_1^H ...
template <typename T>
Planes<T> MakeT(OpKernelContext* ctx, Workspace* work, int64_t count,
                int64_t length, Planes<T> v, Vec<T> tau) {
  const Planes<T> gram = work->TakePlanes<T>(count, count);
  const Planes<T> t = work->TakePlanes<T>(count, count);
  for (int64_t i = 0; i < count; ++i) {
    ZeroRun(count, gram.Row(i));
    ZeroRun(count, t.Row(i));
  }
  MulAdd<T>(ctx, count, count, length, {v, false, true}, {v, true, false}, 1,
            gram);
  for (int64_t k = 0; k < count; ++k) {
    const T scale = Conj(tau[k]);
    for (int64_t i = 0; i < k; ++i) {
      T sum(0);
      for (int64_t j = i; j < k; ++j) sum += Times(t.Get(i, j), gram.Get(j, k));
      t.Set(i, k, -Times(scale, sum));
    }
    t.Set(k, k, scale);
  }
  return t;
}

// c -= V T V^H c, or with T^H.  Row 0 of c belongs to position 0 of the
// reflectors.
template <typename T>
void ApplyBlock(OpKernelContext* ctx, Workspace* work, int64_t count,
                int64_t length, Planes<T> v, Vec<T> tau, bool adjoint,
                int64_t n, Planes<T> c) {
  if (n == 0) return;
  const auto mark = work->mark();
  if (length <= kSmall || n == 1) {
    const Vec<T> w = work->TakeVec<T>(n);
    for (int64_t s = 0; s < count; ++s) {
      const int64_t i = adjoint ? s : count - 1 - s;
      const T t = adjoint ? tau[i] : Conj(tau[i]);
      if (t == T(0)) continue;
      RunWide<ReflectLoop>(length, n, t, v.Row(i), c, w);
    }
  } else {
    const Planes<T> t = MakeT(ctx, work, count, length, v, tau);
    const Planes<T> products = work->TakePlanes<T>(count, n);
    const Planes<T> scaled = work->TakePlanes<T>(count, n);
    for (int64_t i = 0; i < count; ++i) {
      ZeroRun(n, products.Row(i));
      ZeroRun(n, scaled.Row(i));
    }
    MulAdd<T>(ctx, count, n, length, {v, false, true}, {c}, 1, products);
    MulAdd<T>(ctx, count, n, count, {t, adjoint, adjoint}, {products}, 1,
              scaled);
    MulAdd<T>(ctx, length, n, count, {v, true, false}, {scaled}, -1, c);
  }
  work->Rewind(mark);
}

// The norms of the remaining parts of columns `from`, ... of a [m, n].
template <typename T>
void ColumnNorms(int64_t m, int64_t n, int64_t from, Planes<T> a,
                 Real<T>* squares) {
  std::fill(squares + from, squares + n, Real<T>(0));
  for (int64_t i = from; i < m; ++i) {
    for (int64_t j = from; j < n; ++j) squares[j] += std::norm(a.Get(i, j));
  }
}

// Brings the longest of the remaining columns to position k.
template <typename T>
void TakeLongest(int64_t m, int64_t n, int64_t k, Planes<T> a, Real<T>* squares,
                 int64_t* columns) {
  const int64_t best = std::max_element(squares + k, squares + n) - squares;
  if (best == k) return;
  std::swap(columns[k], columns[best]);
  std::swap(squares[k], squares[best]);
  for (int64_t i = 0; i < m; ++i) {
    const Vec<T> row = a.Row(i);
    const T kept = row[k];
    row.Set(k, row[best]);
    row.Set(best, kept);
  }
}

}  // namespace

template <typename T>
Reflectors<T> FactorQr(OpKernelContext* ctx, Workspace* work, int64_t m,
                       int64_t n, Planes<T> a) {
  const int64_t count = std::min(m, n);
  Reflectors<T> h{count, 0, m, work->TakePlanes<T>(count, m),
                  work->TakeVec<T>(count)};
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t width = std::min(kBlock, count - begin);
    const int64_t length = m - begin;
    for (int64_t j = 0; j < width; ++j) ZeroRun(begin, h.v.Row(begin + j));
    const Planes<T> panel = h.v.At(begin, begin);
    for (int64_t i = 0; i < length; ++i) {
      const Vec<T> row = a.Row(begin + i) + begin;
      for (int64_t j = 0; j < width; ++j) panel.Set(j, i, row[j]);
    }
    for (int64_t i = begin; i < m; ++i) ZeroRun(width, a.Row(i) + begin);
    RunWide<QrPanelLoop>(length, width, panel, h.tau + begin,
                         a.At(begin, begin));
    const int64_t rest = begin + width;
    ApplyBlock(ctx, work, width, length, panel, h.tau + begin, true, n - rest,
               a.At(begin, rest));
  }
  return h;
}

template <typename T>
Reflectors<T> FactorQrPivoted(OpKernelContext* ctx, Workspace* work, int64_t m,
                              int64_t n, Planes<T> a, int64_t* columns) {
  using R = Real<T>;
  (void)ctx;
  const int64_t count = std::min(m, n);
  Reflectors<T> h{count, 0, m, work->TakePlanes<T>(count, m),
                  work->TakeVec<T>(count)};
  const auto mark = work->mark();
  R* squares = work->Take<R>(n);
  R* before = work->Take<R>(n);
  const Vec<T> w = work->TakeVec<T>(n);
  for (int64_t j = 0; j < n; ++j) columns[j] = j;
  ColumnNorms(m, n, 0, a, squares);
  std::copy_n(squares, n, before);
  const R loss = std::sqrt(std::numeric_limits<R>::epsilon());
  for (int64_t k = 0; k < count; ++k) {
    const int64_t taken = std::max_element(squares + k, squares + n) - squares;
    std::swap(before[k], before[taken]);
    TakeLongest(m, n, k, a, squares, columns);
    const Vec<T> v = h.v.Row(k);
    ZeroRun(k, v);
    for (int64_t i = k; i < m; ++i) {
      v.Set(i, a.Get(i, k));
      a.Set(i, k, T(0));
    }
    T t;
    R beta;
    MakeReflector(m - k, v + k, &t, &beta);
    h.tau.Set(k, t);
    a.Set(k, k, T(beta));
    const int64_t rest = n - k - 1;
    if (rest > 0 && t != T(0)) {
      RunWide<ReflectLoop>(m - k, rest, t, v + k, a.At(k, k + 1), w);
    }
    bool again = false;
    for (int64_t j = k + 1; j < n; ++j) {
      squares[j] -= std::norm(a.Get(k, j));
      again |= !(squares[j] > loss * before[j]);
    }
    // Too much was subtracted for the difference to be exact.
    if (again && k + 1 < count) {
      ColumnNorms(m, n, k + 1, a, squares);
      std::copy(squares + k + 1, squares + n, before + k + 1);
    }
  }
  work->Rewind(mark);
  return h;
}

template <typename T>
void ApplyQ(OpKernelContext* ctx, Workspace* work, const Reflectors<T>& h,
            bool adjoint, int64_t n, Planes<T> c) {
  const int64_t blocks = (h.count + kBlock - 1) / kBlock;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t begin = (adjoint ? step : blocks - 1 - step) * kBlock;
    const int64_t at = begin + h.offset;
    ApplyBlock(ctx, work, std::min(kBlock, h.count - begin), h.length - at,
               h.v.At(begin, at), h.tau + begin, adjoint, n, c.At(at, 0));
  }
}

template <typename T>
void MakeQ(OpKernelContext* ctx, Workspace* work, const Reflectors<T>& h,
           int64_t n, Planes<T> q) {
  for (int64_t i = 0; i < h.length; ++i) {
    ZeroRun(n, q.Row(i));
    if (i < n) q.Set(i, i, T(1));
  }
  const int64_t blocks = (h.count + kBlock - 1) / kBlock;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t begin = (blocks - 1 - step) * kBlock;
    const int64_t at = begin + h.offset;
    // The remaining part of the columns is still the identity's, whose zeros
    // stay.
    ApplyBlock(ctx, work, std::min(kBlock, h.count - begin), h.length - at,
               h.v.At(begin, at), h.tau + begin, false,
               std::max<int64_t>(n - at, 0), q.At(at, at));
  }
}

#define TW_INSTANTIATE(T)                                                     \
  template Reflectors<T> FactorQr<T>(OpKernelContext*, Workspace*, int64_t,   \
                                     int64_t, Planes<T>);                     \
  template Reflectors<T> FactorQrPivoted<T>(                                  \
      OpKernelContext*, Workspace*, int64_t, int64_t, Planes<T>, int64_t*);   \
  template void ApplyQ<T>(OpKernelContext*, Workspace*, const Reflectors<T>&, \
                          bool, int64_t, Planes<T>);                          \
  template void MakeQ<T>(OpKernelContext*, Workspace*, const Reflectors<T>&,  \
                         int64_t, Planes<T>)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace linalg
}  // namespace tensorwright
