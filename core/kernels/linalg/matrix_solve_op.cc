// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixSolve and BatchMatrixSolve.

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

template <typename T>
class MatrixSolveOp final : public OpKernel {
 public:
  explicit MatrixSolveOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adjoint", &adjoint_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch, right;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 1, &right));
    OP_REQUIRES(ctx, batch.rows == right.rows && batch.count == right.count,
                errors::InvalidArgument(
                    "Input matrix and rhs are incompatible, got shapes ",
                    ctx->input(0).shape().DebugString(), " and ",
                    ctx->input(1).shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(1).shape(), &output));
    const int64_t n = batch.rows, k = right.cols;
    if (output->NumElements() == 0) return;
    const T* matrices = ctx->input(0).base<T>();
    const T* rhs = ctx->input(1).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      return Solve(inner, work, n, k, matrices + i * n * n, rhs + i * n * k,
                   out + i * n * k);
    };
    const double size = static_cast<double>(n);
    OP_REQUIRES_OK(
        ctx,
        linalg::ForEachMatrix(
            ctx, batch.count,
            linalg::kCost<T> *
                (size * size * (size / 3 + static_cast<double>(k)) / 2 + 300),
            run));
  }

 private:
  // With P a = L U, a x = b is U x = L^-1 P b; a^H x = b is P x = L^-H U^-H b.
  Status Solve(OpKernelContext* ctx, linalg::Workspace* work, int64_t n,
               int64_t k, const T* matrix, const T* rhs, T* home) const {
    const Planes<T> a = linalg::LoadCopy(work, matrix, n, n);
    int64_t* rows = work->Take<int64_t>(n);
    linalg::FactorLu(ctx, work, n, a, rows);
    if (!linalg::Invertible(n, a)) {
      return errors::InvalidArgument("Input matrix is not invertible.");
    }
    if (adjoint_) {
      const Planes<T> x = linalg::LoadCopy(work, rhs, n, k);
      linalg::SolveTriangular(ctx, n, k, a, {.lower = false, .adjoint = true},
                              x);
      linalg::SolveTriangular(
          ctx, n, k, a, {.lower = true, .adjoint = true, .unit = true}, x);
      for (int64_t r = 0; r < n; ++r) {
        linalg::StorePlanes(x.At(r, 0), 1, k, home + rows[r] * k);
      }
    } else {
      const Planes<T> x = linalg::MakeHome(work, n, k, home);
      for (int64_t r = 0; r < n; ++r) {
        linalg::LoadPlanes(rhs + rows[r] * k, 1, k, k, x.At(r, 0));
      }
      linalg::SolveTriangular(ctx, n, k, a, {.lower = true, .unit = true}, x);
      linalg::SolveTriangular(ctx, n, k, a, {.lower = false}, x);
      linalg::StoreHome(x, n, k, home);
    }
    return OkStatus();
  }

  bool adjoint_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixSolve").Device(DEVICE_CPU), "T",
                          MatrixSolveOp, float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatrixSolve").Device(DEVICE_CPU), "T",
                          MatrixSolveOp, float, double);

}  // namespace tensorwright
