// SPDX-License-Identifier: Apache-2.0
// The kernels of SelfAdjointEigV2, SelfAdjointEig and their Batch forms.

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

// Computes the eigenvalues of matrix [n, n] and, unless v is null, eigenvectors
// as columns.
template <typename T>
Status Decompose(OpKernelContext* ctx, linalg::Workspace* work, int64_t n,
                 const T* matrix, linalg::Real<T>* values, T* v) {
  const Planes<T> a = linalg::LoadCopy(work, matrix, n, n);
  const Planes<T> vectors =
      v == nullptr ? Planes<T>() : work->TakePlanes<T>(n, n);
  if (!linalg::HermitianEigen(ctx, work, n, a, values,
                              v == nullptr ? nullptr : &vectors)) {
    return errors::InvalidArgument(
        "Self-adjoint eigen decomposition was not successful. The input might "
        "not be valid.");
  }
  if (v != nullptr) linalg::StoreTransposed(vectors, n, n, false, v);
  return OkStatus();
}

double Cost(int64_t n, double factor) {
  const double size = static_cast<double>(n);
  return factor * (2 * size * size * size + 500);
}

}  // namespace

template <typename T>
class SelfAdjointEigV2Op final : public OpKernel {
 public:
  explicit SelfAdjointEigV2Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compute_v", &compute_v_));
  }

  void Compute(OpKernelContext* ctx) override {
    using R = linalg::Real<T>;
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    const int64_t n = batch.rows;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, n, -1, &shape));
    Tensor *values = nullptr, *vectors = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(
                       1, compute_v_ ? ctx->input(0).shape() : TensorShape({0}),
                       &vectors));
    const T* in = ctx->input(0).base<T>();
    T* e = values->base<T>();
    T* v = compute_v_ ? vectors->base<T>() : nullptr;
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      R* real = work->Take<R>(n);
      TF_RETURN_IF_ERROR(Decompose(inner, work, n, in + i * n * n, real,
                                   v == nullptr ? nullptr : v + i * n * n));
      for (int64_t k = 0; k < n; ++k) e[i * n + k] = T(real[k]);
      return OkStatus();
    };
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, batch.count,
                                              Cost(n, linalg::kCost<T>), run));
  }

 private:
  bool compute_v_ = true;
};

// The eigenvalues lie in a row above the eigenvectors.
template <typename T>
class SelfAdjointEigOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    const int64_t n = batch.rows;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, n + 1, n, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    const T* in = ctx->input(0).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      T* rows = out + i * (n + 1) * n;
      return Decompose(inner, work, n, in + i * n * n, rows, rows + n);
    };
    OP_REQUIRES_OK(ctx,
                   linalg::ForEachMatrix(ctx, batch.count, Cost(n, 1), run));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("SelfAdjointEigV2").Device(DEVICE_CPU), "T",
                          SelfAdjointEigV2Op, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchSelfAdjointEigV2").Device(DEVICE_CPU), "T",
                          SelfAdjointEigV2Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SelfAdjointEig").Device(DEVICE_CPU), "T",
                          SelfAdjointEigOp, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BatchSelfAdjointEig").Device(DEVICE_CPU), "T",
                          SelfAdjointEigOp, float, double);

}  // namespace tensorwright
