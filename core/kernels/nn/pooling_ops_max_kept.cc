// SPDX-License-Identifier: Apache-2.0
// Kernels of a max pool that keeps the places of its maxima for its gradient,
// and of that gradient; see core/graph/passes/pool_places_pass.cc.

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Computes the sizes of a pool that has places, as the pass has checked.
Status DimensionsOf(const WindowAttrs& attrs, const Tensor& input,
                    PoolDimensions* dims) {
  TF_RETURN_IF_ERROR(ComputePoolDimensions(attrs, input.shape(), dims));
  return HasPlaces(*dims) ? OkStatus()
                          : errors::Internal("a pool without places");
}

class MaxPoolWithPlacesOp final : public OpKernel {
 public:
  explicit MaxPoolWithPlacesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPoolAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, DimensionsOf(attrs_, input, &dims));
    Tensor *output = nullptr, *places = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, dims.OutputShape(), &places));
    if (output->NumElements() == 0) return;
    MaxPoolWithPlaces(ctx, dims, input.base<float>(), output->base<float>(),
                      places->base<uint8_t>());
  }

 private:
  WindowAttrs attrs_;
};
REGISTER_KERNEL_BUILDER(Name("_MaxPool").Device(DEVICE_CPU),
                        MaxPoolWithPlacesOp);

class MaxPoolGradOfPlacesOp final : public OpKernel {
 public:
  explicit MaxPoolGradOfPlacesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPoolAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& places = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, DimensionsOf(attrs_, input, &dims));
    OP_REQUIRES(
        ctx,
        places.shape() == dims.OutputShape() &&
            grad.shape() == dims.OutputShape(),
        errors::InvalidArgument(attrs_.op, ": Expected grad shape to be ",
                                dims.OutputShape().DebugString(), ", but got ",
                                grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    MaxPoolGradOfPlaces(ctx, dims, input.base<float>(), places.base<uint8_t>(),
                        grad.base<float>(), output->base<float>());
  }

 private:
  WindowAttrs attrs_;
};
REGISTER_KERNEL_BUILDER(Name("_MaxPoolGrad").Device(DEVICE_CPU),
                        MaxPoolGradOfPlacesOp);

}  // namespace
}  // namespace tensorwright
