// SPDX-License-Identifier: Apache-2.0
// The kernels of CholeskyGrad and BatchCholeskyGrad.

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

// a = L L^T.  With P the lower triangle of L^T grad, its diagonal halved, the
// gradient is the symmetric part of L^-T P L^-1 (Murray, "Differentiation of
// the Cholesky decomposition", 2016).  With L = M D, D its diagonal, and Q made
// of M as P of L, this is M^-T Q D^-1 M^-1, where an infinite element of the
// diagonal is in no product.
template <typename T>
void CholeskyGradient(OpKernelContext* ctx, linalg::Workspace* work, int64_t n,
                      const T* l, const T* grad, T* out) {
  const Planes<T> factor = linalg::LoadCopy(work, l, n, n);
  const Planes<T> upstream = linalg::LoadCopy(work, grad, n, n);
  T* diagonal = work->Take<T>(n);
  for (int64_t i = 0; i < n; ++i) {
    T* row = factor.re + i * n;
    diagonal[i] = row[i];
    for (int64_t j = 0; j < i; ++j) row[j] /= diagonal[j];
    row[i] = T(1);
    std::fill(row + i + 1, row + n, T(0));
    std::fill(upstream.re + i * n + i + 1, upstream.re + (i + 1) * n, T(0));
  }
  const Planes<T> p{out, nullptr, n};
  std::fill_n(out, n * n, T(0));
  // Works on strips of rows, each up to the diagonal; below a strip L^T has
  // zeros.
  constexpr int64_t kStrip = 128;
  for (int64_t row = 0; row < n; row += kStrip) {
    const int64_t rows = std::min(kStrip, n - row);
    linalg::MulAdd<T>(ctx, rows, row + rows, n - row,
                      {factor.At(row, row), true}, {upstream.At(row, 0)}, 1,
                      p.At(row, 0));
  }
  // Takes the symmetric part first: then the following matrices are symmetric,
  // too.
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const T half = out[i * n + j] / (2 * diagonal[j]);
      out[i * n + j] = half;
      out[j * n + i] = half;
    }
    out[i * n + i] /= 2 * diagonal[i];
  }
  const linalg::Triangle transposed{
      .lower = true, .adjoint = true, .unit = true};
  linalg::SolveTriangular(ctx, n, n, factor, transposed, p);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) std::swap(out[i * n + j], out[j * n + i]);
  }
  linalg::SolveTriangular(ctx, n, n, factor, transposed, p);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const T mean = (out[i * n + j] + out[j * n + i]) / 2;
      out[i * n + j] = mean;
      out[j * n + i] = mean;
    }
  }
}

}  // namespace

template <typename T>
class CholeskyGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    OP_REQUIRES(ctx, ctx->input(0).shape() == ctx->input(1).shape(),
                errors::InvalidArgument(
                    "CholeskyGrad: l and grad must have one shape, got ",
                    ctx->input(0).shape().DebugString(), " and ",
                    ctx->input(1).shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(0).shape(), &output));
    const int64_t n = batch.rows;
    const T* l = ctx->input(0).base<T>();
    const T* grad = ctx->input(1).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      const int64_t at = i * n * n;
      CholeskyGradient(inner, work, n, l + at, grad + at, out + at);
      return OkStatus();
    };
    const double size = static_cast<double>(n);
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, batch.count,
                                              size * size * size + 200, run));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("CholeskyGrad").Device(DEVICE_CPU), "T",
                          CholeskyGradOp, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BatchCholeskyGrad").Device(DEVICE_CPU), "T",
                          CholeskyGradOp, float, double);

}  // namespace tensorwright
