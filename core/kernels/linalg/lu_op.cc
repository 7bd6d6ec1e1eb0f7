// SPDX-License-Identifier: Apache-2.0
// The kernel of Lu.

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

template <typename T, typename Index>
class LuOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, batch.rows, -1, &shape));
    Tensor *factors = nullptr, *permutation = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(0).shape(), &factors));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &permutation));
    const int64_t n = batch.rows;
    const T* in = ctx->input(0).base<T>();
    T* lu = factors->base<T>();
    Index* p = permutation->base<Index>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      T* home = lu + i * n * n;
      const Planes<T> a = linalg::LoadHome(work, in + i * n * n, n, n, home);
      int64_t* rows = work->Take<int64_t>(n);
      linalg::FactorLu(inner, work, n, a, rows);
      if (!linalg::Invertible(n, a)) {
        return errors::InvalidArgument("Input is not invertible.");
      }
      linalg::StoreHome(a, n, n, home);
      std::copy_n(rows, n, p + i * n);
      return OkStatus();
    };
    const double size = static_cast<double>(n);
    OP_REQUIRES_OK(ctx,
                   linalg::ForEachMatrix(
                       ctx, batch.count,
                       linalg::kCost<T> * (size * size * size / 3 + 100), run));
  }
};

template <typename T>
using LuOp32 = LuOp<T, int32_t>;
template <typename T>
using LuOp64 = LuOp<T, int64_t>;

REGISTER_KERNEL_FOR_TYPES(
    Name("Lu").Device(DEVICE_CPU).TypeConstraint<int32_t>("output_idx_type"),
    "T", LuOp32, float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("Lu").Device(DEVICE_CPU).TypeConstraint<int64_t>("output_idx_type"),
    "T", LuOp64, float, double, complex64, complex128);

}  // namespace tensorwright
