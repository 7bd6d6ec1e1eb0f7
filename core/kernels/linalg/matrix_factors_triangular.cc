// SPDX-License-Identifier: Apache-2.0
// Triangular systems, Cholesky's and Gauss's factors, in blocks: the loops here
// do small blocks, and products do the rest.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/framework/types.h"
#include "core/kernels/linalg/matrix_factors.h"
#include "core/kernels/linalg/matrix_factors_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace linalg {
namespace {

constexpr int64_t kBlock = 64;

// The rows of a triangular block in the order of elimination: row s has the s
// coefficients of the unknowns before it, and its diagonal.
template <typename T>
struct PackedTriangle {
  alignas(64) Real<T> re[kBlock * kBlock];
  alignas(64) Real<T> im[kComplex<T> ? kBlock * kBlock : 1];

  Vec<T> Row(int64_t s) {
    return {re + s * kBlock, kComplex<T> ? im + s * kBlock : nullptr};
  }
};

// op(a) is lower or upper; its block begins at the corner of `a`.
template <typename T>
void Pack(Planes<T> a, int64_t n, Triangle t, PackedTriangle<T>* packed) {
  const bool lower = t.lower != t.adjoint;
  for (int64_t s = 0; s < n; ++s) {
    const int64_t i = lower ? s : n - 1 - s;
    const Vec<T> row = packed->Row(s);
    for (int64_t p = 0; p <= s; ++p) {
      const int64_t j = lower ? p : n - 1 - p;
      row.Set(p, t.adjoint ? Conj(a.Get(j, i)) : a.Get(i, j));
    }
    if (t.unit) row.Set(s, T(1));
  }
}

// Turns x [n, width] into its solution; row s of the elimination is row s or n
// - 1 - s of x.
struct SolveBlockLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(PackedTriangle<T>* packed, int64_t n, bool lower,
                               Planes<T> x, int64_t width) {
    using R = Real<T>;
    using V = Vector<R>;
    constexpr int64_t kLanes = VectorOf<R>::kLanes;
    int64_t j0 = 0;
    for (; j0 + 2 * kLanes <= width; j0 += 2 * kLanes) {
      for (int64_t s = 0; s < n; ++s) {
        const Vec<T> c = packed->Row(s);
        const Vec<T> row = x.Row(lower ? s : n - 1 - s) + j0;
        V* to = reinterpret_cast<V*>(row.re);
        V re0 = to[0], re1 = to[1];
        if constexpr (kComplex<T>) {
          V* to_im = reinterpret_cast<V*>(row.im);
          V im0 = to_im[0], im1 = to_im[1];
          for (int64_t p = 0; p < s; ++p) {
            const Vec<T> known = x.Row(lower ? p : n - 1 - p) + j0;
            const V* kr = reinterpret_cast<const V*>(known.re);
            const V* ki = reinterpret_cast<const V*>(known.im);
            const R cr = c.re[p], ci = c.im[p];
            re0 -= cr * kr[0] - ci * ki[0];
            re1 -= cr * kr[1] - ci * ki[1];
            im0 -= cr * ki[0] + ci * kr[0];
            im1 -= cr * ki[1] + ci * kr[1];
          }
          const T scale = T(1) / c[s];
          const R sr = scale.real(), si = scale.imag();
          to[0] = sr * re0 - si * im0;
          to[1] = sr * re1 - si * im1;
          to_im[0] = sr * im0 + si * re0;
          to_im[1] = sr * im1 + si * re1;
        } else {
          for (int64_t p = 0; p < s; ++p) {
            const V* known = reinterpret_cast<const V*>(
                x.Row(lower ? p : n - 1 - p).re + j0);
            const R cr = c.re[p];
            re0 -= cr * known[0];
            re1 -= cr * known[1];
          }
          to[0] = re0 / c.re[s];
          to[1] = re1 / c.re[s];
        }
      }
    }
    const int64_t rest = width - j0;
    if (rest == 0) return;
    for (int64_t s = 0; s < n; ++s) {
      const Vec<T> c = packed->Row(s);
      const Vec<T> row = x.Row(lower ? s : n - 1 - s) + j0;
      for (int64_t p = 0; p < s; ++p) {
        Axpy(rest, T(-c[p]), x.Row(lower ? p : n - 1 - p) + j0, row);
      }
      if constexpr (kComplex<T>) {
        Scale(rest, T(1) / c[s], row);
      } else {
        const T d = c.re[s];
        for (int64_t j = 0; j < rest; ++j) row.re[j] /= d;
      }
    }
  }
};

