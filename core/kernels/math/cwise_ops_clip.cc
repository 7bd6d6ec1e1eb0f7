// SPDX-License-Identifier: Apache-2.0
// The kernel of ClipByValue.

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// max(min(t, high), low), of the parts of a complex number each by itself.  A
// bound that is NaN is none, and a NaN stays one.
template <typename T>
T Clip(T t, T low, T high) {
  if constexpr (functor::kIsComplex<T>) {
    return T(Clip(t.real(), low.real(), high.real()),
             Clip(t.imag(), low.imag(), high.imag()));
  } else {
    using C = ComputeType<T>;
    const C x = static_cast<C>(t);
    const C lowest = static_cast<C>(low), highest = static_cast<C>(high);
    const C below = highest < x ? highest : x;
    return static_cast<T>(below < lowest ? lowest : below);
  }
}

}  // namespace

// t, and bounds that are scalars or in t's shape -> t's shape.
template <typename T>
class ClipByValueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& t = ctx->input(0);
    for (int i = 1; i < 3; ++i) {
      const TensorShape& bound = ctx->input(i).shape();
      OP_REQUIRES(
          ctx, bound.dims() == 0 || bound == t.shape(),
          errors::InvalidArgument(
              "ClipByValue: ", i == 1 ? "clip_value_min" : "clip_value_max",
              " must be a scalar or have the shape of t, ",
              t.shape().DebugString(), ", got ", bound.DebugString()));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, t.shape(), &output));
    const Tensor& min = ctx->input(1);
    const Tensor& max = ctx->input(2);
    const T *x = t.base<T>(), *low = min.base<T>(), *high = max.base<T>();
    T* out = output->base<T>();
    // 0 repeats a scalar.
    const int64_t low_step = min.dims() > 0, high_step = max.dims() > 0;
    ParallelFor(ctx, t.NumElements(), 3, [=](int64_t begin, int64_t end) {
      if (low_step == 0 && high_step == 0) {
        const T least = *low, most = *high;
        for (int64_t i = begin; i < end; ++i) out[i] = Clip(x[i], least, most);
      } else {
        for (int64_t i = begin; i < end; ++i) {
          out[i] = Clip(x[i], low[i * low_step], high[i * high_step]);
        }
      }
    });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("ClipByValue").Device(DEVICE_CPU), "T",
                          ClipByValueOp, int8, int16, int32, int64_t, uint8,
                          uint16, Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);

}  // namespace tensorwright
