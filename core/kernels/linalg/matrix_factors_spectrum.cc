// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of Hermitian matrices, and singular values: turns the matrix into
// a tridiagonal or bidiagonal one, and that into a diagonal one by the implicit
// QR iteration (Golub and Van Loan, "Matrix Computations", 8.3 and 8.6).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/framework/types.h"
#include "core/kernels/linalg/matrix_factors.h"
#include "core/kernels/linalg/matrix_factors_loops.h"
#include "core/kernels/linalg/matrix_factors_reduce.h"

namespace tensorwright {
namespace linalg {
namespace {

// The sweeps for a value after which the iteration is given up; two or three
// are usual.
constexpr int kMaxSweeps = 60;

// The size that may be dropped beside elements of size 1.
template <typename R>
constexpr double Negligible() {
  return static_cast<double>(std::numeric_limits<R>::epsilon()) / 8;
}

// The largest absolute value; NaN or infinite if an element is.
template <typename T>
double LargestOf(int64_t rows, int64_t cols, Planes<T> a, bool lower_only) {
  using R = Real<T>;
  R largest = 0;
  R odd = 0;  // 0 times infinity or NaN is NaN.
  const auto look = [&](const R* row, int64_t n) {
    for (int64_t j = 0; j < n; ++j) {
      largest = std::max(largest, std::abs(row[j]));
      odd += row[j] * R(0);
    }
  };
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t n = lower_only ? i + 1 : cols;
    look(a.Row(i).re, n);
    if constexpr (kComplex<T>) look(a.Row(i).im, n);
  }
  return static_cast<double>(largest) + static_cast<double>(odd);
}

template <typename T>
void ScaleAll(int64_t rows, int64_t cols, Real<T> by, Planes<T> a) {
  for (int64_t i = 0; i < rows; ++i) {
    const Vec<T> row = a.Row(i);
    for (int64_t j = 0; j < cols; ++j) row.re[j] *= by;
    if constexpr (kComplex<T>) {
      for (int64_t j = 0; j < cols; ++j) row.im[j] *= by;
    }
  }
}

// A power of two that brings `largest` near 1, if it is far from 1: squares
// must neither overflow nor vanish.
template <typename R>
R ScaleFor(double largest) {
  if (largest == 0 || (largest > 1e-3 && largest < 1e3)) return R(1);
  const int exponent =
      std::clamp(-std::ilogb(largest), std::numeric_limits<R>::min_exponent,
                 std::numeric_limits<R>::max_exponent - 2);
  return std::ldexp(R(1), exponent);
}

// Computes the eigenvalues of a tridiagonal matrix into d [n]; uses up e [n].
template <typename T>
bool DiagonalizeTridiagonal(int64_t n, double* d, double* e,
                            Rotations<T>* rotations) {
  const double eps = Negligible<Real<T>>();
  if (n > 0) e[n - 1] = 0;
  for (int64_t l = 0; l < n; ++l) {
    for (int sweeps = 0;; ++sweeps) {
      int64_t m = l;
      while (m < n - 1 &&
             !(std::abs(e[m]) <= eps * (std::abs(d[m]) + std::abs(d[m + 1])))) {
        ++m;
      }
      if (m == l) break;
      if (sweeps == kMaxSweeps) return false;
      // The eigenvalue of the first two rows that is nearer to d[l].
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      double r = std::sqrt(g * g + 1);
      g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
      double s = 1, c = 1, p = 0;
      if (rotations != nullptr) rotations->Begin(m - 1);
      int64_t i = m - 1;
      for (; i >= l; --i) {
        const double f = s * e[i], b = c * e[i];
        r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (rotations != nullptr) rotations->Add(c, s);
      }
      if (rotations != nullptr) rotations->End();
      if (r == 0 && i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  return true;
}

struct Rotation {
  double c, s, r;
};

// c x + s y = r, c y - s x = 0.
Rotation MakeRotation(double x, double y) {
  const double r = std::sqrt(x * x + y * y);
  if (!(r > 0)) return {1, 0, x};
  return {x / r, y / r, r};
}

// The eigenvalue of the last two rows of B^T B nearer to its last element, as a
// singular value; 0 if that would be lost beside `first`.
double Shift(double before, double d0, double e0, double d1, double first) {
  const double a = d0 * d0 + before * before;
  const double b = d0 * e0;
  const double c = d1 * d1 + e0 * e0;
  const double half = (a - c) / 2;
  const double root = std::sqrt(half * half + b * b);
  const double mu =
      root == 0 ? c : c - b * b / (half + std::copysign(root, half));
  const double eps = std::numeric_limits<double>::epsilon();
  return mu > eps * first * first ? mu : 0;
}

// One sweep over rows lo, ... hi of a bidiagonal matrix.
template <typename T>
void SweepBidiagonal(int64_t lo, int64_t hi, double mu, double* d, double* e,
                     Rotations<T>* left, Rotations<T>* right) {
  if (left != nullptr) left->Begin(lo);
  if (right != nullptr) right->Begin(lo);
  double y = mu == 0 ? d[lo] : d[lo] - mu / d[lo];
  double z = e[lo];
  for (int64_t k = lo; k < hi; ++k) {
    const Rotation v = MakeRotation(y, z);
    if (k > lo) e[k - 1] = v.r;
    const double f = v.c * d[k] + v.s * e[k];
    e[k] = v.c * e[k] - v.s * d[k];
    const double g = v.s * d[k + 1];
    d[k + 1] = v.c * d[k + 1];
    const Rotation u = MakeRotation(f, g);
    d[k] = u.r;
    const double above = u.c * e[k] + u.s * d[k + 1];
    d[k + 1] = u.c * d[k + 1] - u.s * e[k];
    e[k] = above;
    if (k + 1 < hi) {
      y = e[k];
      z = u.s * e[k + 1];
      e[k + 1] = u.c * e[k + 1];
    }
    if (left != nullptr) left->Add(u.c, u.s);
    if (right != nullptr) right->Add(v.c, v.s);
  }
  if (left != nullptr) left->End();
  if (right != nullptr) right->End();
}

// Computes the singular values of a bidiagonal matrix into d [n], of either
// sign; uses up e.
template <typename T>
bool DiagonalizeBidiagonal(int64_t n, double* d, double* e, Rotations<T>* left,
                           Rotations<T>* right) {
  const double eps = Negligible<Real<T>>();
  double norm = 0;
  for (int64_t i = 0; i < n; ++i) {
    norm = std::max({norm, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : 0.0});
  }
  const double nothing = norm * eps * eps;
  const auto negligible = [&](int64_t i) {
    return std::abs(e[i]) <=
           std::max(nothing, eps * (std::abs(d[i]) + std::abs(d[i + 1])));
  };
  int64_t hi = n - 1;
  for (int64_t sweeps = 0; hi > 0;) {
    if (negligible(hi - 1)) {
      e[--hi] = 0;
      continue;
    }
    int64_t lo = hi - 1;
    while (lo > 0 && !negligible(lo - 1)) --lo;
    if (++sweeps > kMaxSweeps * n) return false;
    double smallest = std::abs(d[lo]);
    for (int64_t i = lo + 1; i <= hi; ++i) {
      smallest = std::min(smallest, std::abs(d[i]));
    }
    // If an element is zero, a sweep without a shift moves it to the end.
    const double mu = smallest <= std::numeric_limits<double>::epsilon() * norm
                          ? 0
                          : Shift(hi - 1 > lo ? e[hi - 2] : 0, d[hi - 1],
                                  e[hi - 1], d[hi], d[lo]);
    SweepBidiagonal(lo, hi, mu, d, e, left, right);
  }
  return true;
}

// Positions of values; a few take no allocation.
using Order = absl::InlinedVector<int64_t, 32>;

// The order in which values are sorted.
Order SortedOrder(int64_t n, const double* values, bool descending) {
  Order order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int64_t x, int64_t y) {
    return descending ? values[x] > values[y] : values[x] < values[y];
  };
  if (n > 16) {
    std::stable_sort(order.begin(), order.end(), before);
    return order;
  }
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t j = i; j > 0 && before(order[j], order[j - 1]); --j) {
      std::swap(order[j], order[j - 1]);
    }
  }
  return order;
}

// Rows of z [n, cols] in that order.
template <typename T>
void OrderRows(const Order& order, int64_t cols, Planes<T> z, Planes<T> out) {
  for (size_t i = 0; i < order.size(); ++i) {
    CopyRunOf(cols, z.Row(order[i]), out.Row(i));
  }
}

template <typename T>
void Transpose(int64_t rows, int64_t cols, Planes<T> from, Planes<T> to) {
  constexpr int64_t kTile = 16;
  const auto plane = [&](const Real<T>* in, Real<T>* out) {
    for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
      const int64_t end = std::min(i0 + kTile, rows);
      for (int64_t j = 0; j < cols; ++j) {
        for (int64_t i = i0; i < end; ++i) {
          out[j * to.stride + i] = in[i * from.stride + j];
        }
      }
    }
  };
  plane(from.re, to.re);
  if constexpr (kComplex<T>) plane(from.im, to.im);
}

// The transpose of the n x n matrix Q of reflectors.
template <typename T>
Planes<T> TransposedQ(OpKernelContext* ctx, Workspace* work, int64_t n,
                      const Reflectors<T>& h) {
  const Planes<T> q = work->TakePlanes<T>(n, n);
  const Planes<T> qt = work->TakePlanes<T>(n, n);
  MakeQ(ctx, work, h, n, q);
  Transpose(n, n, q, qt);
  return qt;
}

}  // namespace

