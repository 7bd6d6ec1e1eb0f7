// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixTriangularSolve and BatchMatrixTriangularSolve.

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

// The matrix of an input that goes with each of the output, if the outer
// dimensions broadcast.
std::vector<int64_t> Sources(const TensorShape& out, const TensorShape& in) {
  const int rank = out.dims() - 2, missing = out.dims() - in.dims();
  std::vector<int64_t> at = {0};
  for (int d = 0; d < rank; ++d) {
    const int64_t have = d < missing ? 1 : in.dim_size(d - missing);
    const int64_t want = out.dim_size(d);
    std::vector<int64_t> next;
    next.reserve(at.size() * want);
    for (const int64_t i : at) {
      for (int64_t j = 0; j < want; ++j) {
        next.push_back(i * have + (have == 1 ? 0 : j));
      }
    }
    at.swap(next);
  }
  return at;
}

// The outer dimensions of a and b broadcast, then b's last two.
Status SolutionShape(const TensorShape& a, const TensorShape& b,
                     TensorShape* out) {
  *out = TensorShape();
  const int rank = std::max(a.dims(), b.dims());
  for (int d = 0; d < rank - 2; ++d) {
    const int of_a = d - (rank - a.dims()), of_b = d - (rank - b.dims());
    const int64_t x = of_a < 0 ? 1 : a.dim_size(of_a);
    const int64_t y = of_b < 0 ? 1 : b.dim_size(of_b);
    if (x != y && x != 1 && y != 1) {
      return errors::InvalidArgument(
          "matrix and rhs must have compatible outer dimensions, got shapes ",
          a.DebugString(), " and ", b.DebugString());
    }
    TF_RETURN_IF_ERROR(out->AddDimWithStatus(x == 1 ? y : x));
  }
  TF_RETURN_IF_ERROR(out->AddDimWithStatus(b.dim_size(b.dims() - 2)));
  return out->AddDimWithStatus(b.dim_size(b.dims() - 1));
}

}  // namespace

template <typename T>
class MatrixTriangularSolveOp final : public OpKernel {
 public:
  explicit MatrixTriangularSolveOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lower", &triangle_.lower));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adjoint", &triangle_.adjoint));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch, right;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 1, &right));
    const TensorShape& a_shape = ctx->input(0).shape();
    const TensorShape& b_shape = ctx->input(1).shape();
    OP_REQUIRES(ctx, batch.rows == right.rows,
                errors::InvalidArgument(
                    "Input matrix and rhs are incompatible, got shapes ",
                    a_shape.DebugString(), " and ", b_shape.DebugString()));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, SolutionShape(a_shape, b_shape, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const int64_t n = right.rows, k = right.cols;
    const int64_t count = output->NumElements() / (n * k);
    std::vector<int64_t> of_a, of_b;
    if (batch.count != count) of_a = Sources(shape, a_shape);
    if (right.count != count) of_b = Sources(shape, b_shape);
    const T* matrices = ctx->input(0).base<T>();
    const T* rhs = ctx->input(1).base<T>();
    T* out = output->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      const T* matrix = matrices + (of_a.empty() ? i : of_a[i]) * n * n;
      const T* b = rhs + (of_b.empty() ? i : of_b[i]) * n * k;
      Planes<T> a;
      if constexpr (linalg::kComplex<T>) {
        a = linalg::LoadCopy(work, matrix, n, n);
      } else {
        // It is only read.
        a = {const_cast<T*>(matrix), nullptr, n};
      }
      T* home = out + i * n * k;
      const Planes<T> x = linalg::LoadHome(work, b, n, k, home);
      linalg::SolveTriangular(inner, n, k, a, triangle_, x);
      linalg::StoreHome(x, n, k, home);
      return OkStatus();
    };
    const double cost = linalg::kCost<T> * static_cast<double>(n) *
                            static_cast<double>(n) * static_cast<double>(k) /
                            4 +
                        100;
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, count, cost, run));
  }

 private:
  linalg::Triangle triangle_;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixTriangularSolve").Device(DEVICE_CPU), "T",
                          MatrixTriangularSolveOp, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatrixTriangularSolve").Device(DEVICE_CPU),
                          "T", MatrixTriangularSolveOp, float, double);

}  // namespace tensorwright
