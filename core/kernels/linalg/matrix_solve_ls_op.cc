// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixSolveLs and BatchMatrixSolveLs.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/kernels/linalg/linalg_ops_common.h"
#include "core/kernels/linalg/matrix_factors.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

using linalg::Batch;
using linalg::Planes;
using linalg::Real;
using linalg::Workspace;

namespace {

// Solves by normal equations: x = (a^H a + l I)^-1 a^H b, or a^H (a a^H + l
// I)^-1 b for a wide a.  False if Cholesky's factor does not exist.
template <typename T>
bool SolveFast(OpKernelContext* ctx, Workspace* work, int64_t m, int64_t n,
               int64_t k, Planes<T> a, Planes<T> b, Real<T> l, Planes<T> x) {
  const bool tall = m >= n;
  const int64_t size = std::min(m, n);
  const Planes<T> gram = work->TakePlanes<T>(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) gram.Set(i, j, T(0));
    gram.Set(i, i, T(l));
  }
  const linalg::Operand<T> adjoint{a, true, true}, plain{a};
  // Cholesky's factor needs only the lower triangle: strips of rows, each up to
  // the diagonal.
  constexpr int64_t kStrip = 128;
  for (int64_t row = 0; row < size; row += kStrip) {
    const int64_t rows = std::min(kStrip, size - row), columns = row + rows;
    const Planes<T> rest = gram.At(row, 0);
    if (tall) {
      linalg::MulAdd<T>(ctx, rows, columns, m, {a.At(0, row), true, true},
                        plain, 1, rest);
    } else {
      linalg::MulAdd<T>(ctx, rows, columns, n, {a.At(row, 0)}, adjoint, 1,
                        rest);
    }
  }
  if (!linalg::FactorCholesky(ctx, work, size, gram)) return false;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) x.Set(i, j, T(0));
  }
  const linalg::Triangle lower, upper{.lower = true, .adjoint = true};
  const Planes<T> y = tall ? x : b;
  if (tall) linalg::MulAdd<T>(ctx, n, k, m, adjoint, {b}, 1, x);
  linalg::SolveTriangular(ctx, size, k, gram, lower, y);
  linalg::SolveTriangular(ctx, size, k, gram, upper, y);
  if (!tall) linalg::MulAdd<T>(ctx, n, k, m, adjoint, {b}, 1, x);
  return true;
}

// Finds the smallest of the best x, whatever the rank: factors a P = Q [R; 0]
// with exchanged columns, and the rows of R that count once more from the other
// side, R^H = Z [L^H; 0]: x = P Z L^-1 (Q^H b).
template <typename T>
void SolveComplete(OpKernelContext* ctx, Workspace* work, int64_t m, int64_t n,
                   int64_t k, Planes<T> a, Planes<T> b, Planes<T> x) {
  using R = Real<T>;
  int64_t* columns = work->Take<int64_t>(n);
  const auto q = linalg::FactorQrPivoted(ctx, work, m, n, a, columns);
  const int64_t size = std::min(m, n);
  const R least = size == 0 ? R(0)
                            : std::abs(a.Get(0, 0)) *
                                  std::numeric_limits<R>::epsilon() *
                                  static_cast<R>(size);
  int64_t rank = 0;
  while (rank < size && std::abs(a.Get(rank, rank)) > least) ++rank;
  linalg::ApplyQ(ctx, work, q, true, k, b);
  const Planes<T> y = work->TakePlanes<T>(n, k);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) y.Set(i, j, i < rank ? b.Get(i, j) : T(0));
  }
  if (rank == n) {
    linalg::SolveTriangular(ctx, n, k, a, {.lower = false}, y);
  } else if (rank > 0) {
    const Planes<T> turned = work->TakePlanes<T>(n, rank);
    for (int64_t i = 0; i < rank; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        turned.Set(j, i, j < i ? T(0) : linalg::Conj(a.Get(i, j)));
      }
    }
    const auto z = linalg::FactorQr(ctx, work, n, rank, turned);
    linalg::SolveTriangular(ctx, rank, k, turned,
                            {.lower = false, .adjoint = true}, y);
    linalg::ApplyQ(ctx, work, z, false, k, y);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) x.Set(columns[i], j, y.Get(i, j));
  }
}

}  // namespace

template <typename T>
class MatrixSolveLsOp final : public OpKernel {
 public:
  explicit MatrixSolveLsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("fast", &fast_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch, right;
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 0, &batch));
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 1, &right));
    OP_REQUIRES(ctx, batch.rows == right.rows && batch.count == right.count,
                errors::InvalidArgument(
                    "Input matrix and rhs are incompatible, got shapes ",
                    ctx->input(0).shape().DebugString(), " and ",
                    ctx->input(1).shape().DebugString()));
    OP_REQUIRES(
        ctx, ctx->input(2).NumElements() == 1,
        errors::InvalidArgument(
            "MatrixSolveLs: l2_regularizer must be a scalar, got shape ",
            ctx->input(2).shape().DebugString()));
    const double l2 = ctx->input(2).base<double>()[0];
    OP_REQUIRES(ctx, l2 >= 0,
                errors::InvalidArgument(
                    "MatrixSolveLs: l2_regularizer must be >= 0, got ", l2));
    const int64_t m = batch.rows, n = batch.cols, k = right.cols;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, n, k, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const T* matrices = ctx->input(0).base<T>();
    const T* rhs = ctx->input(1).base<T>();
    T* out = output->base<T>();
    if (m == 0) {
      std::fill_n(out, output->NumElements(), T(0));
      return;
    }
    const auto run = [&](OpKernelContext* inner, Workspace* work,
                         int64_t i) -> Status {
      const Planes<T> a = linalg::LoadCopy(work, matrices + i * m * n, m, n);
      const Planes<T> b = linalg::LoadCopy(work, rhs + i * m * k, m, k);
      T* home = out + i * n * k;
      const Planes<T> x = linalg::MakeHome(work, n, k, home);
      if (!fast_) {
        SolveComplete(inner, work, m, n, k, a, b, x);
      } else if (!SolveFast(inner, work, m, n, k, a, b,
                            static_cast<Real<T>>(l2), x)) {
        return errors::InvalidArgument(
            "Input matrix was rank deficient or ill-conditioned. Try setting "
            "fast=False or provide a larger l2_regularizer > 0.");
      }
      linalg::StoreHome(x, n, k, home);
      return OkStatus();
    };
    const double least = static_cast<double>(std::min(m, n));
    const double cost = linalg::kCost<T> * least * static_cast<double>(m) *
                            static_cast<double>(n + k) +
                        500;
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, batch.count, cost, run));
  }

 private:
  bool fast_ = true;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixSolveLs").Device(DEVICE_CPU), "T",
                          MatrixSolveLsOp, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatrixSolveLs").Device(DEVICE_CPU), "T",
                          MatrixSolveLsOp, float, double);

}  // namespace tensorwright