template <typename T>
bool HermitianEigen(OpKernelContext* ctx, Workspace* work, int64_t n,
                    Planes<T> a, Real<T>* values, const Planes<T>* vectors) {
  using R = Real<T>;
  if (n == 1) {
    // The matrix is its own eigenvalue, even if it is a NaN.
    values[0] = a.Row(0).re[0];
    if (vectors != nullptr) vectors->Set(0, 0, T(1));
    return true;
  }
  const double largest = LargestOf(n, n, a, true);
  if (!std::isfinite(largest)) return false;
  const auto mark = work->mark();
  for (int64_t i = 0; i < n; ++i) {
    const Vec<T> row = a.Row(i);
    for (int64_t j = 0; j < i; ++j) a.Set(j, i, Conj(row[j]));
    if constexpr (kComplex<T>) row.im[i] = 0;
  }
  const R scale = ScaleFor<R>(largest);
  if (scale != R(1)) ScaleAll(n, n, scale, a);
  double* d = work->Take<double>(n);
  double* e = work->Take<double>(n);
  const Reflectors<T> h = Tridiagonalize(ctx, work, n, a, d, e);
  bool done;
  Planes<T> z;
  if (vectors != nullptr) {
    z = TransposedQ(ctx, work, n, h);
    Rotations<T> rotations(ctx, z, n, /*ascending=*/false);
    done = DiagonalizeTridiagonal(n, d, e, &rotations);
    rotations.Apply();
  } else {
    done = DiagonalizeTridiagonal<T>(n, d, e, nullptr);
  }
  const Order order = SortedOrder(n, d, false);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = static_cast<R>(d[order[i]] / static_cast<double>(scale));
  }
  if (vectors != nullptr) OrderRows(order, n, z, *vectors);
  work->Rewind(mark);
  return done;
}

