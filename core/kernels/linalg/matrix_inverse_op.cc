// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixInverse and BatchMatrixInverse.

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
class MatrixInverseOp final : public OpKernel {
 public:
  explicit MatrixInverseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adjoint", &adjoint_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(0).shape(), &output));
    const int64_t n = batch.rows;
    const T* in = ctx->input(0).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      const T* from = in + i * n * n;
      const Planes<T> a = work->TakePlanes<T>(n, n);
      if (adjoint_) {
        linalg::LoadAdjoint(from, n, n, a);
      } else {
        linalg::LoadPlanes(from, n, n, n, a);
      }
      int64_t* rows = work->Take<int64_t>(n);
      linalg::FactorLu(inner, work, n, a, rows);
      if (!linalg::Invertible(n, a)) {
        return errors::InvalidArgument("Input is not invertible.");
      }
      // P a = L U, so the inverse is U^-1 L^-1 P.
      T* home = out + i * n * n;
      const Planes<T> x = linalg::MakeHome(work, n, n, home);
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) x.Set(r, c, T(0));
        x.Set(r, rows[r], T(1));
      }
      linalg::SolveTriangular(inner, n, n, a, {.lower = true, .unit = true}, x);
      linalg::SolveTriangular(inner, n, n, a, {.lower = false}, x);
      linalg::StoreHome(x, n, n, home);
      return OkStatus();
    };
    const double size = static_cast<double>(n);
    OP_REQUIRES_OK(ctx,
                   linalg::ForEachMatrix(
                       ctx, batch.count,
                       linalg::kCost<T> * (size * size * size + 300), run));
  }

 private:
  bool adjoint_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixInverse").Device(DEVICE_CPU), "T",
                          MatrixInverseOp, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatrixInverse").Device(DEVICE_CPU), "T",
                          MatrixInverseOp, float, double);

}  // namespace tensorwright
