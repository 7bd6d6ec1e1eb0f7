// SPDX-License-Identifier: Apache-2.0
// FusedBatchNorm, V2 and V3, and their gradients on a GPU.
#include "core/kernels/nn/fused_batch_norm_op_gpu.h"

#include <string>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/nn/fused_batch_norm_op.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright {
namespace {

class BatchNormOnGpu : public OpKernel {
 public:
  explicit BatchNormOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string format;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("epsilon", &epsilon_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("data_format", &format));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("is_training", &training_));
    if (ctx->HasAttr("exponential_avg_factor")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("exponential_avg_factor", &factor_));
    }
    rank_ = static_cast<int>(format.size());
    OP_REQUIRES(ctx, FormatFromString(format, &format_),
                errors::InvalidArgument("FusedBatchNorm: Invalid data format ",
                                        format));
  }

 protected:
  bool training() const { return training_; }
  float factor() const { return factor_; }

  Status CheckImage(const Tensor& image, const char* name) const {
    if (image.dims() == rank_) return OkStatus();
    return errors::InvalidArgument("FusedBatchNorm: ", name, " must be ", rank_,
                                   "-dimensional, got shape ",
                                   image.shape().DebugString());
  }
  static Status CheckVector(OpKernelContext* ctx, int index, int64_t channels,
                            const char* name) {
    const TensorShape& shape = ctx->input(index).shape();
    if (shape.dims() == 1 && shape.dim_size(0) == channels) return OkStatus();
    return errors::InvalidArgument(
        "FusedBatchNorm: ", name, " must be a vector of ", channels,
        " elements, got shape ", shape.DebugString());
  }
  GpuBatchNorm NormOf(const Tensor& x) const {
    const batch_norm::Extent e(x.shape(), format_);
    return {e.outer, e.channels, e.inner, epsilon_, factor_};
  }

 private:
  float epsilon_ = 0, factor_ = 1;
  TensorFormat format_ = FORMAT_NHWC;
  int rank_ = 4;
  bool training_ = true;
};

template <typename T>
class FusedBatchNormOnGpu final : public BatchNormOnGpu {
 public:
  using BatchNormOnGpu::BatchNormOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES_OK(ctx, CheckImage(x, "x"));
    const GpuBatchNorm norm = NormOf(x);
    const bool needs_old = !training() || factor() != 1.0f;
    const char* const names[] = {"scale", "offset", "mean", "variance"};
    for (int i = 0; i < (needs_old ? 4 : 2); ++i) {
      OP_REQUIRES_OK(ctx, CheckVector(ctx, i + 1, norm.channels, names[i]));
    }
    Tensor* stats[4];  // Running mean and variance, then the batch's.
    for (int i = 0; i < 4; ++i) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(
                              i + 1, TensorShape({norm.channels}), &stats[i]));
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    CUstream_st* const stream = GpuStream(ctx);
    if (ctx->num_outputs() > 5) {
      // V3 keeps nothing more for the gradient.
      Tensor* reserved = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(5, TensorShape({}), &reserved));
      OP_REQUIRES_OK(ctx, gpu::Current()->Set(stream, reserved->data(), 0,
                                              reserved->TotalBytes()));
    }
    if (norm.channels == 0) return;
    if (training()) {
      GpuBatchNormStatistics s = {};
      if (needs_old) {
        s.old_mean = ctx->input(3).base<float>();
        s.old_variance = ctx->input(4).base<float>();
      }
      s.running_mean = stats[0]->base<float>();
      s.running_variance = stats[1]->base<float>();
      s.mean = stats[2]->base<float>();
      s.variance = stats[3]->base<float>();
      OP_REQUIRES_OK(ctx,
                     GpuMoments<gpu::Storage<T>>(stream, norm, x.data(), s));
    } else {
      for (int i = 0; i < 4; ++i) {
        OP_REQUIRES_OK(
            ctx, gpu::Current()->CopyOnDevice(stream, stats[i]->data(),
                                              ctx->input(3 + i % 2).data(),
                                              stats[i]->TotalBytes()));
      }
    }
    if (y->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   GpuNormalize<gpu::Storage<T>>(
                       stream, norm, x.data(), stats[2]->base<float>(),
                       stats[3]->base<float>(), ctx->input(1).base<float>(),
                       ctx->input(2).base<float>(), y->data()));
  }
};

template <typename T>
class FusedBatchNormGradOnGpu final : public BatchNormOnGpu {
 public:
  using BatchNormOnGpu::BatchNormOnGpu;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);
    const Tensor& x = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckImage(dy, "y_backprop"));
    OP_REQUIRES_OK(ctx, CheckImage(x, "x"));
    OP_REQUIRES(
        ctx, dy.shape() == x.shape(),
        errors::InvalidArgument(
            "FusedBatchNorm: x and y_backprop must have one shape, got ",
            x.shape().DebugString(), " and ", dy.shape().DebugString()));
    const GpuBatchNorm norm = NormOf(x);
    const char* const names[] = {"scale", "mean", "variance"};
    for (int i = 0; i < 3; ++i) {
      OP_REQUIRES_OK(ctx, CheckVector(ctx, i + 2, norm.channels, names[i]));
    }
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &dx));
    Tensor* sums[2];
    for (int i = 0; i < 2; ++i) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(
                              i + 1, TensorShape({norm.channels}), &sums[i]));
    }
    for (int i = 3; i < 5; ++i) {
      Tensor* unused = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, TensorShape({0}), &unused));
    }
    if (norm.channels == 0) return;
    OP_REQUIRES_OK(ctx,
                   GpuBatchNormGrad<gpu::Storage<T>>(
                       GpuStream(ctx), norm, training(), dy.data(), x.data(),
                       ctx->input(2).base<float>(), ctx->input(3).base<float>(),
                       ctx->input(4).base<float>(), dx->data(),
                       sums[0]->base<float>(), sums[1]->base<float>()));
  }
};

REGISTER_KERNEL_BUILDER(
    Name("FusedBatchNorm").Device(DEVICE_GPU).TypeConstraint<float>("T"),
    FusedBatchNormOnGpu<float>);
REGISTER_KERNEL_BUILDER(
    Name("FusedBatchNormGrad").Device(DEVICE_GPU).TypeConstraint<float>("T"),
    FusedBatchNormGradOnGpu<float>);
#define TW_BATCH_NORM_ON_GPU(name, op)                                   \
  REGISTER_KERNEL_FOR_TYPES(                                             \
      Name(name).Device(DEVICE_GPU).TypeConstraint<float>("U"), "T", op, \
      float, Eigen::half, Eigen::bfloat16)
TW_BATCH_NORM_ON_GPU("FusedBatchNormV2", FusedBatchNormOnGpu);
TW_BATCH_NORM_ON_GPU("FusedBatchNormV3", FusedBatchNormOnGpu);
TW_BATCH_NORM_ON_GPU("FusedBatchNormGradV2", FusedBatchNormGradOnGpu);
TW_BATCH_NORM_ON_GPU("FusedBatchNormGradV3", FusedBatchNormGradOnGpu);
#undef TW_BATCH_NORM_ON_GPU

}  // namespace
}  // namespace tensorwright
