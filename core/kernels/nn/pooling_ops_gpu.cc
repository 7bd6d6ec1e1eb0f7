// SPDX-License-Identifier: Apache-2.0
// MaxPool, AvgPool and their gradients on a GPU.
#include "core/kernels/nn/pooling_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

GpuPool PoolOf(const PoolDimensions& d) {
  const auto window = [](const WindowDim& w) {
    return GpuPoolWindow{w.input, w.filter, w.output, w.stride, w.pad_before};
  };
  return {d.batch, window(d.rows), window(d.cols), window(d.depth),
          d.format == FORMAT_NCHW};
}

// A window along depth covers whole channels without padding.
Status CheckDepth(const WindowAttrs& attrs, const PoolDimensions& dims) {
  TF_RETURN_IF_ERROR(CheckDepthWindow(attrs));
  TF_RETURN_IF_ERROR(CheckDepthWindowDivides(attrs, dims.depth.input));
  return dims.depth.filter != 1 && attrs.padding == EXPLICIT
             ? errors::Unimplemented(
                   attrs.op, ": Depthwise max pooling has no explicit paddings")
             : OkStatus();
}

// ksize and strides are attrs, or the last two inputs.
class PoolOnGpu : public OpKernel {
 public:
  explicit PoolOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    has_sizes_ = ctx->HasAttr("ksize");
    OP_REQUIRES_OK(ctx, has_sizes_ ? ReadPoolAttrs(ctx, 4, &attrs_)
                                   : ReadPoolAttrsButSizes(ctx, 4, &attrs_));
  }

 protected:
  Status GetAttrs(OpKernelContext* ctx, WindowAttrs* attrs) const {
    *attrs = attrs_;
    if (has_sizes_) return OkStatus();
    const int at = ctx->num_inputs() - 2;
    return SetPoolSizes(ctx->input(at), ctx->input(at + 1), attrs);
  }

 private:
  bool has_sizes_ = true;
  WindowAttrs attrs_;
};

template <typename T>
class MaxPoolOnGpu final : public PoolOnGpu {
 public:
  using PoolOnGpu::PoolOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    WindowAttrs attrs;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepth(attrs, dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   GpuMaxPool<gpu::Storage<T>>(GpuStream(ctx), PoolOf(dims),
                                               input.data(), output->data()));
  }
};

template <typename T>
class MaxPoolGradOnGpu final : public PoolOnGpu {
 public:
  using PoolOnGpu::PoolOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& orig_output = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    WindowAttrs attrs;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepth(attrs, dims));
    OP_REQUIRES(ctx,
                orig_output.shape() == dims.OutputShape() &&
                    grad.shape() == dims.OutputShape(),
                errors::InvalidArgument(
                    attrs.op, ": Expected orig_output and grad shape to be ",
                    dims.OutputShape().DebugString(), ", but got ",
                    orig_output.shape().DebugString(), " and ",
                    grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuMaxPoolGrad<gpu::Storage<T>>(
                            GpuStream(ctx), PoolOf(dims), input.data(),
                            grad.data(), output->data()));
  }
};

template <typename T>
class AvgPoolOnGpu final : public PoolOnGpu {
 public:
  using PoolOnGpu::PoolOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    WindowAttrs attrs;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(attrs));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   GpuAvgPool<gpu::Storage<T>>(GpuStream(ctx), PoolOf(dims),
                                               input.data(), output->data()));
  }
};

template <typename T>
class AvgPoolGradOnGpu final : public PoolOnGpu {
 public:
  using PoolOnGpu::PoolOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    WindowAttrs attrs;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &attrs));
    OP_REQUIRES(ctx, sizes.dims() == 1 && sizes.NumElements() == 4,
                errors::InvalidArgument(
                    attrs.op,
                    ": orig_input_shape must be 1-dimensional and 4 "
                    "elements, got shape ",
                    sizes.shape().DebugString()));
    TensorShape input_shape;
    OP_REQUIRES_OK(ctx, MakeShape(sizes, &input_shape));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs, input_shape, &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(attrs));
    OP_REQUIRES(
        ctx, grad.shape() == dims.OutputShape(),
        errors::InvalidArgument(attrs.op, ": Expected grad shape to be ",
                                dims.OutputShape().DebugString(), ", but got ",
                                grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input_shape, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, GpuAvgPoolGrad<gpu::Storage<T>>(GpuStream(ctx), PoolOf(dims),
                                             grad.data(), output->data()));
  }
};

#define TW_POOL_ON_GPU(builder, kernel)                              \
  REGISTER_KERNEL_FOR_TYPES(builder.Device(DEVICE_GPU), "T", kernel, \
                            Eigen::half, Eigen::bfloat16, float, double)
TW_POOL_ON_GPU(Name("MaxPool"), MaxPoolOnGpu);
TW_POOL_ON_GPU(Name("MaxPoolGrad"), MaxPoolGradOnGpu);
TW_POOL_ON_GPU(Name("MaxPoolV2").HostMemory("ksize").HostMemory("strides"),
               MaxPoolOnGpu);
TW_POOL_ON_GPU(Name("MaxPoolGradV2").HostMemory("ksize").HostMemory("strides"),
               MaxPoolGradOnGpu);
TW_POOL_ON_GPU(Name("AvgPool"), AvgPoolOnGpu);
TW_POOL_ON_GPU(Name("AvgPoolGrad").HostMemory("orig_input_shape"),
               AvgPoolGradOnGpu);
#undef TW_POOL_ON_GPU

}  // namespace
}  // namespace tensorwright
