// SPDX-License-Identifier: Apache-2.0
// The kernels of Qr.

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
class QrOp final : public OpKernel {
 public:
  explicit QrOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("full_matrices", &full_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 0, &batch));
    const int64_t m = batch.rows, n = batch.cols;
    const int64_t k = full_ ? m : std::min(m, n);
    TensorShape q_shape, r_shape;
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, m, k, &q_shape));
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, k, n, &r_shape));
    Tensor *q_out = nullptr, *r_out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, q_shape, &q_out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, r_shape, &r_out));
    const T* in = ctx->input(0).base<T>();
    T* q = q_out->base<T>();
    T* r = r_out->base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      const Planes<T> a = linalg::LoadCopy(work, in + i * m * n, m, n);
      const auto h = linalg::FactorQr(inner, work, m, n, a);
      linalg::StorePlanes(a, k, n, r + i * k * n);
      T* home = q + i * m * k;
      const Planes<T> vectors = linalg::MakeHome(work, m, k, home);
      linalg::MakeQ(inner, work, h, k, vectors);
      linalg::StoreHome(vectors, m, k, home);
      return OkStatus();
    };
    const double least = static_cast<double>(std::min(m, n));
    const double cost = linalg::kCost<T> * least * static_cast<double>(m) *
                            static_cast<double>(n + k) / 2 +
                        300;
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, batch.count, cost, run));
  }

 private:
  bool full_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("Qr").Device(DEVICE_CPU), "T", QrOp, float,
                          double, complex64, complex128);

}  // namespace tensorwright
