// SPDX-License-Identifier: Apache-2.0
// Loops over runs of elements: sums of products, additions of multiples.  All
// are inlined into their callers, which RunWide compiles for AVX2 and for any
// x86-64.  Sums have a fixed order, the same on all processors.
#ifndef TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_LOOPS_H_
#define TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_LOOPS_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/linalg/matrix_factors.h"

namespace tensorwright {
namespace linalg {

// 32 bytes at any address.
template <typename R>
struct VectorOf {
  using type
      [[gnu::vector_size(32), gnu::aligned(alignof(R)), gnu::may_alias]] = R;
  static constexpr int64_t kLanes = 32 / sizeof(R);
};
template <typename R>
using Vector = typename VectorOf<R>::type;

// sum x[i] y[i].
template <typename R>
TW_WIDE_LOOP R Dot(int64_t n, const R* x, const R* y) {
  constexpr int64_t kLanes = VectorOf<R>::kLanes;
  using V = Vector<R>;
  R sum = 0;
  int64_t i = 0;
  if (n >= kLanes) {
    V a = {}, b = {}, c = {}, d = {};
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      const V* vx = reinterpret_cast<const V*>(x + i);
      const V* vy = reinterpret_cast<const V*>(y + i);
      a += vx[0] * vy[0];
      b += vx[1] * vy[1];
      c += vx[2] * vy[2];
      d += vx[3] * vy[3];
    }
    for (; i + kLanes <= n; i += kLanes) {
      a += *reinterpret_cast<const V*>(x + i) *
           *reinterpret_cast<const V*>(y + i);
    }
    a = (a + b) + (c + d);
    for (int64_t l = 0; l < kLanes; ++l) sum += a[l];
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// sum x[i] y[i] for complex numbers in one pass, with x conjugated if kSign is
// -1.
template <int kSign, typename R>
TW_WIDE_LOOP std::complex<R> ComplexDot(int64_t n, const R* xr, const R* xi,
                                        const R* yr, const R* yi) {
  constexpr int64_t kLanes = VectorOf<R>::kLanes;
  using V = Vector<R>;
  R re = 0, im = 0;
  int64_t i = 0;
  if (n >= kLanes) {
    V vre = {}, vim = {};
    for (; i + kLanes <= n; i += kLanes) {
      const V a = *reinterpret_cast<const V*>(xr + i);
      const V b = *reinterpret_cast<const V*>(xi + i);
      const V c = *reinterpret_cast<const V*>(yr + i);
      const V d = *reinterpret_cast<const V*>(yi + i);
      if constexpr (kSign > 0) {
        vre += a * c - b * d;
        vim += a * d + b * c;
      } else {
        vre += a * c + b * d;
        vim += a * d - b * c;
      }
    }
    for (int64_t l = 0; l < kLanes; ++l) {
      re += vre[l];
      im += vim[l];
    }
  }
  for (; i < n; ++i) {
    re += xr[i] * yr[i] - kSign * (xi[i] * yi[i]);
    im += xr[i] * yi[i] + kSign * (xi[i] * yr[i]);
  }
  return {re, im};
}

// sum conj(x[i]) y[i].
template <typename T>
TW_WIDE_LOOP T DotConj(int64_t n, Vec<T> x, Vec<T> y) {
  if constexpr (kComplex<T>) {
    return ComplexDot<-1>(n, x.re, x.im, y.re, y.im);
  } else {
    return Dot(n, x.re, y.re);
  }
}

// sum x[i] y[i].
template <typename T>
TW_WIDE_LOOP T DotPlain(int64_t n, Vec<T> x, Vec<T> y) {
  if constexpr (kComplex<T>) {
    return ComplexDot<1>(n, x.re, x.im, y.re, y.im);
  } else {
    return Dot(n, x.re, y.re);
  }
}

template <typename T>
TW_WIDE_LOOP Real<T> SquaredNorm(int64_t n, Vec<T> x) {
  Real<T> sum = Dot(n, x.re, x.re);
  if constexpr (kComplex<T>) sum += Dot(n, x.im, x.im);
  return sum;
}

// y += a x.
template <typename T>
TW_WIDE_LOOP void Axpy(int64_t n, T a, Vec<T> x, Vec<T> y) {
  using R = Real<T>;
  if constexpr (kComplex<T>) {
    const R ar = a.real(), ai = a.imag();
    const R *xr = x.re, *xi = x.im;
    R *yr = y.re, *yi = y.im;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      yr[i] += ar * xr[i] - ai * xi[i];
      yi[i] += ar * xi[i] + ai * xr[i];
    }
  } else {
    const R* xr = x.re;
    R* yr = y.re;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) yr[i] += a * xr[i];
  }
}

// y += a conj(x).
template <typename T>
TW_WIDE_LOOP void AxpyConj(int64_t n, T a, Vec<T> x, Vec<T> y) {
  if constexpr (kComplex<T>) {
    using R = Real<T>;
    const R ar = a.real(), ai = a.imag();
    const R *xr = x.re, *xi = x.im;
    R *yr = y.re, *yi = y.im;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      yr[i] += ar * xr[i] + ai * xi[i];
      yi[i] += ai * xr[i] - ar * xi[i];
    }
  } else {
    Axpy(n, a, x, y);
  }
}

