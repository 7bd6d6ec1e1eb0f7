// SPDX-License-Identifier: Apache-2.0
// Slice: a box of a tensor.

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

// The box as a view of the input, and the output's shape.
Status ResolveSlice(const TensorShape& in, const Tensor& begin,
                    const Tensor& size, StridedView* view, TensorShape* out) {
  const int rank = in.dims();
  if (begin.dims() != 1 || size.dims() != 1 || begin.NumElements() != rank ||
      size.NumElements() != rank) {
    return errors::InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size ", rank,
        ", but got shapes ", begin.shape().DebugString(), " and ",
        size.shape().DebugString(), " instead.");
  }
  view->sizes.resize(rank);
  view->strides.resize(rank);
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t n = in.dim_size(d);
    const int64_t b = IntAt(begin, d);
    if (b < 0 || b > n) {
      return errors::InvalidArgument("Expected begin[", d, "] in [0, ", n,
                                     "], but got ", b);
    }
    int64_t s = IntAt(size, d);
    if (s == -1) s = n - b;
    if (s < 0 || s > n - b) {
      return errors::InvalidArgument("Expected size[", d, "] in [0, ", n - b,
                                     "], but got ", s);
    }
    view->sizes[d] = s;
    view->strides[d] = stride;
    view->offset += b * stride;
    stride *= n;
  }
  return TensorShape::BuildTensorShape(absl::MakeConstSpan(view->sizes), out);
}

class SliceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    StridedView view;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ResolveSlice(input.shape(), ctx->input(1),
                                     ctx->input(2), &view, &shape));
    if (shape.IsSameSize(input.shape())) {
      ctx->set_output(0, input);
      return;
    }
    if (ShareRows(ctx, input, ctx->input(1), shape)) return;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    view.Simplify();
    OP_REQUIRES_OK(ctx, MoveFromView(ctx, input, view, out));
  }

 private:
  // A slice of whole, aligned rows shares the input's buffer.
  static bool ShareRows(OpKernelContext* ctx, const Tensor& input,
                        const Tensor& begin, const TensorShape& shape) {
    for (int d = 1; d < shape.dims(); ++d) {
      if (shape.dim_size(d) != input.dim_size(d)) return false;
    }
    const int64_t first = IntAt(begin, 0);
    const Tensor rows = input.Slice(first, first + shape.dim_size(0));
    if (!rows.IsAligned()) return false;
    ctx->set_output(0, rows);
    return true;
  }
};
REGISTER_KERNEL_BUILDER(
    Name("Slice").Device(DEVICE_CPU).HostMemory("begin").HostMemory("size"),
    SliceOp);
REGISTER_MOVER_ON_GPU(SliceOp, "T",
                      Name("Slice").HostMemory("begin").HostMemory("size"),
                      "input", "output");

}  // namespace
}  // namespace tensorwright
