// SPDX-License-Identifier: Apache-2.0
// CountUpTo: a counter that ends at a limit.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

template <typename T>
class CountUpToOp final : public OpKernel {
 public:
  explicit CountUpToOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("limit", &limit_));
  }

  void Compute(OpKernelContext* ctx) override {
    T before;
    {
      mutex_lock l(*ctx->input_ref_mutex(0));
      Tensor counter = ctx->mutable_input(0, /*lock_held=*/true);
      OP_REQUIRES(
          ctx, counter.IsInitialized() && counter.dims() == 0,
          errors::InvalidArgument("CountUpTo: ref must be a scalar, got ",
                                  counter.shape().DebugString()));
      T& value = *counter.base<T>();
      before = value;
      OP_REQUIRES(ctx, before < limit_,
                  errors::OutOfRange("Reached limit of ", limit_));
      ++value;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<T>() = before;
  }
  bool IsExpensive() override { return false; }

 private:
  T limit_ = 0;
};
REGISTER_KERNEL_FOR_TYPES(Name("CountUpTo").Device(DEVICE_CPU), "T",
                          CountUpToOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