template <typename T>
TW_WIDE_LOOP void Scale(int64_t n, T a, Vec<T> x) {
  using R = Real<T>;
  if constexpr (kComplex<T>) {
    const R ar = a.real(), ai = a.imag();
    R *xr = x.re, *xi = x.im;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R re = ar * xr[i] - ai * xi[i];
      xi[i] = ar * xi[i] + ai * xr[i];
      xr[i] = re;
    }
  } else {
    R* xr = x.re;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) xr[i] *= a;
  }
}

template <typename T>
TW_WIDE_LOOP void SwapRuns(int64_t n, Vec<T> x, Vec<T> y) {
  std::swap_ranges(x.re, x.re + n, y.re);
  if constexpr (kComplex<T>) std::swap_ranges(x.im, x.im + n, y.im);
}

template <typename T>
inline void CopyRunOf(int64_t n, Vec<T> from, Vec<T> to) {
  std::copy_n(from.re, n, to.re);
  if constexpr (kComplex<T>) std::copy_n(from.im, n, to.im);
}

template <typename T>
inline void ZeroRun(int64_t n, Vec<T> x) {
  std::fill_n(x.re, n, Real<T>(0));
  if constexpr (kComplex<T>) std::fill_n(x.im, n, Real<T>(0));
}

// H x = beta e_0 with H = I - tau v v^H: turns x [n] into v, which has a 1 in
// front.  beta is real.  If there is nothing to do, tau is 0.
template <typename T>
TW_WIDE_LOOP void MakeReflector(int64_t n, Vec<T> x, T* tau, Real<T>* beta) {
  using R = Real<T>;
  constexpr R kTiny = std::numeric_limits<R>::min();
  const T first = x[0];
  const R rest = n > 1 ? SquaredNorm(n - 1, x + 1) : R(0);
  R imaginary = 0, real;
  if constexpr (kComplex<T>) {
    imaginary = first.imag();
    real = first.real();
  } else {
    real = first;
  }
  if (rest <= kTiny && imaginary * imaginary <= kTiny) {
    *tau = T(0);
    *beta = real;
    ZeroRun(n, x);
  } else {
    R norm = std::sqrt(real * real + imaginary * imaginary + rest);
    if (real >= R(0)) norm = -norm;
    *beta = norm;
    Scale(n - 1, T(1) / (first - norm), x + 1);
    *tau = Conj((norm - first) / norm);
  }
  x.Set(0, T(1));
}