namespace {

// Left singular vectors of a = Q R from those of R, the rows of z [n, n].
template <typename T>
void LeftVectors(OpKernelContext* ctx, Workspace* work, const Reflectors<T>& h,
                 int64_t n, const Order& order, Planes<T> z, int64_t count,
                 Planes<T> ut) {
  const int64_t m = h.length;
  const Planes<T> sorted = work->TakePlanes<T>(n, n);
  OrderRows(order, n, z, sorted);
  const Planes<T> u = work->TakePlanes<T>(m, count);
  for (int64_t i = 0; i < m; ++i) {
    ZeroRun(count, u.Row(i));
    if (i >= n && i < count) u.Set(i, i, T(1));
  }
  Transpose(n, n, sorted, u);
  ApplyQ(ctx, work, h, false, count, u);
  Transpose(m, count, u, ut);
}

}  // namespace

template <typename T>
bool SingularValues(OpKernelContext* ctx, Workspace* work, int64_t m, int64_t n,
                    Planes<T> a, bool full, Real<T>* values,
                    const Planes<T>* ut, const Planes<T>* vt) {
  using R = Real<T>;
  const double largest = LargestOf(m, n, a, false);
  if (!std::isfinite(largest)) return false;
  const auto mark = work->mark();
  const R scale = ScaleFor<R>(largest);
  if (scale != R(1)) ScaleAll(m, n, scale, a);
  Reflectors<T> h;
  if (m > n) h = FactorQr(ctx, work, m, n, a);
  double* d = work->Take<double>(n);
  double* e = work->Take<double>(n);
  const Bidiagonal<T> b = Bidiagonalize(ctx, work, n, a, d, e);
  bool done;
  Planes<T> left, right;
  if (ut != nullptr) {
    left = TransposedQ(ctx, work, n, b.q);
    right = TransposedQ(ctx, work, n, b.p);
    Rotations<T> of_left(ctx, left, n, /*ascending=*/true);
    Rotations<T> of_right(ctx, right, n, /*ascending=*/true);
    done = DiagonalizeBidiagonal(n, d, e, &of_left, &of_right);
    of_left.Apply();
    of_right.Apply();
  } else {
    done = DiagonalizeBidiagonal<T>(n, d, e, nullptr, nullptr);
  }
  for (int64_t i = 0; i < n; ++i) {
    if (!std::signbit(d[i])) continue;
    d[i] = -d[i];
    if (ut == nullptr) continue;
    const Vec<T> row = right.Row(i);
    for (int64_t j = 0; j < n; ++j) row.Set(j, -row[j]);
  }
  const Order order = SortedOrder(n, d, true);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = static_cast<R>(d[order[i]] / static_cast<double>(scale));
  }
  if (ut != nullptr) {
    OrderRows(order, n, right, *vt);
    if (m > n) {
      LeftVectors(ctx, work, h, n, order, left, full ? m : n, *ut);
    } else {
      OrderRows(order, n, left, *ut);
    }
  }
  work->Rewind(mark);
  return done;
}

#define TW_INSTANTIATE(T)                                                 \
  template bool HermitianEigen<T>(OpKernelContext*, Workspace*, int64_t,  \
                                  Planes<T>, Real<T>*, const Planes<T>*); \
  template bool SingularValues<T>(OpKernelContext*, Workspace*, int64_t,  \
                                  int64_t, Planes<T>, bool, Real<T>*,     \
                                  const Planes<T>*, const Planes<T>*)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace linalg
}  // namespace tensorwright
