// SPDX-License-Identifier: Apache-2.0
// The kernel of TridiagonalSolve.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/kernels/linalg/linalg_ops_common.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// A system of n rows with k right sides: `above`, `main` and `below` are its
// diagonals, of n elements each; element i of each belongs to row i.
template <typename T>
struct Tridiagonal {
  int64_t n, k;
  const T *above, *main, *below;
};

// to -= factor * from, for k elements.
template <typename T>
void Subtract(int64_t k, T factor, const T* from, T* to) {
  for (int64_t j = 0; j < k; ++j) to[j] -= linalg::Times(factor, from[j]);
}

// Gaussian elimination in the order of the rows (Thomas).  False at a pivot of
// zero.  `u` [n] is scratch.
template <typename T>
bool SolveInOrder(const Tridiagonal<T>& a, T* u, T* x) {
  T pivot = a.main[0];
  if (pivot == T(0)) return false;
  for (int64_t i = 0;; ++i) {
    for (int64_t j = 0; j < a.k; ++j) x[i * a.k + j] /= pivot;
    if (i + 1 == a.n) break;
    u[i] = a.above[i] / pivot;
    pivot = a.main[i + 1] - linalg::Times(a.below[i + 1], u[i]);
    if (pivot == T(0)) return false;
    Subtract(a.k, a.below[i + 1], x + i * a.k, x + (i + 1) * a.k);
  }
  for (int64_t i = a.n - 2; i >= 0; --i) {
    Subtract(a.k, u[i], x + (i + 1) * a.k, x + i * a.k);
  }
  return true;
}

// The number that a pivot near zero becomes: rounding of the largest element.
template <typename T>
linalg::Real<T> LeastPivot(const Tridiagonal<T>& a) {
  using Real = linalg::Real<T>;
  Real largest = 0;
  for (int64_t i = 0; i < a.n; ++i) {
    largest = std::max(largest, std::abs(a.main[i]));
    if (i + 1 == a.n) break;
    largest = std::max(largest, std::abs(a.above[i]));
    largest = std::max(largest, std::abs(a.below[i + 1]));
  }
  return std::max(std::numeric_limits<Real>::min(),
                  std::numeric_limits<Real>::epsilon() * largest);
}

// A pivot that has no quotient is `least`, with its own sign.
template <typename T>
void Perturb(linalg::Real<T> least, T* pivot) {
  if (std::abs(*pivot) < std::numeric_limits<linalg::Real<T>>::min()) {
    *pivot = T(std::copysign(least, std::real(*pivot)));
  }
}

// Eliminates with the larger of two rows first; then U has three diagonals.  u
// [3 n] is scratch.  A pivot of zero is perturbed if `perturb`.
template <typename T>
bool SolveWithPivots(const Tridiagonal<T>& a, bool perturb, T* u, T* x) {
  const linalg::Real<T> least = perturb ? LeastPivot(a) : linalg::Real<T>(0);
  const auto row = [&](int64_t i) { return u + 3 * i; };
  row(0)[0] = a.main[0];
  row(0)[1] = a.n > 1 ? a.above[0] : T(0);
  row(0)[2] = T(0);
  for (int64_t i = 0; i + 1 < a.n; ++i) {
    T next[3] = {a.below[i + 1], a.main[i + 1],
                 i + 2 < a.n ? a.above[i + 1] : T(0)};
    T* top = row(i);
    T* right = x + i * a.k;
    if (std::abs(top[0]) < std::abs(next[0])) {
      std::swap_ranges(top, top + 3, next);
      std::swap_ranges(right, right + a.k, right + a.k);
    }
    if (perturb) Perturb(least, top);
    if (top[0] == T(0)) return false;
    const T factor = next[0] / top[0];
    row(i + 1)[0] = next[1] - linalg::Times(factor, top[1]);
    row(i + 1)[1] = next[2] - linalg::Times(factor, top[2]);
    row(i + 1)[2] = T(0);
    Subtract(a.k, factor, right, right + a.k);
  }
  if (perturb) Perturb(least, row(a.n - 1));
  if (row(a.n - 1)[0] == T(0)) return false;
  for (int64_t i = a.n - 1; i >= 0; --i) {
    T* right = x + i * a.k;
    if (i + 1 < a.n) Subtract(a.k, row(i)[1], right + a.k, right);
    if (i + 2 < a.n) Subtract(a.k, row(i)[2], right + 2 * a.k, right);
    for (int64_t j = 0; j < a.k; ++j) right[j] /= row(i)[0];
  }
  return true;
}

}  // namespace

template <typename T>
class TridiagonalSolveOp final : public OpKernel {
 public:
  explicit TridiagonalSolveOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("partial_pivoting", &pivoting_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("perturb_singular", &perturb_));
    OP_REQUIRES(ctx, !perturb_ || pivoting_,
                errors::InvalidArgument("TridiagonalSolve: perturb_singular "
                                        "needs partial_pivoting"));
  }

  void Compute(OpKernelContext* ctx) override {
    linalg::Batch diagonals, right;
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 0, &diagonals));
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 1, &right));
    OP_REQUIRES(ctx,
                diagonals.rows == 3 && diagonals.cols == right.rows &&
                    diagonals.count == right.count,
                errors::InvalidArgument(
                    "TridiagonalSolve: diagonals [..., 3, n] and rhs [..., n, "
                    "k] do not fit, got shapes ",
                    ctx->input(0).shape().DebugString(), " and ",
                    ctx->input(1).shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(1).shape(), &output));
    if (output->NumElements() == 0) return;
    const int64_t n = right.rows, k = right.cols;
    const T* in = ctx->input(0).base<T>();
    const T* rhs = ctx->input(1).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext*, linalg::Workspace* work,
                         int64_t i) -> Status {
      const T* d = in + i * 3 * n;
      const Tridiagonal<T> a{n, k, d, d + n, d + 2 * n};
      T* x = out + i * n * k;
      std::copy_n(rhs + i * n * k, n * k, x);
      T* u = work->Take<T>(3 * n);
      // A system without a solution gives NaN.
      if (!(pivoting_ ? SolveWithPivots(a, perturb_, u, x)
                      : SolveInOrder(a, u, x))) {
        std::fill_n(x, n * k,
                    T(std::numeric_limits<linalg::Real<T>>::quiet_NaN()));
      }
      return OkStatus();
    };
    const double cost = linalg::kCost<T> * static_cast<double>(n) *
                        (20 + 6 * static_cast<double>(k));
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, right.count, cost, run));
  }

 private:
  bool pivoting_ = true, perturb_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("TridiagonalSolve").Device(DEVICE_CPU), "T",
                          TridiagonalSolveOp, float, double, complex64,
                          complex128);

}  // namespace tensorwright
