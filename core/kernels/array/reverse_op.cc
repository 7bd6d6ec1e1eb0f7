// SPDX-License-Identifier: Apache-2.0
// Reverse and ReverseV2: a tensor reversed along some dimensions.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

using Flags = absl::InlinedVector<bool, 8>;  // One a dimension.

Status FlagsFromDims(const Tensor& dims, int rank, Flags* flags) {
  if (dims.dims() != 1 || dims.NumElements() != rank) {
    return errors::InvalidArgument("'dims' must have one bool for each of the ",
                                   rank, " dimensions, got shape ",
                                   dims.shape().DebugString());
  }
  const absl::Span<const bool> values = Flat<bool>(dims);
  flags->assign(values.begin(), values.end());
  return OkStatus();
}

Status FlagsFromAxes(const Tensor& axes, int rank, Flags* flags) {
  flags->assign(rank, false);
  for (int64_t i = 0; i < axes.NumElements(); ++i) {
    const int64_t axis = IntAt(axes, i);
    const int64_t dim = axis < 0 ? axis + rank : axis;
    if (dim < 0 || dim >= rank) {
      return errors::InvalidArgument("'axis'[", i, "] = ", axis,
                                     " is out of valid range [", -rank, ", ",
                                     rank - 1, "]");
    }
    if ((*flags)[dim]) {
      return errors::InvalidArgument("axis ", dim,
                                     " specified more than once.");
    }
    (*flags)[dim] = true;
  }
  return OkStatus();
}

template <Status (*ReadFlags)(const Tensor&, int, Flags*)>
class ReverseOpBase final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Flags flags;
    OP_REQUIRES_OK(ctx, ReadFlags(ctx->input(1), input.dims(), &flags));
    StridedView view;
    view.sizes.resize(input.dims());
    view.strides.resize(input.dims());
    int64_t stride = 1;
    bool any = false;
    for (int d = input.dims() - 1; d >= 0; --d) {
      const int64_t size = input.dim_size(d);
      const bool turn = flags[d] && size > 1;
      any |= turn;
      view.sizes[d] = size;
      view.strides[d] = turn ? -stride : stride;
      if (turn) view.offset += (size - 1) * stride;
      stride *= size;
    }
    if (!any || input.NumElements() == 0) {
      ctx->set_output(0, input);
      return;
    }
    view.Simplify();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    OP_REQUIRES_OK(ctx, MoveFromView(ctx, input, view, out));
  }
};

using ReverseOp = ReverseOpBase<FlagsFromDims>;
using ReverseV2Op = ReverseOpBase<FlagsFromAxes>;
REGISTER_KERNEL_BUILDER(Name("Reverse").Device(DEVICE_CPU).HostMemory("dims"),
                        ReverseOp);
REGISTER_KERNEL_BUILDER(Name("ReverseV2").Device(DEVICE_CPU).HostMemory("axis"),
                        ReverseV2Op);
REGISTER_MOVER_ON_GPU(ReverseOp, "T", Name("Reverse").HostMemory("dims"),
                      "tensor", "output");
REGISTER_MOVER_ON_GPU(ReverseV2Op, "T", Name("ReverseV2").HostMemory("axis"),
                      "tensor", "output");

}  // namespace
}  // namespace tensorwright
