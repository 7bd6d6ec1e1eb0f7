// SPDX-License-Identifier: Apache-2.0
// CountUpTo and ResourceCountUpTo: they count up a variable until a limit.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"

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
      WritableVariables variables;
      OP_REQUIRES_OK(ctx, variables.Open(ctx, {0}, DataTypeToEnum<T>::v(),
                                         /*lock_references=*/true));
      Tensor& counter = variables[0];
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
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceCountUpTo").Device(DEVICE_CPU).HostMemory("resource"), "T",
    CountUpToOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
