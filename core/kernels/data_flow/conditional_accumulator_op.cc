// SPDX-License-Identifier: Apache-2.0
// ConditionalAccumulator: the sum or mean of gradients that are not older than
// the global step; taking it waits until there are enough.

#include <memory>
#include <string>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/kernels/data_flow/conditional_accumulator_base.h"

namespace tensorwright {
namespace {

template <typename T>
class DenseAccumulator final : public ConditionalAccumulatorBase {
 public:
  using ConditionalAccumulatorBase::ConditionalAccumulatorBase;

 private:
  Status Add(OpKernelContext* ctx) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const Tensor& gradient = ctx->input(2);
    if (!options_.shape.IsCompatibleWith(gradient.shape()) ||
        (count_ > 0 && gradient.shape() != sum_.shape())) {
      return errors::InvalidArgument("Shape mismatch: expected ",
                                     count_ > 0 ? sum_.shape().DebugString()
                                                : options_.shape.DebugString(),
                                     ", got ", gradient.shape().DebugString());
    }
    if (count_ == 0) {
      sum_ = gradient.DeepCopy();
      return sum_.IsInitialized()
                 ? OkStatus()
                 : errors::ResourceExhausted("No memory for a gradient");
    }
    T* const to = sum_.base<T>();
    const T* const from = gradient.base<T>();
    for (int64_t i = 0; i < gradient.NumElements(); ++i) to[i] += from[i];
    return OkStatus();
  }

  Status Take(OpKernelContext* ctx) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (options_.mean) {
      const T n(static_cast<float>(count_));
      T* const sum = sum_.base<T>();
      for (int64_t i = 0; i < sum_.NumElements(); ++i) sum[i] = sum[i] / n;
    }
    ctx->set_output(0, std::exchange(sum_, Tensor(options_.dtype)));
    return OkStatus();
  }

  Tensor sum_ TF_GUARDED_BY(mu_);
};

template <typename T>
using ConditionalAccumulatorOp = AccumulatorOp<DenseAccumulator<T>>;
REGISTER_KERNEL_FOR_TYPES(Name("ConditionalAccumulator").Device(DEVICE_CPU),
                          "dtype", ConditionalAccumulatorOp, Eigen::half, float,
                          double);

REGISTER_KERNEL_BUILDER(Name("AccumulatorApplyGradient").Device(DEVICE_CPU),
                        AccumulatorApplyGradientOp);
REGISTER_KERNEL_BUILDER(Name("AccumulatorTakeGradient").Device(DEVICE_CPU),
                        AccumulatorTakeGradientOp);

class AccumulatorNumAccumulatedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    AccumulatorPtr accumulator;
    OP_REQUIRES_OK(ctx, FindAccumulator(ctx, &accumulator));
    Tensor* count = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &count));
    *count->base<int32_t>() = accumulator->num_accumulated();
  }
};
REGISTER_KERNEL_BUILDER(Name("AccumulatorNumAccumulated").Device(DEVICE_CPU),
                        AccumulatorNumAccumulatedOp);

class AccumulatorSetGlobalStepOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    AccumulatorPtr accumulator;
    OP_REQUIRES_OK(ctx, FindAccumulator(ctx, &accumulator));
    const Tensor& step = ctx->input(1);
    OP_REQUIRES(ctx, step.NumElements() == 1,
                errors::InvalidArgument(
                    type_string(), ": new_global_step must be a scalar, got ",
                    step.shape().DebugString()));
    accumulator->SetGlobalStep(*step.base<int64_t>());
  }
};
REGISTER_KERNEL_BUILDER(Name("AccumulatorSetGlobalStep").Device(DEVICE_CPU),
                        AccumulatorSetGlobalStepOp);

}  // namespace
}  // namespace tensorwright
