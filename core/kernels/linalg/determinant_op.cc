// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixDeterminant, BatchMatrixDeterminant and
// LogMatrixDeterminant.

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

namespace {

// Calls visit(i, sign, factored matrix i) for each.
template <typename T, typename Visit>
Status FactorEach(OpKernelContext* ctx, const Batch& batch,
                  const Visit& visit) {
  const int64_t n = batch.rows;
  const T* in = ctx->input(0).base<T>();
  const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                       int64_t i) -> Status {
    const Planes<T> a = linalg::LoadCopy(work, in + i * n * n, n, n);
    int64_t* rows = work->Take<int64_t>(n);
    visit(i, linalg::FactorLu(inner, work, n, a, rows), a);
    return OkStatus();
  };
  const double size = static_cast<double>(n);
  return linalg::ForEachMatrix(
      ctx, batch.count, linalg::kCost<T> * (size * size * size / 3 + 100), run);
}

}  // namespace

template <typename T>
class DeterminantOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, -1, -1, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    T* out = output->base<T>();
    const auto visit = [&](int64_t i, int sign, Planes<T> lu) {
      T product(static_cast<linalg::Real<T>>(sign));
      for (int64_t k = 0; k < batch.rows; ++k) {
        product = linalg::Times(product, lu.Get(k, k));
      }
      out[i] = product;
    };
    OP_REQUIRES_OK(ctx, FactorEach<T>(ctx, batch, visit));
  }
};

template <typename T>
class LogDeterminantOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, -1, -1, &shape));
    Tensor *signs = nullptr, *logs = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &signs));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &logs));
    T* sign_out = signs->base<T>();
    T* log_out = logs->base<T>();
    // The sign is the product of u / |u| over the diagonal, and the logarithm
    // is the sum of log |u|.
    const auto visit = [&](int64_t i, int of_rows, Planes<T> lu) {
      using R = linalg::Real<T>;
      T sign(static_cast<R>(of_rows));
      R log = 0;
      for (int64_t k = 0; k < batch.rows; ++k) {
        const T u = lu.Get(k, k);
        const R size = std::abs(u);
        sign = size == R(0) ? T(0) : linalg::Times(sign, T(u / size));
        log += std::log(size);
        if (size == R(0)) break;
      }
      sign_out[i] = sign;
      log_out[i] = T(log);
    };
    OP_REQUIRES_OK(ctx, FactorEach<T>(ctx, batch, visit));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixDeterminant").Device(DEVICE_CPU), "T",
                          DeterminantOp, float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatrixDeterminant").Device(DEVICE_CPU),
                          "T", DeterminantOp, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("LogMatrixDeterminant").Device(DEVICE_CPU), "T",
                          LogDeterminantOp, float, double, complex64,
                          complex128);

}  // namespace tensorwright