// Smaller systems are solved without packing.
constexpr int64_t kTiny = 12;

struct SolveTinyLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t n, int64_t k, Planes<T> a, Triangle t,
                               Planes<T> x) {
    const bool lower = t.lower != t.adjoint;
    for (int64_t s = 0; s < n; ++s) {
      const int64_t i = lower ? s : n - 1 - s;
      const Vec<T> row = x.Row(i);
      for (int64_t p = 0; p < s; ++p) {
        const int64_t j = lower ? p : n - 1 - p;
        const T c = t.adjoint ? Conj(a.Get(j, i)) : a.Get(i, j);
        Axpy(k, T(-c), x.Row(j), row);
      }
      if (t.unit) continue;
      const T d = t.adjoint ? Conj(a.Get(i, i)) : a.Get(i, i);
      if constexpr (kComplex<T>) {
        Scale(k, T(1) / d, row);
      } else {
        for (int64_t j = 0; j < k; ++j) row.re[j] /= d;
      }
    }
  }
};

// Works on the columns of one thread: solves half of the rows, subtracts their
// part from the others, then solves those.
template <typename T>
void SolveColumns(int64_t n, int64_t k, Planes<T> a, Triangle t, Planes<T> x) {
  if (n <= kTiny) {
    RunWide<SolveTinyLoop>(n, k, a, t, x);
    return;
  }
  const bool lower = t.lower != t.adjoint;
  if (n <= kBlock) {
    PackedTriangle<T> packed;
    Pack(a, n, t, &packed);
    RunWide<SolveBlockLoop>(&packed, n, lower, x, k);
    return;
  }
  const int64_t half = (n / 2 + kBlock - 1) / kBlock * kBlock;
  const int64_t known = lower ? 0 : half, left = lower ? half : 0;
  const int64_t size = lower ? half : n - half;
  SolveColumns(size, k, a.At(known, known), t, x.At(known, 0));
  const Planes<T> beside = t.adjoint ? a.At(known, left) : a.At(left, known);
  MulAdd<T>(nullptr, n - size, k, size, {beside, t.adjoint, t.adjoint},
            {x.At(known, 0)}, -1, x.At(left, 0));
  SolveColumns(n - size, k, a.At(left, left), t, x.At(left, 0));
}

// Goes row by row: a [n, n], n <= kBlock.
struct CholeskyLoop {
  template <typename T>
  TW_WIDE_LOOP static bool Run(int64_t n, Planes<T> a) {
    using R = Real<T>;
    for (int64_t i = 0; i < n; ++i) {
      const Vec<T> row = a.Row(i);
      for (int64_t j = 0; j < i; ++j) {
        const Vec<T> other = a.Row(j);
        const T rest = row[j] - DotConj(j, other, row);
        row.Set(j, rest / other.re[j]);
      }
      const R square = row.re[i] - SquaredNorm(i, row);
      // A NaN stays, as in TensorFlow.
      if (square <= R(0)) return false;
      row.Set(i, T(std::sqrt(square)));
    }
    return true;
  }
};

// Pivots are chosen by this size: |x|, or its square for complex numbers.
template <typename T>
TW_WIDE_LOOP Real<T> Size(T x) {
  if constexpr (kComplex<T>) {
    return x.real() * x.real() + x.imag() * x.imag();
  } else {
    return std::abs(x);
  }
}

