// SPDX-License-Identifier: Apache-2.0
// The kernels of Cholesky and BatchCholesky.

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
class CholeskyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadSquareBatch(*ctx, 0, &batch));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(0).shape(), &output));
    const int64_t n = batch.rows;
    const T* in = ctx->input(0).base<T>();
    T* out = output->base<T>();
    const auto factor = [&](OpKernelContext* inner, linalg::Workspace* work,
                            int64_t i) -> Status {
      T* home = out + i * n * n;
      const Planes<T> a = linalg::LoadHome(work, in + i * n * n, n, n, home);
      if (!linalg::FactorCholesky(inner, work, n, a)) {
        return errors::InvalidArgument(
            "Cholesky decomposition was not successful. The input might not "
            "be valid.");
      }
      linalg::StoreHome(a, n, n, home);
      for (int64_t r = 0; r < n; ++r) {
        std::fill(home + r * n + r + 1, home + (r + 1) * n, T(0));
      }
      return OkStatus();
    };
    const double size = static_cast<double>(n);
    OP_REQUIRES_OK(
        ctx, linalg::ForEachMatrix(
                 ctx, batch.count,
                 linalg::kCost<T> * (size * size * size / 6 + 100), factor));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Cholesky").Device(DEVICE_CPU), "T", CholeskyOp,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchCholesky").Device(DEVICE_CPU), "T",
                          CholeskyOp, float, double);

}  // namespace tensorwright
