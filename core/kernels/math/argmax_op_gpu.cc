// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin on a GPU: the host's side.

#include "core/kernels/math/argmax_op_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/math/argmax_op_shapes.h"

namespace tensorwright {
namespace {

template <typename T, bool kMax>
class ArgOnGpu : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    ArgShape arg;
    OP_REQUIRES_OK(ctx, ResolveArg(x.shape(), ctx->input(1), &arg));
    Tensor* index = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, arg.shape, &index));
    if (index->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   GpuArg<gpu::Storage<T>, kMax>(
                       GpuStream(ctx), x.data(), arg.outer, arg.n, arg.inner,
                       DataTypeSize(index->dtype()), index->data()));
  }
};
template <typename T>
using ArgMaxOnGpu = ArgOnGpu<T, true>;
template <typename T>
using ArgMinOnGpu = ArgOnGpu<T, false>;

#define TW_ARG_ON_GPU(op, output)                                         \
  REGISTER_KERNEL_FOR_TYPES(Name(#op)                                     \
                                .Device(DEVICE_GPU)                       \
                                .HostMemory("dimension")                  \
                                .TypeConstraint<output>("output_type"),   \
                            "T", op##OnGpu, Eigen::half, Eigen::bfloat16, \
                            float, double, int32_t, int64_t)
TW_ARG_ON_GPU(ArgMax, int32_t);
TW_ARG_ON_GPU(ArgMax, int64_t);
TW_ARG_ON_GPU(ArgMin, int32_t);
TW_ARG_ON_GPU(ArgMin, int64_t);

}  // namespace
}  // namespace tensorwright