// A panel's columns lie along the rows of `p` [width, m]: Gauss's elimination
// with the largest element of each column in front.
struct LuPanelLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(int64_t m, int64_t width, Planes<T> p,
                               int64_t* pivots) {
    using R = Real<T>;
    for (int64_t j = 0; j < std::min(m, width); ++j) {
      const Vec<T> column = p.Row(j);
      int64_t best = j;
      R largest = -1;
      for (int64_t i = j; i < m; ++i) {
        const R size = Size(column[i]);
        // The first NaN stays, since nothing is larger.
        if (size > largest || (i == j && size != size)) {
          largest = size;
          best = i;
        }
      }
      pivots[j] = best;
      if (best != j) {
        for (int64_t c = 0; c < width; ++c) {
          const Vec<T> row = p.Row(c);
          const T kept = row[j];
          row.Set(j, row[best]);
          row.Set(best, kept);
        }
      }
      const T pivot = column[j];
      if (pivot != T(0)) {
        if constexpr (kComplex<T>) {
          Scale(m - j - 1, T(1) / pivot, column + (j + 1));
        } else {
          R* x = column.re;
          for (int64_t i = j + 1; i < m; ++i) x[i] /= pivot;
        }
      }
      for (int64_t c = j + 1; c < width; ++c) {
        const Vec<T> other = p.Row(c);
        Axpy(m - j - 1, T(-other[j]), column + (j + 1), other + (j + 1));
      }
    }
  }
};

// The same in place, row by row.
struct LuTinyLoop {
  template <typename T>
  TW_WIDE_LOOP static int Run(int64_t n, Planes<T> a, int64_t* rows) {
    using R = Real<T>;
    int sign = 1;
    for (int64_t j = 0; j < n; ++j) {
      int64_t best = j;
      R largest = Size(a.Get(j, j));
      for (int64_t i = j + 1; i < n; ++i) {
        const R size = Size(a.Get(i, j));
        if (size > largest) {
          largest = size;
          best = i;
        }
      }
      if (best != j) {
        sign = -sign;
        std::swap(rows[j], rows[best]);
        SwapRuns(n, a.Row(j), a.Row(best));
      }
      const T pivot = a.Get(j, j);
      if (pivot == T(0)) continue;
      const Vec<T> top = a.Row(j) + (j + 1);
      const T inverse = T(1) / pivot;
      for (int64_t i = j + 1; i < n; ++i) {
        const T entry = a.Get(i, j);
        const T factor = kComplex<T> ? Times(entry, inverse) : T(entry / pivot);
        a.Set(i, j, factor);
        Axpy(n - j - 1, T(-factor), top, a.Row(i) + (j + 1));
      }
    }
    return sign;
  }
};

}  // namespace

template <typename T>
void SolveTriangular(OpKernelContext* ctx, int64_t n, int64_t k, Planes<T> a,
                     Triangle triangle, Planes<T> x) {
  if (n == 0 || k == 0) return;
  // The runs of columns have a fixed length, so the products, and their
  // rounding, do not depend on the threads.
  constexpr int64_t kColumns = 256;
  const auto solve = [&](int64_t begin, int64_t end) {
    for (int64_t run = begin; run < end; ++run) {
      const int64_t first = run * kColumns;
      SolveColumns(n, std::min(kColumns, k - first), a, triangle,
                   x.At(0, first));
    }
  };
  const int64_t runs = (k + kColumns - 1) / kColumns;
  if (ctx == nullptr) {
    solve(0, runs);
  } else {
    ParallelFor(ctx, runs, n * n * kColumns / 8, std::ref(solve));
  }
}

