// SPDX-License-Identifier: Apache-2.0
// The kernel of Cross.

#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// out[i] = a[i] x b[i] for n vectors of 3.
struct CrossLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(const T* a, const T* b, T* out, int64_t n) {
    using C = ComputeType<T>;
    // x * y - z * w.
    const auto minor = [](T x, T y, T z, T w) {
      const functor::Mul<C> mul;
      return static_cast<T>(
          functor::Sub<C>()(mul(static_cast<C>(x), static_cast<C>(y)),
                            mul(static_cast<C>(z), static_cast<C>(w))));
    };
    for (int64_t i = 0; i < 3 * n; i += 3) {
      out[i] = minor(a[i + 1], b[i + 2], a[i + 2], b[i + 1]);
      out[i + 1] = minor(a[i + 2], b[i], a[i], b[i + 2]);
      out[i + 2] = minor(a[i], b[i + 1], a[i + 1], b[i]);
    }
  }
};

}  // namespace

template <typename T>
class CrossOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, a.shape() == b.shape(),
                errors::InvalidArgument(
                    "Cross: Both inputs must be of same shape: ",
                    a.shape().DebugString(), " vs. ", b.shape().DebugString()));
    OP_REQUIRES(ctx, a.dims() >= 1 && a.dim_size(a.dims() - 1) == 3,
                errors::InvalidArgument(
                    "Cross: a must have rank >= 1 and an innermost dimension "
                    "of 3, got shape ",
                    a.shape().DebugString()));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, a.shape(), &product));
    const auto run = [&](int64_t begin, int64_t end) {
      RunWide<CrossLoop>(a.base<T>() + 3 * begin, b.base<T>() + 3 * begin,
                         product->base<T>() + 3 * begin, end - begin);
    };
    ParallelFor(ctx, a.NumElements() / 3, 6, std::ref(run));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Cross").Device(DEVICE_CPU), "T", CrossOp, int8,
                          int16, int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
