// SPDX-License-Identifier: Apache-2.0
// Kernels of Conv2DBackpropInput and Conv2DBackpropFilter, and of their V2 ops,
// which take the tensor itself instead of its sizes.

#include <algorithm>
#include <vector>

#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

template <typename Index>
Status ShapeFromVector(const std::string& op, const char* name,
                       const Tensor& sizes, TensorShape* shape) {
  shape->Clear();
  for (Index size : Flat<Index>(sizes)) {
    if (size < 0) {
      return errors::InvalidArgument(op, ": ", name,
                                     " must not be negative, got ", size);
    }
    TF_RETURN_IF_ERROR(shape->AddDimWithStatus(size));
  }
  return OkStatus();
}

}  // namespace

Status ConvShapeFromSizes(const std::string& op, const char* name,
                          const Tensor& sizes, TensorShape* shape) {
  if (sizes.dims() != 1) {
    return errors::InvalidArgument(op, ": ", name,
                                   " must be a vector, got shape ",
                                   sizes.shape().DebugString());
  }
  return sizes.dtype() == DT_INT64
             ? ShapeFromVector<int64_t>(op, name, sizes, shape)
             : ShapeFromVector<int32>(op, name, sizes, shape);
}

Status CheckConvOutBackprop(const std::string& op, const Conv2DDimensions& dims,
                            const TensorShape& out_backprop) {
  if (dims.OutputShape() == out_backprop) return OkStatus();
  return errors::InvalidArgument(
      op, ": Size of out_backprop doesn't match computed: actual = ",
      out_backprop.DebugString(),
      ", computed = ", dims.OutputShape().DebugString());
}

template <typename T, bool kV2 = false>
class Conv2DBackpropInputOp final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_data> {
 public:
  explicit Conv2DBackpropInputOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& filter = ctx->input(1);
    const Tensor& out_backprop = ctx->input(2);
    OP_REQUIRES(
        ctx, filter.dims() == 4 && out_backprop.dims() == 4,
        errors::InvalidArgument(
            attrs_.op, ": filter and out_backprop must be 4-dimensional, got ",
            filter.shape().DebugString(), " and ",
            out_backprop.shape().DebugString()));
    TensorShape input_shape = ctx->input(0).shape();
    if (!kV2) {
      OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "input_sizes",
                                             ctx->input(0), &input_shape));
    }
    if (!kV2 && input_shape.dims() == 2) {  // [height, width]
      input_shape = ShapeFromFormat(
          attrs_.format, out_backprop.dim_size(0), input_shape.dim_size(0),
          input_shape.dim_size(1), filter.dim_size(2));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, input_shape,
                                                filter.shape(), &dims));
    OP_REQUIRES_OK(ctx,
                   CheckConvOutBackprop(attrs_.op, dims, out_backprop.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input_shape, &output));
    OP_REQUIRES_OK(
        ctx, RunConvBackwardInput<T>(ctx, dims, filter, out_backprop, output));
  }

 private:
  WindowAttrs attrs_;
};

template <typename T, bool kV2 = false>
class Conv2DBackpropFilterOp final
    : public OpKernel,
      public OneDnnUnlessWide<T, dnnl::convolution_backward_weights> {
 public:
  explicit Conv2DBackpropFilterOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& out_backprop = ctx->input(2);
    TensorShape filter_shape = ctx->input(1).shape();
    if (!kV2) {
      OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "filter_sizes",
                                             ctx->input(1), &filter_shape));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, input.shape(),
                                                filter_shape, &dims));
    OP_REQUIRES_OK(ctx,
                   CheckConvOutBackprop(attrs_.op, dims, out_backprop.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, filter_shape, &output));
    OP_REQUIRES_OK(
        ctx, RunConvBackwardFilter<T>(ctx, dims, input, out_backprop, output));
  }

 private:
  WindowAttrs attrs_;
};

template <typename T>
using Conv2DBackpropInputV2Op = Conv2DBackpropInputOp<T, true>;
template <typename T>
using Conv2DBackpropFilterV2Op = Conv2DBackpropFilterOp<T, true>;

REGISTER_KERNEL_FOR_TYPES(
    Name("Conv2DBackpropInput").Device(DEVICE_CPU).HostMemory("input_sizes"),
    "T", Conv2DBackpropInputOp, float, Eigen::half, Eigen::bfloat16, double,
    int32);
REGISTER_KERNEL_FOR_TYPES(
    Name("Conv2DBackpropFilter").Device(DEVICE_CPU).HostMemory("filter_sizes"),
    "T", Conv2DBackpropFilterOp, float, Eigen::half, Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(Name("Conv2DBackpropInputV2").Device(DEVICE_CPU), "T",
                          Conv2DBackpropInputV2Op, float, Eigen::half,
                          Eigen::bfloat16, double, int32);
REGISTER_KERNEL_FOR_TYPES(Name("Conv2DBackpropFilterV2").Device(DEVICE_CPU),
                          "T", Conv2DBackpropFilterV2Op, float, Eigen::half,
                          Eigen::bfloat16, double);

}  // namespace tensorwright
