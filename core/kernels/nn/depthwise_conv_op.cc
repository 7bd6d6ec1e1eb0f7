// SPDX-License-Identifier: Apache-2.0
// Kernels of DepthwiseConv2dNative and its gradients, which are convolutions
// with a group for each channel.

#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

template <typename T>
class DepthwiseConvOp final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_forward> {
 public:
  explicit DepthwiseConvOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeDepthwiseDimensions(attrs_, input.shape(),
                                                   filter.shape(), &dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    OP_REQUIRES_OK(ctx, RunConvForward<T>(ctx, dims, input, filter, output));
  }

 private:
  WindowAttrs attrs_;
};

template <typename T>
class DepthwiseConvBackpropInputOp final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_data> {
 public:
  explicit DepthwiseConvBackpropInputOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& filter = ctx->input(1);
    const Tensor& out_backprop = ctx->input(2);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "input_sizes",
                                           ctx->input(0), &shape));
    OP_REQUIRES(
        ctx, filter.dims() == 4 && out_backprop.dims() == 4,
        errors::InvalidArgument(
            attrs_.op, ": filter and out_backprop must be 4-dimensional, got ",
            filter.shape().DebugString(), " and ",
            out_backprop.shape().DebugString()));
    if (shape.dims() == 2) {  // [height, width]
      shape = ShapeFromFormat(attrs_.format, out_backprop.dim_size(0),
                              shape.dim_size(0), shape.dim_size(1),
                              filter.dim_size(2));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, ComputeDepthwiseDimensions(attrs_, shape, filter.shape(), &dims));
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

template <typename T>
class DepthwiseConvBackpropFilterOp final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_weights> {
 public:
  explicit DepthwiseConvBackpropFilterOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& out_backprop = ctx->input(2);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "filter_sizes",
                                           ctx->input(1), &shape));
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, ComputeDepthwiseDimensions(attrs_, input.shape(), shape, &dims));
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

REGISTER_KERNEL_FOR_TYPES(Name("DepthwiseConv2dNative").Device(DEVICE_CPU), "T",
                          DepthwiseConvOp, float, Eigen::half, Eigen::bfloat16,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("DepthwiseConv2dNativeBackpropInput")
                              .Device(DEVICE_CPU)
                              .HostMemory("input_sizes"),
                          "T", DepthwiseConvBackpropInputOp, float, Eigen::half,
                          Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(Name("DepthwiseConv2dNativeBackpropFilter")
                              .Device(DEVICE_CPU)
                              .HostMemory("filter_sizes"),
                          "T", DepthwiseConvBackpropFilterOp, float,
                          Eigen::half, Eigen::bfloat16, double);

}  // namespace tensorwright
