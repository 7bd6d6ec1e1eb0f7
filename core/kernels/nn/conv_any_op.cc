// SPDX-License-Identifier: Apache-2.0
// The kernel of Conv: Conv2D or Conv3D, by the rank of the filter, of images
// with any number of batch dimensions.

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/overflow.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

template <typename T>
class ConvAnyOp final : public OpKernel,
                        public OneDnnUnlessWide<T, dnnl::convolution_forward> {
 public:
  explicit ConvAnyOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("batch_dims", &batch_dims_));
  }

  // The shape function has compared the ranks, and limits batch_dims.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    WindowAttrs attrs;
    OP_REQUIRES_OK(
        ctx, ReadConvAttrs(WindowAttrSource(def()), filter.dims(), &attrs));
    // The batch as one dimension.
    TensorShape shape = input.shape();
    int64_t batch = 1;
    for (int i = 0; i < batch_dims_; ++i) {
      batch = MultiplyWithoutOverflow(batch, shape.dim_size(0));
      OP_REQUIRES(ctx, batch >= 0,
                  errors::InvalidArgument("Conv: input is too large, of shape ",
                                          input.shape().DebugString()));
      shape.RemoveDim(0);
    }
    OP_REQUIRES_OK(ctx, shape.InsertDimWithStatus(0, batch));
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, ComputeConv2DDimensions(attrs, shape, filter.shape(), &dims));
    TensorShape out_shape = dims.OutputShape();
    out_shape.RemoveDim(0);
    for (int i = static_cast<int>(batch_dims_); i-- > 0;) {
      OP_REQUIRES_OK(ctx, out_shape.InsertDimWithStatus(0, input.dim_size(i)));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, out_shape, &output));
    OP_REQUIRES_OK(ctx, RunConvForward<T>(ctx, dims, input, filter, output));
  }

 private:
  int64_t batch_dims_ = 1;
};

REGISTER_KERNEL_FOR_TYPES(Name("Conv").Device(DEVICE_CPU), "T", ConvAnyOp,
                          float, Eigen::half, Eigen::bfloat16, double, int32);

}  // namespace tensorwright
