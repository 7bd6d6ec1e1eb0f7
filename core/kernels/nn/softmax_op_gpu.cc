// SPDX-License-Identifier: Apache-2.0
// Softmax, LogSoftmax and the cross entropies on a GPU: the host's side.

#include "core/kernels/nn/softmax_op_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/nn/sparse_xent_op_shapes.h"
#include "core/kernels/nn/xent_op_shapes.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

template <typename T>
class SoftmaxOnGpu final : public OpKernel {
 public:
  explicit SoftmaxOnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx), log_(type_string() == "LogSoftmax") {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);
    OP_REQUIRES(ctx, logits.dims() >= 1,
                errors::InvalidArgument(
                    type_string(), ": logits must have >= 1 dimension, got ",
                    logits.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, logits.shape(), &out));
    if (out->NumElements() == 0) return;
    const int64_t classes = logits.dim_size(logits.dims() - 1);
    OP_REQUIRES_OK(ctx,
                   GpuSoftmax<gpu::Storage<T>>(GpuStream(ctx), logits.data(),
                                               logits.NumElements() / classes,
                                               classes, log_, out->data()));
  }

 private:
  const bool log_;
};
REGISTER_KERNEL_FOR_TYPES(Name("Softmax").Device(DEVICE_GPU), "T", SoftmaxOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("LogSoftmax").Device(DEVICE_GPU), "T",
                          SoftmaxOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double);

GpuRowsView ViewRows(const Tensor& t) {
  const int rank = t.dims();
  const int64_t cols = rank >= 1 ? t.dim_size(rank - 1) : 1;
  const int64_t rows = rank >= 2 ? t.dim_size(rank - 2) : 1;
  return {t.data(), rows == 1 ? 0 : cols, cols == 1 ? 0 : 1};
}

template <typename T>
class XentOnGpu final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& features = ctx->input(0);
    const Tensor& labels = ctx->input(1);
    int64_t batch = 0, classes = 0;
    OP_REQUIRES_OK(
        ctx, XentSizes(features.shape(), labels.shape(), &batch, &classes));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({batch}), &loss));
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(1, TensorShape({batch, classes}), &backprop));
    if (batch == 0) return;
    OP_REQUIRES(ctx, classes > 0,
                errors::Unimplemented(
                    "SoftmaxCrossEntropyWithLogits: the GPU's kernel needs at "
                    "least one class, got logits shape ",
                    features.shape().DebugString()));
    OP_REQUIRES_OK(ctx,
                   GpuXent<gpu::Storage<T>>(GpuStream(ctx), ViewRows(features),
                                            ViewRows(labels), batch, classes,
                                            loss->data(), backprop->data()));
  }
};
REGISTER_KERNEL_FOR_TYPES(
    Name("SoftmaxCrossEntropyWithLogits").Device(DEVICE_GPU), "T", XentOnGpu,
    Eigen::half, Eigen::bfloat16, float, double);

template <typename T>
class SparseXentOnGpu final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& features = ctx->input(0);
    const Tensor& labels = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckSparseXent(features.shape(), labels.shape()));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, labels.shape(), &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, features.shape(), &backprop));
    if (features.dim_size(0) == 0) return;
    const auto run = labels.dtype() == DT_INT32
                         ? &GpuSparseXent<gpu::Storage<T>, int32_t>
                         : &GpuSparseXent<gpu::Storage<T>, int64_t>;
    OP_REQUIRES_OK(ctx, run(GpuStream(ctx), features.data(), labels.data(),
                            features.dim_size(0), features.dim_size(1),
                            loss->data(), backprop->data()));
  }
};
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseSoftmaxCrossEntropyWithLogits").Device(DEVICE_GPU), "T",
    SparseXentOnGpu, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
