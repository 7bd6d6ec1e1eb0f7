// SPDX-License-Identifier: Apache-2.0
// UnravelIndex: the coordinates of flat positions.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/overflow.h"

namespace tensorwright {
namespace {

template <typename T>
class UnravelIndexOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& dims = ctx->input(1);
    OP_REQUIRES(ctx, indices.dims() <= 1,
                errors::InvalidArgument(
                    "The indices can only be scalar or vector, got ",
                    indices.shape().DebugString()));
    OP_REQUIRES(ctx, dims.dims() == 1,
                errors::InvalidArgument("dims must be a vector, got shape ",
                                        dims.shape().DebugString()));
    const int64_t rank = dims.NumElements(), n = indices.NumElements();
    const T* sizes = dims.base<T>();
    int64_t total = 1;
    for (int64_t d = 0; d < rank; ++d) {
      OP_REQUIRES(ctx, sizes[d] >= 0,
                  errors::InvalidArgument("dims[", d, "] must be >= 0, got ",
                                          sizes[d]));
      total = MultiplyWithoutOverflow(total, sizes[d]);
      OP_REQUIRES(ctx, total >= 0,
                  errors::InvalidArgument("the product of dims is too large"));
    }
    TensorShape shape({rank});
    if (indices.dims() == 1) OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(n));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    const T* flat = indices.base<T>();
    T* to = out->base<T>();
    for (int64_t i = 0; i < n; ++i) {
      OP_REQUIRES(ctx, flat[i] >= 0 && flat[i] < total,
                  errors::InvalidArgument("index ", flat[i],
                                          " is out of bound as with dims of ",
                                          total, " elements"));
      T rest = flat[i];
      for (int64_t d = rank - 1; d >= 0; --d) {
        to[d * n + i] = rest % sizes[d];
        rest /= sizes[d];
      }
    }
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("UnravelIndex").Device(DEVICE_CPU), "Tidx",
                          UnravelIndexOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
