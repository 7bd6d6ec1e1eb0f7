// SPDX-License-Identifier: Apache-2.0
// Kernels of the gradients of Conv3D: the V2 ops take sizes as vectors, the
// older ones a tensor of the wanted shape.

#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

// kSizes: input 0 holds the sizes of the input; otherwise it is the input.
template <typename T, bool kSizes>
class Conv3DBackpropInputBase final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_data> {
 public:
  explicit Conv3DBackpropInputBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 5, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& filter = ctx->input(1);
    const Tensor& out_backprop = ctx->input(2);
    TensorShape shape = ctx->input(0).shape();
    if constexpr (kSizes) {
      OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "input_sizes",
                                             ctx->input(0), &shape));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, ComputeConv2DDimensions(attrs_, shape, filter.shape(), &dims));
    OP_REQUIRES_OK(ctx,
                   CheckConvOutBackprop(attrs_.op, dims, out_backprop.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(
        ctx, RunConvBackwardInput<T>(ctx, dims, filter, out_backprop, output));
  }

 private:
  WindowAttrs attrs_;
};

// kSizes: input 1 holds the sizes of the filter; otherwise it is the filter.
template <typename T, bool kSizes>
class Conv3DBackpropFilterBase final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_weights> {
 public:
  explicit Conv3DBackpropFilterBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 5, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& out_backprop = ctx->input(2);
    TensorShape shape = ctx->input(1).shape();
    if constexpr (kSizes) {
      OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "filter_sizes",
                                             ctx->input(1), &shape));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, ComputeConv2DDimensions(attrs_, input.shape(), shape, &dims));
    OP_REQUIRES_OK(ctx,
                   CheckConvOutBackprop(attrs_.op, dims, out_backprop.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(
        ctx, RunConvBackwardFilter<T>(ctx, dims, input, out_backprop, output));
  }

 private:
  WindowAttrs attrs_;
};

template <typename T>
using Conv3DBackpropInputOp = Conv3DBackpropInputBase<T, false>;
template <typename T>
using Conv3DBackpropInputV2Op = Conv3DBackpropInputBase<T, true>;
template <typename T>
using Conv3DBackpropFilterOp = Conv3DBackpropFilterBase<T, false>;
template <typename T>
using Conv3DBackpropFilterV2Op = Conv3DBackpropFilterBase<T, true>;

REGISTER_KERNEL_FOR_TYPES(
    Name("Conv3DBackpropInputV2").Device(DEVICE_CPU).HostMemory("input_sizes"),
    "T", Conv3DBackpropInputV2Op, float, Eigen::half, Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(Name("Conv3DBackpropFilterV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("filter_sizes"),
                          "T", Conv3DBackpropFilterV2Op, float, Eigen::half,
                          Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(Name("Conv3DBackpropInput").Device(DEVICE_CPU), "T",
                          Conv3DBackpropInputOp, float, Eigen::half, double);
REGISTER_KERNEL_FOR_TYPES(Name("Conv3DBackpropFilter").Device(DEVICE_CPU), "T",
                          Conv3DBackpropFilterOp, float, Eigen::half, double);

}  // namespace tensorwright
