// SPDX-License-Identifier: Apache-2.0
// BroadcastTo: a tensor repeated along its dimensions of 1.

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"

namespace tensorwright {
namespace {

class BroadcastToOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(1), &shape));
    const int more = shape.dims() - in.dims();
    OP_REQUIRES(ctx, more >= 0,
                errors::InvalidArgument(
                    "Rank of input (", in.dims(),
                    ") must be no greater than rank of output shape (",
                    shape.dims(), ")."));
    StridedView view;
    int64_t stride = in.NumElements();
    for (int d = 0; d < shape.dims(); ++d) {
      const int64_t size = d < more ? 1 : in.dim_size(d - more);
      const int64_t want = shape.dim_size(d);
      OP_REQUIRES(ctx, size == 1 || size == want,
                  errors::InvalidArgument(
                      "Incompatible shapes: ", in.shape().DebugString(),
                      " vs. ", shape.DebugString()));
      if (size > 0) stride /= size;
      view.Append(want, size == 1 ? 0 : stride);
    }
    if (shape.IsSameSize(in.shape())) {
      ctx->set_output(0, in);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    view.Simplify();
    OP_REQUIRES_OK(ctx, MoveFromView(ctx, in, view, out));
  }
};
REGISTER_KERNEL_BUILDER(
    Name("BroadcastTo").Device(DEVICE_CPU).HostMemory("shape"), BroadcastToOp);
REGISTER_MOVER_ON_GPU(BroadcastToOp, "T",
                      Name("BroadcastTo").HostMemory("shape"), "input",
                      "output");

}  // namespace
}  // namespace tensorwright