// y[i] = row i of a times x, begin <= i < end:  a [.., n].
struct RowProductsLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(int64_t begin, int64_t end, int64_t n,
                               const R* a, int64_t stride, const R* x, R* y) {
    constexpr int64_t kLanes = VectorOf<R>::kLanes;
    using V = Vector<R>;
    int64_t r = begin;
    for (; r + 4 <= end; r += 4) {
      const R* a0 = a + r * stride;
      const R *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
      V s0 = {}, s1 = {}, s2 = {}, s3 = {};
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        const V vx = *reinterpret_cast<const V*>(x + i);
        s0 += *reinterpret_cast<const V*>(a0 + i) * vx;
        s1 += *reinterpret_cast<const V*>(a1 + i) * vx;
        s2 += *reinterpret_cast<const V*>(a2 + i) * vx;
        s3 += *reinterpret_cast<const V*>(a3 + i) * vx;
      }
      R t0 = 0, t1 = 0, t2 = 0, t3 = 0;
      for (int64_t l = 0; l < kLanes; ++l) {
        t0 += s0[l];
        t1 += s1[l];
        t2 += s2[l];
        t3 += s3[l];
      }
      for (; i < n; ++i) {
        t0 += a0[i] * x[i];
        t1 += a1[i] * x[i];
        t2 += a2[i] * x[i];
        t3 += a3[i] * x[i];
      }
      y[r] = t0;
      y[r + 1] = t1;
      y[r + 2] = t2;
      y[r + 3] = t3;
    }
    for (; r < end; ++r) {
      const R* row = a + r * stride;
      V sums = {};
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        sums += *reinterpret_cast<const V*>(row + i) *
                *reinterpret_cast<const V*>(x + i);
      }
      R sum = 0;
      for (int64_t l = 0; l < kLanes; ++l) sum += sums[l];
      for (; i < n; ++i) sum += row[i] * x[i];
      y[r] = sum;
    }
  }
};

// y[j] = sum_i a[i, j] x[i], begin <= j < end:  a [m, ..].
struct ColumnProductsLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(int64_t begin, int64_t end, int64_t m,
                               const R* a, int64_t stride, const R* x, R* y) {
    std::fill(y + begin, y + end, R(0));
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
      const R* a0 = a + i * stride;
      const R *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
      const R x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
      TW_VECTORIZE
      for (int64_t j = begin; j < end; ++j) {
        y[j] += (a0[j] * x0 + a1[j] * x1) + (a2[j] * x2 + a3[j] * x3);
      }
    }
    for (; i < m; ++i) {
      const R* row = a + i * stride;
      const R xi = x[i];
      TW_VECTORIZE
      for (int64_t j = begin; j < end; ++j) y[j] += row[j] * xi;
    }
  }
};

// The same two for complex numbers; for columns, a is conjugated.
struct ComplexRowProductsLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t begin, int64_t end, int64_t n,
                               Planes<T> a, Vec<T> x, Vec<T> y) {
    for (int64_t r = begin; r < end; ++r) y.Set(r, DotPlain(n, a.Row(r), x));
  }
};

struct ComplexColumnProductsLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t begin, int64_t end, int64_t m,
                               Planes<T> a, Vec<T> x, Vec<T> y) {
    ZeroRun(end - begin, y + begin);
    int64_t i = 0;
    for (; i + 2 <= m; i += 2) {
      const Vec<T> first = a.Row(i), second = a.Row(i + 1);
      const Real<T>*ar = first.re, *ai = first.im;
      const Real<T>*br = second.re, *bi = second.im;
      const Real<T> xr = x.re[i], xi = x.im[i];
      const Real<T> zr = x.re[i + 1], zi = x.im[i + 1];
      Real<T>*yr = y.re, *yi = y.im;
      TW_VECTORIZE
      for (int64_t j = begin; j < end; ++j) {
        yr[j] += (ar[j] * xr + ai[j] * xi) + (br[j] * zr + bi[j] * zi);
        yi[j] += (ar[j] * xi - ai[j] * xr) + (br[j] * zi - bi[j] * zr);
      }
    }
    if (i < m) AxpyConj(end - begin, x[i], a.Row(i) + begin, y + begin);
  }
};

}  // namespace linalg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_LOOPS_H_