template <typename T>
bool FactorCholesky(OpKernelContext* ctx, Workspace* work, int64_t n,
                    Planes<T> a) {
  const auto mark = work->mark();
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    if (!RunWide<CholeskyLoop>(size, a.At(begin, begin))) return false;
    const int64_t rest = begin + size, left = n - rest;
    if (left == 0) break;
    // conj(L) for the rows below, transposed: L conj(panel)^T = the adjoint of
    // a.
    const Planes<T> panel = work->TakePlanes<T>(size, left);
    for (int64_t i = 0; i < left; ++i) {
      const Vec<T> row = a.Row(rest + i) + begin;
      for (int64_t j = 0; j < size; ++j) panel.Set(j, i, Conj(row[j]));
    }
    SolveTriangular(ctx, size, left, a.At(begin, begin), {}, panel);
    for (int64_t i = 0; i < left; ++i) {
      const Vec<T> row = a.Row(rest + i) + begin;
      for (int64_t j = 0; j < size; ++j) row.Set(j, Conj(panel.Get(j, i)));
    }
    // Works on strips of rows, each up to the diagonal.
    constexpr int64_t kStrip = 96;
    const int64_t strips = (left + kStrip - 1) / kStrip;
    const auto update = [&](int64_t first, int64_t last) {
      for (int64_t strip = first; strip < last; ++strip) {
        const int64_t row = strip * kStrip;
        const int64_t rows = std::min(kStrip, left - row);
        MulAdd<T>(nullptr, rows, row + rows, size, {a.At(rest + row, begin)},
                  {panel}, -1, a.At(rest + row, rest));
      }
    };
    if (ctx == nullptr) {
      update(0, strips);
    } else {
      ParallelFor(ctx, strips, kStrip * left * size / 8, std::ref(update));
    }
    work->Rewind(mark);
  }
  work->Rewind(mark);
  return true;
}

template <typename T>
int FactorLu(OpKernelContext* ctx, Workspace* work, int64_t n, Planes<T> a,
             int64_t* rows) {
  const int64_t block = n <= 32 ? n : n <= 512 ? 32 : kBlock;
  int sign = 1;
  for (int64_t i = 0; i < n; ++i) rows[i] = i;
  if (n <= kTiny) return RunWide<LuTinyLoop>(n, a, rows);
  int64_t pivots[kBlock];
  for (int64_t begin = 0; begin < n; begin += block) {
    const auto mark = work->mark();
    const int64_t width = std::min(block, n - begin), m = n - begin;
    const Planes<T> panel = work->TakePlanes<T>(width, m);
    for (int64_t i = 0; i < m; ++i) {
      const Vec<T> row = a.Row(begin + i) + begin;
      for (int64_t j = 0; j < width; ++j) panel.Set(j, i, row[j]);
    }
    RunWide<LuPanelLoop>(m, width, panel, pivots);
    for (int64_t j = 0; j < width; ++j) {
      if (pivots[j] == j) continue;
      const int64_t x = begin + j, y = begin + pivots[j];
      sign = -sign;
      std::swap(rows[x], rows[y]);
      SwapRuns(begin, a.Row(x), a.Row(y));
      const int64_t after = begin + width;
      SwapRuns(n - after, a.Row(x) + after, a.Row(y) + after);
    }
    for (int64_t i = 0; i < m; ++i) {
      const Vec<T> row = a.Row(begin + i) + begin;
      for (int64_t j = 0; j < width; ++j) row.Set(j, panel.Get(j, i));
    }
    work->Rewind(mark);
    const int64_t rest = begin + width, left = n - rest;
    if (left == 0) break;
    SolveTriangular(ctx, width, left, a.At(begin, begin), {.unit = true},
                    a.At(begin, rest));
    MulAdd<T>(ctx, left, left, width, {a.At(rest, begin)}, {a.At(begin, rest)},
              -1, a.At(rest, rest));
  }
  return sign;
}

#define TW_INSTANTIATE(T)                                                    \
  template void SolveTriangular<T>(OpKernelContext*, int64_t, int64_t,       \
                                   Planes<T>, Triangle, Planes<T>);          \
  template bool FactorCholesky<T>(OpKernelContext*, Workspace*, int64_t,     \
                                  Planes<T>);                                \
  template int FactorLu<T>(OpKernelContext*, Workspace*, int64_t, Planes<T>, \
                           int64_t*)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
TW_INSTANTIATE(complex64);
TW_INSTANTIATE(complex128);
#undef TW_INSTANTIATE

}  // namespace linalg
}  // namespace tensorwright
