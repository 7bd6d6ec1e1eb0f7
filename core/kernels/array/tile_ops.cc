// SPDX-License-Identifier: Apache-2.0
// Tile: a tensor repeated along its dimensions.

#include <cstdint>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/util/int_elements.h"
#include "core/util/overflow.h"

namespace tensorwright {
namespace {

class TileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& multiples = ctx->input(1);
    const int rank = input.dims();
    OP_REQUIRES(ctx, multiples.dims() == 1 && multiples.NumElements() == rank,
                errors::InvalidArgument(
                    "Expected multiples argument to be a vector of "
                    "length ",
                    rank, " but got shape ", multiples.shape().DebugString()));
    TensorShape shape;
    // Each dimension becomes two: its repetitions (stride 0), and itself.
    StridedView view;
    int64_t stride = input.NumElements();
    for (int d = 0; d < rank; ++d) {
      const int64_t multiple = IntAt(multiples, d);
      OP_REQUIRES(ctx, multiple >= 0,
                  errors::InvalidArgument("Expected multiples[", d,
                                          "] >= 0, but got ", multiple));
      const int64_t size = input.dim_size(d);
      const int64_t tiled = MultiplyWithoutOverflow(size, multiple);
      OP_REQUIRES(ctx, tiled >= 0,
                  errors::InvalidArgument("Tile: ", size, " * ", multiple,
                                          " is too large a dimension"));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(tiled));
      if (size > 0) stride /= size;
      view.Append(multiple, 0);
      view.Append(size, stride);
    }
    if (shape.IsSameSize(input.shape())) {
      ctx->set_output(0, input);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    view.Simplify();
    OP_REQUIRES_OK(ctx, MoveFromView(ctx, input, view, out));
  }
};
REGISTER_KERNEL_BUILDER(Name("Tile").Device(DEVICE_CPU).HostMemory("multiples"),
                        TileOp);
REGISTER_MOVER_ON_GPU(TileOp, "T", Name("Tile").HostMemory("multiples"),
                      "input", "output");

}  // namespace
}  // namespace tensorwright
