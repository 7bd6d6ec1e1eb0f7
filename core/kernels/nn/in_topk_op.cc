// SPDX-License-Identifier: Apache-2.0
// The kernel of InTopK and InTopKV2.

#include <cmath>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Says whether fewer than k classes are larger than the target's.  False for a
// target out of range, and if it meets a prediction that is not finite.
bool IsInTopK(const float* predictions, int64_t classes, int64_t target,
              int64_t k) {
  if (target < 0 || target >= classes) return false;
  const float own = predictions[target];
  if (!std::isfinite(own)) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(predictions[i])) return false;
    larger += predictions[i] > own;
  }
  return larger < k;
}

}  // namespace

// predictions, targets -> precision; k is an attr of InTopK and an input of
// InTopKV2.
template <typename T>
class InTopKOp final : public OpKernel {
 public:
  explicit InTopKOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->num_inputs() > 2) return;
    int32 k = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("k", &k));
    k_ = k;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& predictions = ctx->input(0);
    const Tensor& targets = ctx->input(1);
    OP_REQUIRES(ctx,
                predictions.dims() == 2 && targets.dims() == 1 &&
                    predictions.dim_size(0) == targets.dim_size(0),
                errors::InvalidArgument(
                    "InTopK: predictions must be [batch, classes] and targets "
                    "[batch], got ",
                    predictions.shape().DebugString(), " and ",
                    targets.shape().DebugString()));
    int64_t k = k_;
    if (ctx->num_inputs() > 2) {
      const Tensor& given = ctx->input(2);
      OP_REQUIRES(
          ctx, given.dims() == 0,
          errors::InvalidArgument("InTopKV2: k must be a scalar, got ",
                                  "shape ", given.shape().DebugString()));
      k = given.scalar_value<T>();
    }
    Tensor* precision = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, targets.shape(), &precision));
    const int64_t classes = predictions.dim_size(1);
    const auto ids = Flat<T>(targets);
    const auto out = Flat<bool>(precision);
    for (size_t i = 0; i < ids.size(); ++i) {
      out[i] =
          IsInTopK(predictions.base<float>() + i * classes, classes, ids[i], k);
    }
  }

 private:
  int64_t k_ = 0;
};

REGISTER_KERNEL_FOR_TYPES(Name("InTopK").Device(DEVICE_CPU), "T", InTopKOp,
                          int32, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("InTopKV2").Device(DEVICE_CPU).HostMemory("k"),
                          "T", InTopKOp, int32, int64_t);

}  // namespace tensorwright
