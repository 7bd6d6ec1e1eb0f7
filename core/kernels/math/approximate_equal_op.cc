// SPDX-License-Identifier: Apache-2.0
// The kernel of ApproximateEqual.

#include <cmath>
#include <functional>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// z[i] = |x[i] - y[i]| <= tolerance; false if either is NaN.
struct ApproximateEqualLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(const T* x, const T* y, T tolerance, bool* z,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) z[i] = std::fabs(x[i] - y[i]) <= tolerance;
  }
};

}  // namespace

template <typename T>
class ApproximateEqualOp final : public OpKernel {
 public:
  explicit ApproximateEqualOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tolerance", &tolerance_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    OP_REQUIRES(ctx, x.shape() == y.shape(),
                errors::InvalidArgument(
                    "ApproximateEqual: x and y must be of the same shape, got ",
                    x.shape().DebugString(), " and ", y.shape().DebugString()));
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &z));
    const auto run = [&](int64_t begin, int64_t end) {
      RunWide<ApproximateEqualLoop>(x.base<T>() + begin, y.base<T>() + begin,
                                    static_cast<T>(tolerance_),
                                    z->base<bool>() + begin, end - begin);
    };
    ParallelFor(ctx, x.NumElements(), 1, std::ref(run));
  }

 private:
  float tolerance_ = 0;
};

REGISTER_KERNEL_FOR_TYPES(Name("ApproximateEqual").Device(DEVICE_CPU), "T",
                          ApproximateEqualOp, float, double);

}  // namespace tensorwright
