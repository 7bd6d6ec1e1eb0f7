// SPDX-License-Identifier: Apache-2.0
// LRN and LRNGrad on a GPU.
#include "core/kernels/nn/lrn_op_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class LrnOnGpuBase : public OpKernel {
 public:
  explicit LrnOnGpuBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("depth_radius", &lrn_.radius));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bias", &lrn_.bias));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("alpha", &lrn_.alpha));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("beta", &lrn_.beta));
    OP_REQUIRES(ctx, lrn_.radius >= 0 && lrn_.radius <= INT32_MAX,
                errors::InvalidArgument(
                    "LRN: depth_radius must be a non-negative int32, got ",
                    lrn_.radius));
  }

 protected:
  // The sizes for an image batch.
  Status LrnOf(const TensorShape& shape, GpuLrn* lrn) const {
    if (shape.dims() != 4) {
      return errors::InvalidArgument(
          "LRN: in must be 4-dimensional, got shape ", shape.DebugString());
    }
    *lrn = lrn_;
    lrn->depth = shape.dim_size(3);
    lrn->pixels = shape.dim_size(0) * shape.dim_size(1) * shape.dim_size(2);
    return OkStatus();
  }

 private:
  GpuLrn lrn_ = {};
};

template <typename T>
class LrnOnGpu final : public LrnOnGpuBase {
 public:
  using LrnOnGpuBase::LrnOnGpuBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    GpuLrn lrn;
    OP_REQUIRES_OK(ctx, LrnOf(input.shape(), &lrn));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuLrnForward<gpu::Storage<T>>(
                            GpuStream(ctx), lrn, input.data(), output->data()));
  }
};

template <typename T>
class LrnGradOnGpu final : public LrnOnGpuBase {
 public:
  using LrnOnGpuBase::LrnOnGpuBase;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    const Tensor& input = ctx->input(1);
    const Tensor& output = ctx->input(2);
    GpuLrn lrn;
    OP_REQUIRES_OK(ctx, LrnOf(input.shape(), &lrn));
    OP_REQUIRES(
        ctx, grad.shape() == input.shape() && output.shape() == input.shape(),
        errors::InvalidArgument(
            "LRNGrad: input_grads, input_image and output_image must have one "
            "shape, got ",
            grad.shape().DebugString(), ", ", input.shape().DebugString(),
            " and ", output.shape().DebugString()));
    Tensor* result = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &result));
    if (result->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuLrnGrad<gpu::Storage<T>>(
                            GpuStream(ctx), lrn, grad.data(), input.data(),
                            output.data(), result->data()));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("LRN").Device(DEVICE_GPU), "T", LrnOnGpu, float,
                          Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("LRNGrad").Device(DEVICE_GPU), "T", LrnGradOnGpu,
                          float, Eigen::half, Eigen::bfloat16);

}  // namespace
}  // namespace tensorwright
