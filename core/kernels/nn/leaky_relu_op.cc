// SPDX-License-Identifier: Apache-2.0
// Kernels of LeakyRelu and LeakyReluGrad.

#include <cstdint>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Half types are computed in float.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Holds the slope for numbers that are not positive, rounded to T.
template <typename T>
class LeakyReluBase : public OpKernel {
 public:
  explicit LeakyReluBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    float alpha = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("alpha", &alpha));
    alpha_ = static_cast<Wide<T>>(static_cast<T>(alpha));
  }

 protected:
  Wide<T> alpha() const { return alpha_; }

 private:
  Wide<T> alpha_ = 0;
};

}  // namespace

// features -> features if they are positive, else alpha * features.
template <typename T>
class LeakyReluOp final : public LeakyReluBase<T> {
 public:
  using LeakyReluBase<T>::LeakyReluBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& features = ctx->input(0);
    Tensor* activations = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, features.shape(), &activations));
    const T* const x = features.base<T>();
    T* const y = activations->base<T>();
    const Wide<T> alpha = this->alpha();
    ParallelFor(ctx, features.NumElements(), 1,
                [=](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const Wide<T> v = static_cast<Wide<T>>(x[i]);
                    // A NaN is not positive, and stays a NaN.
                    y[i] = static_cast<T>(v > 0 ? v : v * alpha);
                  }
                });
  }
};

// gradients, features -> gradients if features are positive, else alpha *
// gradients.
template <typename T>
class LeakyReluGradOp final : public LeakyReluBase<T> {
 public:
  using LeakyReluBase<T>::LeakyReluBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradients = ctx->input(0);
    const Tensor& features = ctx->input(1);
    OP_REQUIRES(ctx, gradients.shape() == features.shape(),
                errors::InvalidArgument(
                    "LeakyReluGrad: gradients and features must have one "
                    "shape, got ",
                    gradients.shape().DebugString(), " and ",
                    features.shape().DebugString()));
    Tensor* backprops = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0, 1}, 0, features.shape(), &backprops));
    const T* const g = gradients.base<T>();
    const T* const x = features.base<T>();
    T* const dx = backprops->base<T>();
    const Wide<T> alpha = this->alpha();
    ParallelFor(
        ctx, features.NumElements(), 1, [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Wide<T> v = static_cast<Wide<T>>(g[i]);
            dx[i] = static_cast<Wide<T>>(x[i]) > 0 ? g[i]
                                                   : static_cast<T>(v * alpha);
          }
        });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("LeakyRelu").Device(DEVICE_CPU), "T",
                          LeakyReluOp, float, double, Eigen::half,
                          Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("LeakyReluGrad").Device(DEVICE_CPU), "T",
                          LeakyReluGradOp, float, double, Eigen::half,
                          Eigen::bfloat16);

}  // namespace tensorwright
