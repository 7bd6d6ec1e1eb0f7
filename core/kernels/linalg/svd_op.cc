// SPDX-License-Identifier: Apache-2.0
// The kernels of Svd and BatchSvd.

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
class SvdOp final : public OpKernel {
 public:
  explicit SvdOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compute_uv", &compute_uv_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("full_matrices", &full_));
  }

  void Compute(OpKernelContext* ctx) override {
    Batch batch;
    OP_REQUIRES_OK(ctx, linalg::ReadBatch(*ctx, 0, &batch));
    const int64_t m = batch.rows, n = batch.cols, k = std::min(m, n);
    const int64_t of_u = full_ ? m : k, of_v = full_ ? n : k;
    TensorShape s_shape, u_shape({0}), v_shape({0});
    OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, k, -1, &s_shape));
    if (compute_uv_) {
      OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, m, of_u, &u_shape));
      OP_REQUIRES_OK(ctx, linalg::BatchShape(*ctx, n, of_v, &v_shape));
    }
    Tensor *s = nullptr, *u = nullptr, *v = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, s_shape, &s));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, u_shape, &u));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, v_shape, &v));
    const T* in = ctx->input(0).base<T>();
    const auto run = [&](OpKernelContext* inner, linalg::Workspace* work,
                         int64_t i) -> Status {
      T* ui = compute_uv_ ? u->base<T>() + i * m * of_u : nullptr;
      T* vi = compute_uv_ ? v->base<T>() + i * n * of_v : nullptr;
      Decompose(inner, work, m, n, in + i * m * n, s->base<T>() + i * k, ui,
                vi);
      return OkStatus();
    };
    const double cost =
        linalg::kCost<T> *
        (4.0 * static_cast<double>(m * n) * static_cast<double>(k) + 500);
    OP_REQUIRES_OK(ctx, linalg::ForEachMatrix(ctx, batch.count, cost, run));
  }

 private:
  // A matrix without singular values, such as one with NaN, gives NaN.
  void Decompose(OpKernelContext* ctx, linalg::Workspace* work, int64_t m,
                 int64_t n, const T* matrix, T* s, T* u, T* v) const {
    using R = linalg::Real<T>;
    // For a wide matrix the adjoint is decomposed: then u and v change places.
    const bool wide = m < n;
    const int64_t rows = std::max(m, n), k = std::min(m, n);
    const Planes<T> a = work->TakePlanes<T>(rows, k);
    if (wide) {
      linalg::LoadAdjoint(matrix, m, n, a);
    } else {
      linalg::LoadPlanes(matrix, m, n, n, a);
    }
    const int64_t of_long = full_ ? rows : k;
    Planes<T> ut, vt;
    if (compute_uv_) {
      ut = work->TakePlanes<T>(of_long, rows);
      vt = work->TakePlanes<T>(k, k);
    }
    R* values = work->Take<R>(k);
    const bool done = linalg::SingularValues(
        ctx, work, rows, k, a, full_, values, compute_uv_ ? &ut : nullptr,
        compute_uv_ ? &vt : nullptr);
    const R nan = std::numeric_limits<R>::quiet_NaN();
    for (int64_t i = 0; i < k; ++i) s[i] = T(done ? values[i] : nan);
    if (!compute_uv_) return;
    T* long_side = wide ? v : u;
    T* short_side = wide ? u : v;
    if (!done) {
      std::fill_n(long_side, rows * of_long, T(nan));
      std::fill_n(short_side, k * k, T(nan));
      return;
    }
    linalg::StoreTransposed(ut, of_long, rows, false, long_side);
    linalg::StoreTransposed(vt, k, k, false, short_side);
  }

  bool compute_uv_ = true;
  bool full_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("Svd").Device(DEVICE_CPU), "T", SvdOp, float,
                          double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BatchSvd").Device(DEVICE_CPU), "T", SvdOp,
                          float, double, complex64, complex128);

}  // namespace tensorwright
